"""What label selectors in objects may look like.

The rules of apimachinery/pkg/apis/meta/v1/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import forbidden, invalid, required
from nominee.apiserver.kinds.metadata import validate_labels
from nominee.apiserver.status import FieldError


def validate_label_selector(selector: Mapping[str, Any] | None, path: str) -> Iterator[FieldError]:
    """What is wrong with a selector of labels."""
    if not selector:
        return
    yield from validate_labels(selector.get("matchLabels") or {}, f"{path}.matchLabels")
    for position, expression in enumerate(selector.get("matchExpressions") or ()):
        yield from _validate_requirement(expression, f"{path}.matchExpressions[{position}]")


def _validate_requirement(requirement: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    operator = requirement.get("operator") or ""
    values = requirement.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            yield forbidden(
                f"{path}.values", "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            )
    else:
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    key = requirement.get("key") or ""
    for fault in syntax.label_key(key):
        yield invalid(f"{path}.key", key, fault)
    for position, value in enumerate(values):
        for fault in syntax.label_value(value):
            yield invalid(f"{path}.values[{position}]", value, fault)
