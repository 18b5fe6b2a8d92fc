"""Replica sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Names
from nominee.apiserver.kinds import apps_templates as templates
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
from nominee.apiserver.kinds.apps_status import CEILINGS, validate_counters
from nominee.apiserver.kinds.table import AGE, NAME, age_of
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

COUNTERS = (
    "replicas",
    "fullyLabeledReplicas",
    "readyReplicas",
    "availableReplicas",
    "observedGeneration",
    "terminatingReplicas",
)


@dataclass(frozen=True, slots=True)
class ReplicatedKind(WorkloadKind):
    """What replica sets and replication controllers have in common."""

    columns: tuple[Column, ...] = (
        NAME,
        Column("Desired", "integer"),
        Column("Current", "integer"),
        Column("Ready", "integer"),
        AGE,
        *WIDE_SELECTOR,
    )

    def first_status(self) -> JsonObject:
        return {"replicas": 0}

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        metadata = item["metadata"]
        return {
            "metadata.name": metadata["name"],
            "metadata.namespace": metadata.get("namespace", ""),
            "status.replicas": str(status_of(item).get("replicas", 0)),
        }

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return validate_counters(status_of(item), COUNTERS, CEILINGS["replica set"])

    def warnings(self, item: JsonObject) -> Sequence[str]:
        return [*templates.name_warnings(item), *templates.template_warnings(item)]

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        return templates.changed_template_warnings(item, old)

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item["spec"], status_of(item)
        return [
            item["metadata"]["name"],
            spec.get("replicas", 0),
            status.get("replicas", 0),
            status.get("readyReplicas", 0),
            age_of(item, now),
            *template_cells(spec.get("template")),
            self.selector_cell(spec),
        ]

    def selector_cell(self, spec: JsonObject) -> str:
        """The selector as people write it."""
        return selector_text(spec.get("selector"))


@dataclass(frozen=True, slots=True)
class ReplicaSetKind(ReplicatedKind):
    """Rules of pkg/apis/apps/validation/validation.go, v1.37."""

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        templates.default_template(spec)
        default_into(spec, replicas=1)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        spec = item["spec"]
        return [
            *nonnegative(spec, "replicas", "spec"),
            *nonnegative(spec, "minReadySeconds", "spec"),
            # Upstream says "deployment" of replica sets too.
            *templates.validate_selected_template(spec, "deployment", "ReplicaSet"),
        ]

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [
            *self.validate(item),
            *immutable(item["spec"].get("selector"), old["spec"].get("selector"), "spec.selector"),
        ]


REPLICA_SETS = ReplicaSetKind(
    Names("ReplicaSet", "replicasets", "replicaset", group="apps", short=("rs",), categories=("all",)),
    schema="io.k8s.api.apps.v1.ReplicaSet",
    subresources=("status", "scale"),
)
