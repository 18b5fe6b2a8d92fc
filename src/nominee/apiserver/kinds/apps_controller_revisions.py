"""Controller revisions: what a template was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.kinds.apps_shared import immutable, nonnegative
from nominee.apiserver.kinds.field_errors import required
from nominee.apiserver.kinds.table import AGE, NAME, NONE, age_of
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored


@dataclass(frozen=True, slots=True)
class ControllerRevisionKind(Kind):
    """Rules of pkg/apis/apps/validation/validation.go, v1.37: data that never changes."""

    columns: tuple[Column, ...] = (
        NAME,
        Column("Controller", description="Controller of the object"),
        Column("Revision"),
        AGE,
    )

    def default(self, item: JsonObject) -> None:
        item.setdefault("revision", 0)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        errors = nonnegative(item, "revision", "")
        data = item.get("data")
        if data is None:
            errors.append(required("data", "data is mandatory"))
        elif not isinstance(data, dict):
            errors.append(required("data", "data must be a valid JSON object"))
        return errors

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*nonnegative(item, "revision", ""), *immutable(item.get("data"), old.get("data"), "data")]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        return [item["metadata"]["name"], _controller(item), item.get("revision", 0), age_of(item, now)]


def _controller(item: JsonObject) -> str:
    for reference in item["metadata"].get("ownerReferences") or ():
        if reference.get("controller"):
            group = reference["apiVersion"].rpartition("/")[0]
            kind = reference["kind"].lower()
            return f"{kind}.{group}/{reference['name']}" if group else f"{kind}/{reference['name']}"
    return NONE


CONTROLLER_REVISIONS = ControllerRevisionKind(
    Names("ControllerRevision", "controllerrevisions", "controllerrevision", group="apps"),
    schema="io.k8s.api.apps.v1.ControllerRevision",
)
