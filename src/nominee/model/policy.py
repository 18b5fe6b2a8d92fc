"""Disruption budgets and priority classes."""

# ruff: noqa: RUF012 - msgspec gives every instance its own copy of an empty default
from __future__ import annotations

from typing import ClassVar

from nominee.model.base import ApiStruct
from nominee.model.meta import Condition, LabelSelector, NamedObject


class PodDisruptionBudgetSpec(ApiStruct, frozen=True, kw_only=True):
    """Which pods, and how many of them must stay."""

    min_available: int | str | None = None
    max_unavailable: int | str | None = None
    selector: LabelSelector | None = None
    unhealthy_pod_eviction_policy: str | None = None


class PodDisruptionBudgetStatus(ApiStruct, frozen=True, kw_only=True):
    """How many pods may go now, and which are going already."""

    observed_generation: int = 0
    disrupted_pods: dict[str, str] = {}
    disruptions_allowed: int = 0
    current_healthy: int = 0
    desired_healthy: int = 0
    expected_pods: int = 0
    conditions: tuple[Condition, ...] = ()


class PodDisruptionBudget(NamedObject, frozen=True, kw_only=True):
    """How many pods of a set may be disrupted at a time."""

    API_VERSION: ClassVar[str] = "policy/v1"
    KIND: ClassVar[str] = "PodDisruptionBudget"

    spec: PodDisruptionBudgetSpec = PodDisruptionBudgetSpec()
    status: PodDisruptionBudgetStatus = PodDisruptionBudgetStatus()


class PriorityClass(NamedObject, frozen=True, kw_only=True):
    """A named priority."""

    API_VERSION: ClassVar[str] = "scheduling.k8s.io/v1"
    KIND: ClassVar[str] = "PriorityClass"

    value: int = 0
    global_default: bool = False
    description: str = ""
    preemption_policy: str | None = None
