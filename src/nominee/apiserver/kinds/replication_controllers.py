"""Replication controllers: replica sets as they were first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nominee.apiserver.kind import Context, JsonObject, Names
from nominee.apiserver.kinds.apps_replica_sets import ReplicatedKind
from nominee.apiserver.kinds.apps_shared import default_into, nonnegative
from nominee.apiserver.kinds.apps_templates import (
    default_template,
    labels_of,
    mismatch,
    validate_lasting_template,
)
from nominee.apiserver.kinds.field_errors import required
from nominee.apiserver.kinds.table import labels_text
from nominee.apiserver.status import FieldError


@dataclass(frozen=True, slots=True)
class ReplicationControllerKind(ReplicatedKind):
    """Rules of pkg/apis/core/{v1/defaults.go,validation/validation.go}, v1.37."""

    field_labels: tuple[str, ...] = ("metadata.name", "metadata.namespace", "status.replicas")

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        if spec.get("template") is not None:
            default_template(spec)
            labels = labels_of(spec["template"])
            if labels and not spec.get("selector"):
                spec["selector"] = dict(labels)
            if labels and not item["metadata"].get("labels"):
                item["metadata"]["labels"] = dict(labels)
        default_into(spec, replicas=1)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        spec = item["spec"]
        selector, template = spec.get("selector"), spec.get("template")
        errors = nonnegative(spec, "minReadySeconds", "spec")
        if not selector:
            errors.append(required("spec.selector"))
        errors += nonnegative(spec, "replicas", "spec")
        if template is None:
            return [*errors, required("spec.template")]
        if selector and not selector.items() <= labels_of(template).items():
            errors.append(mismatch(template))
        return [*errors, *validate_lasting_template(template, "ReplicationController")]

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return self.validate(item)

    def selector_cell(self, spec: JsonObject) -> str:
        return labels_text(spec.get("selector"))


REPLICATION_CONTROLLERS = ReplicationControllerKind(
    Names(
        "ReplicationController",
        "replicationcontrollers",
        "replicationcontroller",
        short=("rc",),
        categories=("all",),
    ),
    schema="io.k8s.api.core.v1.ReplicationController",
    subresources=("status", "scale"),
    orphans=True,
)
