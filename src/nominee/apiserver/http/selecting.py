"""Label and field selectors of a request, as one question about a stored object."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from nominee.apiserver.http.call import Call
from nominee.apiserver.kind import JsonObject, Kind
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import quoted
from nominee.apiserver.status import bad_request
from nominee.errors import InputError
from nominee.model.selector_syntax import FieldSelector, parse_field_selector, parse_label_terms
from nominee.model.selectors import Selector, parse_int64, requirement, selector_of
from nominee.store.ports import Stored

T = TypeVar("T")

_PLAIN = ("metadata.name", "metadata.namespace")


@dataclass(frozen=True, slots=True)
class Selection:
    """What a list or a watch is about. `name` is set if only the object of that name can be meant."""

    kind: Kind
    labels: Selector | None
    fields: FieldSelector | None
    name: str = ""

    @property
    def everything(self) -> bool:
        return self.labels is None and self.fields is None

    def selects(self, stored: Stored) -> bool:
        """Whether an object is among them."""
        item: JsonObject = stored.object
        if self.labels is not None and not self.labels.matches(item["metadata"].get("labels") or {}):
            return False
        return self.fields is None or self.fields.matches(self.kind.fields(item))


def selection_of(call: Call) -> Selection:
    """The selectors of a request; raises 400 in Kubernetes' words."""
    if not call.request.query and not call.place.name:
        return Selection(call.kind, None, None)
    labels = _parsed(_labels, call.request.first("labelSelector"))
    text = call.request.first("fieldSelector")
    if call.place.name:  # the old way to watch one object
        text = f"{text},metadata.name={call.place.name}" if text else f"metadata.name={call.place.name}"
    fields = _parsed(_fields, text)
    if fields is not None:
        _check_fields(call.kind, call.place.api_version, fields)
    return Selection(call.kind, labels, fields, _name(fields))


def _parsed(parse: Callable[[str], T], text: str) -> T | None:
    if not text.strip():
        return None
    try:
        return parse(text)
    except InputError as error:
        raise bad_request(str(error)) from None


@lru_cache(maxsize=256)
def _labels(text: str) -> Selector:
    terms = parse_label_terms(text)
    for term in terms:
        _check_term(*term)
    return selector_of(requirement(*term) for term in terms)


def _check_term(key: str, operator: str, values: list[str]) -> None:
    """Refuse a condition in Kubernetes' words: apimachinery/pkg/labels/selector.go, NewRequirement, v1.37."""
    faults = [_fault("<nil>", key, fault) for fault in syntax.label_key(key)]
    if not faults:
        named = (_value_faults(key, operator, row, value) for row, value in enumerate(values))
        faults = [fault for of_value in named for fault in of_value]
    if faults:
        told = faults[0] if len(faults) == 1 else f"[{', '.join(faults)}]"
        raise InputError(f"unable to parse requirement: {told}")


def _value_faults(key: str, operator: str, row: int, value: str) -> Iterator[str]:
    if operator in ("Gt", "Lt") and parse_int64(value) is None:
        yield _fault(f"values[{row}]", value, "for 'Gt', 'Lt' operators, the value must be an integer")
    for fault in syntax.label_value(value):
        yield _fault(f"values[{row}][{key}]", value, fault)


def _fault(place: str, value: str, why: str) -> str:
    return f"{place}: Invalid value: {quoted(value)}: {why}"


def _fields(text: str) -> FieldSelector:
    return parse_field_selector(text)


def _check_fields(kind: Kind, api_version: str, fields: FieldSelector) -> None:
    known = kind.selectable(api_version)
    for wanted in fields.requirements:
        label = wanted.field
        if label in known and (kind.names.namespaced or label != "metadata.namespace"):
            continue
        if set(known) <= set(_PLAIN):
            raise bad_request(
                f'"{label}" is not a known field selector: only "metadata.name", "metadata.namespace"'
            )
        raise bad_request(f"field label not supported: {label}")


def _name(fields: FieldSelector | None) -> str:
    for wanted in fields.requirements if fields else ():
        if wanted.field == "metadata.name" and wanted.equal:
            return wanted.value
    return ""
