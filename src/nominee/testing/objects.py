"""The other objects decisions depend on: services, replica sets, budgets, namespaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.model.meta import LabelSelector, ObjectMeta
from nominee.model.policy import PodDisruptionBudget, PodDisruptionBudgetSpec, PodDisruptionBudgetStatus
from nominee.model.workload import (
    LabelSelectorSpec,
    MapSelectorSpec,
    Namespace,
    ReplicaSet,
    ReplicationController,
    Service,
    StatefulSet,
)
from nominee.testing.selectors import Expression, Selects, selector


def make_service(name: str, selects: Mapping[str, str], namespace: str = "default") -> Service:
    """A service for the pods with these labels."""
    return Service(metadata=_meta(name, namespace), spec=MapSelectorSpec(selector=dict(selects)))


def make_replication_controller(
    name: str, selects: Mapping[str, str], namespace: str = "default"
) -> ReplicationController:
    """A replication controller for the pods with these labels."""
    spec = MapSelectorSpec(selector=dict(selects))
    return ReplicationController(metadata=_meta(name, namespace), spec=spec)


def make_replicaset(
    name: str, selects: Selects | None, namespace: str = "default", expressions: Iterable[Expression] = ()
) -> ReplicaSet:
    """A replica set for the pods that are selected."""
    spec = LabelSelectorSpec(selector=selector(selects, expressions))
    return ReplicaSet(metadata=_meta(name, namespace), spec=spec)


def make_statefulset(
    name: str, selects: Selects | None, namespace: str = "default", expressions: Iterable[Expression] = ()
) -> StatefulSet:
    """A stateful set for the pods that are selected."""
    spec = LabelSelectorSpec(selector=selector(selects, expressions))
    return StatefulSet(metadata=_meta(name, namespace), spec=spec)


def make_pdb(
    name: str,
    selects: Selects | None = None,
    namespace: str = "default",
    *,
    allowed: int = 0,
    disrupted: Mapping[str, str] | None = None,
) -> PodDisruptionBudget:
    """A budget that allows so many disruptions now; it selects everything unless told otherwise."""
    return PodDisruptionBudget(
        metadata=_meta(name, namespace),
        spec=PodDisruptionBudgetSpec(selector=selector(selects) if selects is not None else LabelSelector()),
        status=PodDisruptionBudgetStatus(disruptions_allowed=allowed, disrupted_pods=dict(disrupted or {})),
    )


def make_namespace(name: str, labels: Mapping[str, str] | None = None) -> Namespace:
    """A namespace; its labels are what pod affinity reads."""
    own = {"kubernetes.io/metadata.name": name, **(labels or {})}
    return Namespace(metadata=ObjectMeta(name=name, uid=name, labels=own))


def _meta(name: str, namespace: str) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=namespace, uid=f"{namespace}/{name}")
