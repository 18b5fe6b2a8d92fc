"""Priority classes.

The rules of pkg/apis/scheduling/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.kinds.field_errors import IMMUTABLE, forbidden, invalid, not_supported
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

HIGHEST_OF_USERS = 1_000_000_000
SYSTEM_CLASSES: Mapping[str, int] = {
    "system-node-critical": 2_000_001_000,
    "system-cluster-critical": 2_000_000_000,
}
_POLICIES = ("PreemptLowerPriority", "Never")


class PriorityClassKind(Kind):
    """Priority classes: their value is for ever."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        item.setdefault("preemptionPolicy", "PreemptLowerPriority")
        item.setdefault("value", 0)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        errors = []
        if item.get("value") != old.get("value"):
            errors.append(forbidden("value", "may not be changed in an update."))
        policy = item.get("preemptionPolicy")
        if policy != old.get("preemptionPolicy"):
            errors.append(invalid("preemptionPolicy", policy, IMMUTABLE))
        return errors

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        return [
            item["metadata"]["name"],
            item.get("value") or 0,
            bool(item.get("globalDefault")),
            age_of(item, now),
            item.get("preemptionPolicy") or "",
        ]


def _validate(item: Mapping[str, Any]) -> Iterator[FieldError]:
    name, value = item["metadata"].get("name") or "", item.get("value") or 0
    if name.startswith("system-"):
        if why := _not_of_the_system(name, value, is_default=bool(item.get("globalDefault"))):
            reserved = "priority class names with 'system-' prefix are reserved for system use only"
            yield forbidden("metadata.name", f"{reserved}. error: {why}")
    elif value > HIGHEST_OF_USERS:
        why = f"maximum allowed value of a user defined priority is {HIGHEST_OF_USERS}"
        yield forbidden("value", why)
    policy = item.get("preemptionPolicy")
    if policy is not None and policy not in _POLICIES:
        yield not_supported("preemptionPolicy", policy, _POLICIES)


def _not_of_the_system(name: str, value: int, *, is_default: bool) -> str:
    known = SYSTEM_CLASSES.get(name)
    if known is None:
        return f"{name} is not a known system priority class"
    if known != value:
        return f"value of {name} PriorityClass must be {known}"
    return f"globalDefault of {name} PriorityClass must be false" if is_default else ""


PRIORITY_CLASSES = PriorityClassKind(
    Names(
        "PriorityClass",
        "priorityclasses",
        "priorityclass",
        group="scheduling.k8s.io",
        short=("pc",),
        namespaced=False,
    ),
    schema="io.k8s.api.scheduling.v1.PriorityClass",
    generation=True,
    columns=(
        NAME,
        Column("Value", "integer"),
        Column("Global-Default", "boolean"),
        AGE,
        *shown("PreemptionPolicy"),
    ),
)
