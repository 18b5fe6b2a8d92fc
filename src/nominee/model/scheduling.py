"""Groups of pods that are scheduled together."""

from __future__ import annotations

from typing import ClassVar

from nominee.model.base import ApiStruct
from nominee.model.meta import Condition, NamedObject


class GangSchedulingPolicy(ApiStruct, frozen=True, kw_only=True):
    """All or nothing, from a number of pods on."""

    min_count: int = 0


class BasicSchedulingPolicy(ApiStruct, frozen=True, kw_only=True):
    """Each pod on its own."""


class PodGroupSchedulingPolicy(ApiStruct, frozen=True, kw_only=True):
    """How the pods of a group are scheduled."""

    basic: BasicSchedulingPolicy | None = None
    gang: GangSchedulingPolicy | None = None


class PodGroupSpec(ApiStruct, frozen=True, kw_only=True):
    """What a group of pods wants."""

    scheduling_policy: PodGroupSchedulingPolicy = PodGroupSchedulingPolicy()
    priority: int | None = None
    priority_class_name: str = ""


class PodGroupStatus(ApiStruct, frozen=True, kw_only=True):
    """Where a group of pods stands."""

    conditions: tuple[Condition, ...] = ()


class PodGroup(NamedObject, frozen=True, kw_only=True):
    """A group of pods that are scheduled together."""

    API_VERSION: ClassVar[str] = "scheduling.k8s.io/v1alpha2"
    KIND: ClassVar[str] = "PodGroup"

    spec: PodGroupSpec = PodGroupSpec()
    status: PodGroupStatus = PodGroupStatus()
