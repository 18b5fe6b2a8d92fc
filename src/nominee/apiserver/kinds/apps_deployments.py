"""Deployments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Names
from nominee.apiserver.kinds import apps_templates as templates
from nominee.apiserver.kinds.apps_rolling import validate_deployment_strategy
from nominee.apiserver.kinds.apps_shared import (
    WIDE_SELECTOR,
    WorkloadKind,
    default_into,
    immutable,
    nonnegative,
    selector_text,
    status_of,
    template_cells,
)
from nominee.apiserver.kinds.apps_status import CEILINGS, validate_counters, validate_not_decremented
from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.kinds.table import AGE, NAME, age_of
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

COUNTERS = (
    "observedGeneration",
    "replicas",
    "updatedReplicas",
    "readyReplicas",
    "availableReplicas",
    "unavailableReplicas",
    "terminatingReplicas",
    "collisionCount",
)


@dataclass(frozen=True, slots=True)
class DeploymentKind(WorkloadKind):
    """Rules of pkg/apis/apps/{v1/defaults.go,validation/validation.go}, v1.37."""

    columns: tuple[Column, ...] = (
        NAME,
        Column("Ready", description="Number of the pod with ready state"),
        Column("Up-to-date"),
        Column("Available"),
        AGE,
        *WIDE_SELECTOR,
    )

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        templates.default_template(spec)
        default_into(spec, replicas=1, revisionHistoryLimit=10, progressDeadlineSeconds=600, strategy={})
        strategy = spec["strategy"]
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            default_into(strategy, rollingUpdate={})
            default_into(strategy["rollingUpdate"], maxUnavailable="25%", maxSurge="25%")

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        spec = item["spec"]
        return [
            *nonnegative(spec, "replicas", "spec"),
            *templates.validate_selected_template(spec, "deployment", "ReplicaSet"),
            *validate_deployment_strategy(spec["strategy"], "spec.strategy"),
            *nonnegative(spec, "minReadySeconds", "spec"),
            *nonnegative(spec, "revisionHistoryLimit", "spec"),
            *_validate_deadline(spec),
        ]

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [
            *self.validate(item),
            *immutable(item["spec"].get("selector"), old["spec"].get("selector"), "spec.selector"),
        ]

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        WorkloadKind.prepare_status(self, item, old, context)
        metadata = item["metadata"]
        metadata.pop("labels", None)
        if "labels" in old["metadata"]:
            metadata["labels"] = old["metadata"]["labels"]

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        status = status_of(item)
        return [
            *validate_counters(status, COUNTERS, CEILINGS["deployment"]),
            *validate_not_decremented(status, status_of(old)),
        ]

    def counted(self, item: JsonObject) -> JsonObject:
        """Annotations, too (pkg/registry/apps/deployment/strategy.go, v1.37)."""
        return {**WorkloadKind.counted(self, item), "annotations": item["metadata"].get("annotations") or {}}

    def warnings(self, item: JsonObject) -> Sequence[str]:
        return [*templates.name_warnings(item), *templates.template_warnings(item)]

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        return templates.changed_template_warnings(item, old)

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item["spec"], status_of(item)
        return [
            item["metadata"]["name"],
            f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
            status.get("updatedReplicas", 0),
            status.get("availableReplicas", 0),
            age_of(item, now),
            *template_cells(spec.get("template")),
            selector_text(spec.get("selector"), empty="", malformed="<invalid>"),
        ]


def _validate_deadline(spec: JsonObject) -> list[FieldError]:
    deadline = spec["progressDeadlineSeconds"]
    errors = nonnegative(spec, "progressDeadlineSeconds", "spec")
    if deadline <= spec.get("minReadySeconds", 0):
        place = "spec.progressDeadlineSeconds"
        errors.append(invalid(place, deadline, "must be greater than minReadySeconds"))
    return errors


DEPLOYMENTS = DeploymentKind(
    Names("Deployment", "deployments", "deployment", group="apps", short=("deploy",), categories=("all",)),
    schema="io.k8s.api.apps.v1.Deployment",
    subresources=("status", "scale"),
)
