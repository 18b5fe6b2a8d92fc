"""Daemon sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Names
from nominee.apiserver.kinds import apps_templates as templates
from nominee.apiserver.kinds.apps_rolling import validate_daemon_set_strategy
from nominee.apiserver.kinds.apps_shared import (
    WIDE_SELECTOR,
    WorkloadKind,
    compiled,
    default_into,
    immutable,
    nonnegative,
    selector_text,
    status_of,
    template_cells,
)
from nominee.apiserver.kinds.apps_status import validate_counters, validate_not_decremented
from nominee.apiserver.kinds.table import AGE, NAME, age_of, labels_text
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

COUNTERS = (
    "currentNumberScheduled",
    "numberMisscheduled",
    "desiredNumberScheduled",
    "numberReady",
    "observedGeneration",
    "updatedNumberScheduled",
    "numberAvailable",
    "numberUnavailable",
    "collisionCount",
)
SHOWN = (
    "desiredNumberScheduled",
    "currentNumberScheduled",
    "numberReady",
    "updatedNumberScheduled",
    "numberAvailable",
)
TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


@dataclass(frozen=True, slots=True)
class DaemonSetKind(WorkloadKind):
    """Rules of pkg/apis/apps/{v1/defaults.go,validation/validation.go}, v1.37."""

    columns: tuple[Column, ...] = (
        NAME,
        *(Column(name, "integer") for name in ("Desired", "Current", "Ready", "Up-to-date", "Available")),
        Column("Node Selector"),
        AGE,
        *WIDE_SELECTOR,
    )

    def first_status(self) -> JsonObject:
        return {
            "currentNumberScheduled": 0,
            "numberMisscheduled": 0,
            "desiredNumberScheduled": 0,
            "numberReady": 0,
        }

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        templates.default_template(spec)
        default_into(spec, updateStrategy={}, revisionHistoryLimit=10)
        strategy = spec["updateStrategy"]
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
        if strategy["type"] == "RollingUpdate":
            default_into(strategy, rollingUpdate={})
            default_into(strategy["rollingUpdate"], maxUnavailable=1, maxSurge=0)

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        WorkloadKind.prepare_create(self, item, context)
        annotations = item["metadata"].setdefault("annotations", {})
        annotations.setdefault(TEMPLATE_GENERATION, "1")

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        """The generation of the template, which other versions had as a field, is an annotation.

        Reproduces the strategy in pkg/registry/apps/daemonset, and Convert_apps_DaemonSet_To_v1_DaemonSet
        of pkg/apis/apps/v1/conversion.go, v1.37.
        """
        WorkloadKind.prepare_update(self, item, old, context)
        generation = _template_generation(old)
        if item["spec"].get("template") != old["spec"].get("template"):
            generation += 1
        metadata = item["metadata"]
        metadata["annotations"] = {
            **(metadata.get("annotations") or {}),
            TEMPLATE_GENERATION: str(generation),
        }

    def warnings(self, item: JsonObject) -> Sequence[str]:
        return templates.template_warnings(item)

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        return templates.changed_template_warnings(item, old)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        spec = item["spec"]
        errors = templates.validate_selector(spec, "daemonset", optional=True)
        selector = compiled(spec.get("selector"))
        if selector is not None and not selector.matches(templates.labels_of(spec["template"])):
            errors.insert(0, templates.mismatch(spec["template"]))
        return [
            *errors,
            *templates.validate_lasting_template(spec["template"], "DaemonSet"),
            *nonnegative(spec, "minReadySeconds", "spec"),
            *validate_daemon_set_strategy(spec["updateStrategy"], "spec.updateStrategy"),
            *nonnegative(spec, "revisionHistoryLimit", "spec"),
        ]

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [
            *immutable(item["spec"].get("selector"), old["spec"].get("selector"), "spec.selector"),
            *self.validate(item),
        ]

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        status = status_of(item)
        return [*validate_counters(status, COUNTERS), *validate_not_decremented(status, status_of(old))]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item["spec"], status_of(item)
        return [
            item["metadata"]["name"],
            *(status.get(name, 0) for name in SHOWN),
            labels_text(spec["template"]["spec"].get("nodeSelector")),
            age_of(item, now),
            *template_cells(spec["template"]),
            selector_text(spec.get("selector")),
        ]


def _template_generation(item: JsonObject) -> int:
    text = (item["metadata"].get("annotations") or {}).get(TEMPLATE_GENERATION, "1")
    return int(text) if text.isdecimal() else 1


DAEMON_SETS = DaemonSetKind(
    Names("DaemonSet", "daemonsets", "daemonset", group="apps", short=("ds",), categories=("all",)),
    schema="io.k8s.api.apps.v1.DaemonSet",
    subresources=("status",),
)
