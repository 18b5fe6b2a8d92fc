"""The benchmark scenario of pods with a volume each: bound ones, ones to be chosen, ones to be made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nominee.cli.bench_scenarios import HOSTNAME, NAMESPACE, ZONE, ZONES, Scenario, make_pod
from nominee.model.codec import decode_object
from nominee.model.meta import NamedObject
from nominee.model.pod import Pod

_CHOSEN, _MADE = "chosen", "made"
_DRIVER = "volumes.example.com"
_SIZE = {"storage": "1Gi"}


def _pending(count: int) -> Iterator[Pod]:
    for i in range(count):
        volume = {"name": "data", "persistentVolumeClaim": {"claimName": f"claim-{i}"}}
        yield make_pod(f"p-{i}", "100m", "500Mi", volumes=[volume])


def _objects(nodes: int, pods: int) -> Iterator[NamedObject]:
    """A claim for each pod: in turn bound to a volume of a zone, to one of a node, and not bound at all."""
    yield _class(_CHOSEN, "kubernetes.io/no-provisioner")
    yield _class(_MADE, _DRIVER)
    for i in range(pods):
        host = f"node-{i % nodes:05d}"
        match i % 4:
            case 0:
                yield from _bound(i, ZONE, f"zone-{i % ZONES}")
            case 1:
                yield from _bound(i, HOSTNAME, host)
            case 2:
                yield _volume(i, HOSTNAME, host)
                yield _claim(i, _CHOSEN)
            case _:
                yield _claim(i, _MADE)


def _class(name: str, provisioner: str) -> NamedObject:
    return decode_object(
        {
            "apiVersion": "storage.k8s.io/v1",
            "kind": "StorageClass",
            "metadata": {"name": name},
            "provisioner": provisioner,
            "volumeBindingMode": "WaitForFirstConsumer",
        }
    )


def _bound(number: int, key: str, value: str) -> Iterator[NamedObject]:
    yield _volume(number, key, value, claimRef={"namespace": NAMESPACE, "name": f"claim-{number}"})
    yield _claim(number, _CHOSEN, volumeName=f"volume-{number}")


def _volume(number: int, key: str, value: str, **spec: Any) -> NamedObject:
    where = {"matchExpressions": [{"key": key, "operator": "In", "values": [value]}]}
    common = {
        "capacity": _SIZE,
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": _CHOSEN,
        "csi": {"driver": _DRIVER, "volumeHandle": f"volume-{number}"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [where]}},
    }
    metadata = {"name": f"volume-{number}"}
    kind = {"apiVersion": "v1", "kind": "PersistentVolume"}
    status = {"phase": "Bound" if spec else "Available"}
    return decode_object({**kind, "metadata": metadata, "spec": {**common, **spec}, "status": status})


def _claim(number: int, storage_class: str, **spec: str) -> NamedObject:
    done = {"pv.kubernetes.io/bind-completed": "yes"} if spec else {}
    common = {
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": storage_class,
        "resources": {"requests": _SIZE},
    }
    metadata = {"name": f"claim-{number}", "namespace": NAMESPACE, "annotations": done}
    kind = {"apiVersion": "v1", "kind": "PersistentVolumeClaim"}
    return decode_object({**kind, "metadata": metadata, "spec": {**common, **spec}})


VOLUMES = Scenario("volumes", "a claim for each pod, half of them bound", _pending, objects=_objects)
