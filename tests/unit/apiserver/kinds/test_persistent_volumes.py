"""Persistent volumes: what is filled in, and what is wrong with them."""

from __future__ import annotations

from typing import Any

from nominee.apiserver.kinds.persistent_volumes import PERSISTENT_VOLUMES
from tests.unit.apiserver.kinds.checking import made, metadata, told


def volume(**spec: Any) -> dict[str, Any]:
    rest = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    return {"metadata": metadata(), "spec": {**rest, **spec}}


def faults(**spec: Any) -> list[str]:
    return told(PERSISTENT_VOLUMES.validate(made(PERSISTENT_VOLUMES, volume(**spec))))


def test_a_claim_is_referred_to_as_the_client_does() -> None:
    item = volume(claimRef={"namespace": "default", "name": "data"})
    assert made(PERSISTENT_VOLUMES, item)["spec"]["claimRef"] == {"namespace": "default", "name": "data"}


def test_secrets_of_a_driver_are_named_in_full() -> None:
    source = {"driver": "d.example", "volumeHandle": "h", "nodeStageSecretRef": {}}
    assert faults(csi={**source, "nodePublishSecretRef": {"name": "s"}}) == [
        "spec.csi.nodePublishSecretRef.namespace: Required value"
    ]


def test_an_attributes_class_is_for_drivers() -> None:
    assert faults(hostPath={"path": "/x"}, volumeAttributesClassName="") == [
        "spec.csi: Required value: has to be specified when using volumeAttributesClassName",
        "spec.volumeAttributesClassName: Required value: an empty string is disallowed",
    ]
