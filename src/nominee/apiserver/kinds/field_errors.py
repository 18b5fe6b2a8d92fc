"""What can be wrong with a field, as one line each, in the words that Kubernetes uses.

Shapes and wordings are those of apimachinery/pkg/util/validation/field/errors.go, v1.37.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from nominee.apiserver.status import FieldError

IMMUTABLE = "field is immutable"
NEGATIVE = "must be greater than or equal to 0"

_ESCAPES = {
    '"': '\\"', "\\": "\\\\", "\a": "\\a", "\b": "\\b", "\f": "\\f",
    "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v",
}  # fmt: skip


def required(path: str, detail: str = "") -> FieldError:
    """The field must be there."""
    return FieldError(path, "FieldValueRequired", _with_detail("Required value", detail))


def invalid(path: str, value: Any, detail: str) -> FieldError:
    """The value is malformed or out of bounds."""
    return FieldError(path, "FieldValueInvalid", _with_detail(f"Invalid value: {shown(value)}", detail))


def duplicate(path: str, value: Any) -> FieldError:
    """Another has the same value already."""
    return FieldError(path, "FieldValueDuplicate", f"Duplicate value: {shown(value)}")


def forbidden(path: str, detail: str = "") -> FieldError:
    """The field may not be set, or not be changed, here and now."""
    return FieldError(path, "FieldValueForbidden", _with_detail("Forbidden", detail))


def not_supported(path: str, value: Any, allowed: Iterable[str]) -> FieldError:
    """The value is none of those that there are."""
    known = ", ".join(quoted(word) for word in allowed)
    detail = f"supported values: {known}" if known else ""
    return FieldError(
        path, "FieldValueNotSupported", _with_detail(f"Unsupported value: {shown(value)}", detail)
    )


def not_found(path: str, value: Any) -> FieldError:
    """What the value names does not exist."""
    return FieldError(path, "FieldValueNotFound", f"Not found: {shown(value)}")


def too_long(path: str, limit: int) -> FieldError:
    """The text has more bytes than it may."""
    unit = "byte" if limit == 1 else "bytes"
    return FieldError(path, "FieldValueTooLong", f"Too long: may not be more than {limit} {unit}")


def too_many(path: str, actual: int, limit: int) -> FieldError:
    """The list has more items than it may."""
    unit = "item" if limit == 1 else "items"
    return FieldError(path, "FieldValueTooMany", f"Too many: {actual}: must have at most {limit} {unit}")


class GoStruct(dict[str, Any]):
    """A value that an error shows in the order of Go's fields; a mapping is shown in that of its keys."""


def label_selector(selector: Any) -> Any:
    """A selector as errors show it."""
    if not isinstance(selector, dict):
        return selector
    shown_in_order = GoStruct({name: selector[name] for name in _SELECTOR if selector.get(name)})
    if "matchExpressions" in shown_in_order:
        expressions = shown_in_order["matchExpressions"]
        shown_in_order["matchExpressions"] = [
            GoStruct({"key": "", "operator": "", **{name: one[name] for name in _REQUIREMENT if name in one}})
            for one in expressions
        ]
    return shown_in_order


_SELECTOR = ("matchLabels", "matchExpressions")
_REQUIREMENT = ("key", "operator", "values")


def _with_detail(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def shown(value: Any) -> str:
    """A value as an error shows it: text quoted as Go does, all else as JSON."""
    if isinstance(value, str):
        return quoted(value)
    text = json.dumps(_in_order(value), separators=(",", ":"), ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def _in_order(value: Any) -> Any:
    if isinstance(value, dict):
        names = value if isinstance(value, GoStruct) else sorted(value)
        return {name: _in_order(value[name]) for name in names}
    return [_in_order(item) for item in value] if isinstance(value, list | tuple) else value


def quoted(text: str) -> str:
    """Text in double quotes, as Go's `%q` writes it."""
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return '"' + "".join(_ESCAPES.get(char) or _escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    code = ord(char)
    if char.isprintable():
        return char
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
