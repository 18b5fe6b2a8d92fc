from __future__ import annotations

import pytest

from nominee.embedded.controllers.namespaces import NamespaceController
from nominee.embedded.controllers.service_accounts import NamespaceFurnisher
from tests.unit.embedded.controllers.world import World, pod, set_condition


@pytest.fixture
def world() -> World:
    return World(NamespaceController, lambda access: NamespaceFurnisher(access, "a certificate"))


def test_a_namespace_has_a_service_account_and_the_certificate(world: World) -> None:
    world.create("namespaces", {"metadata": {"name": "team"}})
    world.settle()
    assert world.find("serviceaccounts", "default", "team") is not None
    assert world.get("configmaps", "kube-root-ca.crt", "team")["data"] == {"ca.crt": "a certificate"}


def test_what_a_namespace_must_have_comes_back(world: World) -> None:
    world.create("namespaces", {"metadata": {"name": "team"}})
    world.settle()
    world.delete("serviceaccounts", "default", "team")
    world.delete("configmaps", "kube-root-ca.crt", "team")
    world.settle()
    assert world.find("serviceaccounts", "default", "team") is not None
    assert world.find("configmaps", "kube-root-ca.crt", "team") is not None


def test_a_deleted_namespace_goes_with_all_that_is_in_it(world: World) -> None:
    world.create("namespaces", {"metadata": {"name": "team"}})
    world.create("configmaps", {"metadata": {"name": "settings", "namespace": "team"}})
    world.create("pods", pod("job") | {"metadata": {"name": "job", "namespace": "team"}})
    world.create("configmaps", {"metadata": {"name": "settings"}})
    world.settle()
    world.delete("namespaces", "team")
    world.settle()
    assert world.find("pods", "job", "team") is None
    assert world.access.get("namespaces", "team") is None
    assert world.all("configmaps", "team") == []
    assert world.find("configmaps", "settings") is not None


def test_a_finalizer_holds_the_namespace_and_it_says_so(world: World) -> None:
    world.create("namespaces", {"metadata": {"name": "team"}})
    held = {"name": "settings", "namespace": "team", "finalizers": ["example.com/wait"]}
    world.create("configmaps", {"metadata": held})
    world.settle()
    world.delete("namespaces", "team")
    world.settle()
    namespace = world.get("namespaces", "team")
    assert namespace["status"]["phase"] == "Terminating"
    remaining = set_condition(namespace, "NamespaceContentRemaining")
    assert remaining["message"] == ("Some resources are remaining: configmaps. has 1 resource instances")
    finalizers = set_condition(namespace, "NamespaceFinalizersRemaining")
    assert finalizers["message"] == (
        "Some content in the namespace has finalizers remaining: example.com/wait in 1 resource instances"
    )
    item = world.get("configmaps", "settings", "team")
    freed = {**item, "metadata": {**item["metadata"], "finalizers": []}}
    world.rest.update("configmaps", "team/settings", freed, world.rest.context("test"))
    world.settle()
    assert world.access.get("namespaces", "team") is None
