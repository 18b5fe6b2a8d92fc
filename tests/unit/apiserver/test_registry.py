import pytest

from nominee.apiserver.kind import Kind, Names
from nominee.apiserver.registry import Registry, version_order
from nominee.errors import NotFound

JOBS = Kind(Names("Job", "jobs", "job", group="batch", also=(("batch", "v1beta1"),)), schema="")
PODS = Kind(Names("Pod", "pods", "pod"), schema="")


def test_kinds_are_found_by_storage_name_path_and_own_words() -> None:
    registry = Registry((JOBS, PODS))
    assert registry.kind("jobs.batch") is JOBS
    assert registry.at("batch", "v1beta1", "jobs") is JOBS
    assert registry.of("v1", "Pod") is PODS
    assert registry.of("v1", "Job") is None


def test_a_group_begins_with_its_preferred_version() -> None:
    assert list(Registry((JOBS, PODS)).groups()["batch"]) == ["v1", "v1beta1"]


def test_what_is_taken_away_is_served_no_longer() -> None:
    registry = Registry((JOBS,))
    revision = registry.revision
    registry.remove("jobs.batch")
    assert registry.at("batch", "v1beta1", "jobs") is None
    assert registry.revision > revision
    with pytest.raises(NotFound, match="could not find the requested resource"):
        registry.kind("jobs.batch")


def test_versions_are_ordered_as_kubernetes_orders_them() -> None:
    # The example of the documentation of custom resource definitions.
    expected = [
        "v10",
        "v2",
        "v1",
        "v11beta2",
        "v10beta3",
        "v3beta1",
        "v12alpha1",
        "v11alpha2",
        "foo1",
        "foo10",
    ]
    shuffled = sorted(expected)
    assert sorted(shuffled, key=version_order, reverse=True) == expected
