"""Namespaces and the objects whose selectors tell which pods belong together."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from typing import ClassVar

from nominee.model.base import ApiStruct
from nominee.model.meta import LabelSelector, NamedObject


class NamespaceStatus(ApiStruct, frozen=True, kw_only=True):
    """Active or Terminating."""

    phase: str = ""


class Namespace(NamedObject, frozen=True, kw_only=True):
    """A namespace; its labels are what pod affinity reads."""

    API_VERSION: ClassVar[str] = "v1"
    KIND: ClassVar[str] = "Namespace"

    status: NamespaceStatus = NamespaceStatus()


class MapSelectorSpec(ApiStruct, frozen=True, kw_only=True):
    """A spec whose selector is a plain map of labels."""

    selector: dict[str, str] = {}


class LabelSelectorSpec(ApiStruct, frozen=True, kw_only=True):
    """A spec whose selector is a label selector."""

    selector: LabelSelector | None = None
    replicas: int | None = None


class Service(NamedObject, frozen=True, kw_only=True):
    """A service: selects the pods behind it."""

    API_VERSION: ClassVar[str] = "v1"
    KIND: ClassVar[str] = "Service"

    spec: MapSelectorSpec = MapSelectorSpec()


class ReplicationController(NamedObject, frozen=True, kw_only=True):
    """A replication controller: selects its replicas."""

    API_VERSION: ClassVar[str] = "v1"
    KIND: ClassVar[str] = "ReplicationController"

    spec: MapSelectorSpec = MapSelectorSpec()


class ReplicaSet(NamedObject, frozen=True, kw_only=True):
    """A replica set: selects its replicas."""

    API_VERSION: ClassVar[str] = "apps/v1"
    KIND: ClassVar[str] = "ReplicaSet"

    spec: LabelSelectorSpec = LabelSelectorSpec()


class StatefulSet(NamedObject, frozen=True, kw_only=True):
    """A stateful set: selects its replicas."""

    API_VERSION: ClassVar[str] = "apps/v1"
    KIND: ClassVar[str] = "StatefulSet"

    spec: LabelSelectorSpec = LabelSelectorSpec()
