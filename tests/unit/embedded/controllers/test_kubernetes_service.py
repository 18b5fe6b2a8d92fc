from __future__ import annotations

from nominee.embedded.bootstrap import bootstrap
from nominee.embedded.controllers.kubernetes_service import KubernetesService
from tests.unit.embedded.controllers.world import World


def test_whoever_deletes_all_services_gets_this_one_back() -> None:
    world = World(KubernetesService)
    bootstrap(world.rest)
    before = world.get("services", "kubernetes")
    world.delete("services", "kubernetes")
    world.settle()
    after = world.get("services", "kubernetes")
    assert after["metadata"]["uid"] != before["metadata"]["uid"]
    assert after["spec"]["clusterIP"] == before["spec"]["clusterIP"]
