"""What the kinds that make pods share: selectors, cells, defaults, the status they begin with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import msgspec

from nominee.apiserver.kind import Column, Context, JsonObject, Kind
from nominee.apiserver.kinds.field_errors import IMMUTABLE, NEGATIVE, invalid
from nominee.apiserver.kinds.table import NONE
from nominee.apiserver.status import FieldError
from nominee.errors import InputError
from nominee.model.meta import LabelSelector
from nominee.model.selectors import Requirement, Selector, label_selector

WIDE_TEMPLATE = (
    Column("Containers", priority=1, description="Names of each container in the template."),
    Column("Images", priority=1, description="Images referenced by each container in the template."),
)
WIDE_SELECTOR = (*WIDE_TEMPLATE, Column("Selector", priority=1))


@dataclass(frozen=True, slots=True)
class WorkloadKind(Kind):
    """A kind whose status only its controller writes, and whose generation counts changes of its spec."""

    generation: bool = True

    def first_status(self) -> JsonObject:
        """The status of a new object: the fields that are written even when they are nothing."""
        return {}

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = self.first_status()

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        """Only the specification is out of reach, unlike metadata: revisions are annotations.

        Reproduces the PrepareForUpdate of status strategies in pkg/registry/{apps,batch,policy}, v1.37.
        """
        if "spec" in old:
            item["spec"] = old["spec"]
        else:
            item.pop("spec", None)
        item["metadata"] = {**item["metadata"], "generation": old["metadata"].get("generation", 1)}


def nonnegative(tree: Mapping[str, Any], name: str, path: str) -> list[FieldError]:
    """What is wrong with a number that may be absent and may not be negative."""
    value = tree.get(name)
    if value is None or value >= 0:
        return []
    return [invalid(f"{path}.{name}" if path else name, value, NEGATIVE)]


def immutable(value: Any, old: Any, path: str) -> list[FieldError]:
    """What is wrong with a field that may not change."""
    return [] if value == old else [invalid(path, value, IMMUTABLE)]


def compiled(tree: JsonObject | None) -> Selector | None:
    """A label selector as it stands in an object; None where it is malformed."""
    try:
        return label_selector(None if tree is None else msgspec.convert(tree, LabelSelector))
    except (InputError, msgspec.ValidationError):
        return None


def selector_text(tree: JsonObject | None, *, empty: str = NONE, malformed: str = "<error>") -> str:
    """A label selector as people write it: `app=web,tier in (a,b)`.

    Reproduces FormatLabelSelector of apimachinery/pkg/apis/meta/v1/helpers.go, v1.37.
    """
    selector = compiled(tree)
    if selector is None:
        return malformed
    plain = frozenset((tree or {}).get("matchLabels") or {})
    return ",".join(_requirement_text(item, plain) for item in selector.requirements) or empty


def _requirement_text(requirement: Requirement, plain: frozenset[str]) -> str:
    """An `in` with one value that stands among `matchLabels` is an equality."""
    key, values = requirement.key, ",".join(requirement.values)
    match requirement.operator:
        case "In" if len(requirement.values) == 1 and key in plain:
            return f"{key}={values}"
        case "In":
            return f"{key} in ({values})"
        case "NotIn":
            return f"{key} notin ({values})"
        case "Exists":
            return key
        case _:
            return f"!{key}"


def template_cells(template: JsonObject | None) -> list[Any]:
    """Names and images of a template's containers."""
    containers = ((template or {}).get("spec") or {}).get("containers") or ()
    return [
        ",".join(container.get("name", "") for container in containers),
        ",".join(container.get("image", "") for container in containers),
    ]


def status_of(item: JsonObject) -> JsonObject:
    """The status, or an empty one."""
    return item.get("status") or {}


def default_into(tree: JsonObject, **values: Any) -> None:
    """Set the fields that are missing."""
    for name, value in values.items():
        if tree.get(name) is None:
            tree[name] = value
