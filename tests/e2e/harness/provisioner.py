"""The part of a volume provisioner, played by the test: as slow, or as unable, as the test wants it."""

from __future__ import annotations

from tests.e2e.harness.api import Object
from tests.e2e.harness.objects import claim, claim_volume, make, pod, waiting_class
from tests.e2e.harness.world import World

SELECTED = "volume.kubernetes.io/selected-node"


async def with_slow_volume(world: World, name: str = "db") -> None:
    """A pod whose volume is to be provisioned once it has a node."""
    await world.add(waiting_class("slow"), claim("data", "slow"))
    await world.add(pod(name, volumes=[claim_volume("data")]))


async def asked(world: World, claim_name: str, *, within: float = 30) -> str:
    """The node for which the scheduler wants the claim's volume, once it says so."""

    async def look() -> str:
        return selected_node(await world.get("PersistentVolumeClaim", claim_name))

    node: str = await world.until(look, f"claim {claim_name} has a selected node", within)
    return node


def selected_node(of_claim: Object) -> str:
    return str(of_claim["metadata"].get("annotations", {}).get(SELECTED, ""))


async def provision(world: World, claim_name: str) -> None:
    """Make the volume and bind claim and volume to each other, as provisioner and controller would."""
    found = await world.get("PersistentVolumeClaim", claim_name)
    volume = f"{world.namespace}-{claim_name}"
    await world.add(_volume(volume, found))
    await world.api.patch("PersistentVolume", volume, {"status": {"phase": "Bound"}}, subresource="status")
    await _bind_claim(world, claim_name, volume)


async def offer(world: World, of_class: str, size: str = "1Gi") -> str:
    """A volume that is there already, and may be bound to any claim of its class."""
    name = f"{world.namespace}-offered"
    spec = {
        "capacity": {"storage": size},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": of_class,
        "csi": {"driver": "example.com", "volumeHandle": name},
    }
    await world.add(make("PersistentVolume", name, spec=spec))
    await world.api.patch("PersistentVolume", name, {"status": {"phase": "Available"}}, subresource="status")
    return name


async def conclude(world: World, claim_name: str, volume: str) -> None:
    """Once the scheduler has bound the volume to the claim, bind the claim to it, as the controller would."""

    async def chosen() -> bool:
        return "claimRef" in (await world.get("PersistentVolume", volume))["spec"]

    await world.until(chosen, f"volume {volume} is bound to a claim")
    await world.api.patch("PersistentVolume", volume, {"status": {"phase": "Bound"}}, subresource="status")
    await _bind_claim(world, claim_name, volume)


async def _bind_claim(world: World, claim_name: str, volume: str) -> None:
    bound = {
        "metadata": {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"volumeName": volume},
    }
    await world.api.patch("PersistentVolumeClaim", claim_name, bound, namespace=world.namespace)


async def give_up(world: World, claim_name: str) -> None:
    """Provisioning failed for good on that node: the claim is free for another."""
    free = {"metadata": {"annotations": {SELECTED: None}}}
    await world.api.patch("PersistentVolumeClaim", claim_name, free, namespace=world.namespace)


def _volume(name: str, of_claim: Object) -> Object:
    meta = of_claim["metadata"]
    return make(
        "PersistentVolume",
        name,
        spec={
            "capacity": of_claim["spec"]["resources"]["requests"],
            "accessModes": of_claim["spec"]["accessModes"],
            "storageClassName": of_claim["spec"]["storageClassName"],
            "csi": {"driver": "example.com", "volumeHandle": name},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": meta["namespace"],
                "name": meta["name"],
                "uid": meta["uid"],
            },
        },
    )
