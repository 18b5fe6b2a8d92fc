"""Nodes."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from typing import ClassVar

import msgspec

from nominee.model.base import ApiStruct, ResourceList
from nominee.model.meta import Condition, NamedObject


class Taint(ApiStruct, frozen=True, kw_only=True):
    """Keeps pods off a node unless they tolerate it."""

    key: str = ""
    value: str = ""
    effect: str = ""
    time_added: str | None = None


class NodeSpec(ApiStruct, frozen=True, kw_only=True):
    """What was decided about a node."""

    unschedulable: bool = False
    taints: tuple[Taint, ...] = ()
    provider_id: str = msgspec.field(name="providerID", default="")


class ContainerImage(ApiStruct, frozen=True, kw_only=True):
    """An image on a node, under all its names."""

    names: tuple[str, ...] = ()
    size_bytes: int = 0


class NodeAddress(ApiStruct, frozen=True, kw_only=True):
    """An address of a node."""

    type: str = ""
    address: str = ""


class NodeStatus(ApiStruct, frozen=True, kw_only=True):
    """What a node has and how it is."""

    capacity: ResourceList = {}
    allocatable: ResourceList = {}
    conditions: tuple[Condition, ...] = ()
    addresses: tuple[NodeAddress, ...] = ()
    images: tuple[ContainerImage, ...] = ()
    declared_features: tuple[str, ...] = ()


class Node(NamedObject, frozen=True, kw_only=True):
    """A machine that runs pods."""

    API_VERSION: ClassVar[str] = "v1"
    KIND: ClassVar[str] = "Node"

    spec: NodeSpec = NodeSpec()
    status: NodeStatus = NodeStatus()
