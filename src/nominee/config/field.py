"""Field errors in the words of Kubernetes, so that answers found for one tool fit the other.

staging/src/k8s.io/apimachinery/pkg/util/validation/field/errors.go, v1.37.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from nominee.config.duration import Duration
from nominee.config.encode import to_data
from nominee.errors import ConfigError


@dataclass(frozen=True, slots=True)
class FieldError:
    """What is wrong with one field; ``str()`` is Kubernetes' ``path: Kind: value: detail``."""

    field: str
    body: str

    def __str__(self) -> str:
        return f"{self.field}: {self.body}" if self.field else self.body


@dataclass(frozen=True, slots=True)
class FieldRef:
    """The path of another field, printed without quotes when it is the offending value."""

    path: str


class InvalidConfigurationError(ConfigError):
    """Every fault found in one configuration, in the order of the file."""

    def __init__(self, errors: Iterable[FieldError], source: str | None = None) -> None:
        self.errors = tuple(dict.fromkeys(errors))
        only = self.errors[0] if len(self.errors) == 1 else None
        super().__init__(
            only.body if only else aggregate(self.errors),
            source=source,
            field=only.field if only else None,
        )

    def lines(self) -> list[str]:
        """One line for each fault: file, field, value, what is allowed."""
        prefix = f"{self.source}: " if self.source else ""
        return [f"{prefix}{error}" for error in self.errors]


def aggregate(errors: Sequence[FieldError]) -> str:
    """Join errors as Go's aggregates do: ``[a, b]``, and a single one bare."""
    texts = [str(error) for error in errors]
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def required(path: str, detail: str = "") -> FieldError:
    """The field must be given."""
    return FieldError(path, _with_detail("Required value", detail))


def forbidden(path: str, detail: str) -> FieldError:
    """The field must not be given here."""
    return FieldError(path, _with_detail("Forbidden", detail))


def duplicate(path: str, value: object) -> FieldError:
    """The value occurs elsewhere and must be unique."""
    return FieldError(path, f"Duplicate value: {show(value)}")


def invalid(path: str, value: object, detail: str) -> FieldError:
    """The value is malformed or out of range."""
    return FieldError(path, _with_detail(f"Invalid value: {show(value)}", detail))


def not_found(path: str, value: object, detail: str) -> FieldError:
    """The value names something that does not exist."""
    return FieldError(path, _with_detail(f"Not found: {show(value)}", detail))


def not_supported(path: str, value: object, allowed: Iterable[str]) -> FieldError:
    """The value is not one of the allowed ones."""
    detail = "supported values: " + ", ".join(show(each) for each in allowed)
    return FieldError(path, _with_detail(f"Unsupported value: {show(value)}", detail))


def show(value: object) -> str:
    """A value as errors print it: paths bare, the rest as JSON, in which durations are text."""
    match value:
        case FieldRef():
            return value.path
        case Duration():
            return _json(str(value))
        case Struct() | tuple():
            return _json(to_data(value))
        case _:
            return _json(value)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def _with_detail(body: str, detail: str) -> str:
    return f"{body}: {detail}" if detail else body
