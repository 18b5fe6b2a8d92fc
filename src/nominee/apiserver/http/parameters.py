"""Query parameters, with the errors that Kubernetes gives for wrong ones.

apimachinery/pkg/runtime/conversion.go and pkg/apis/meta/v1/validation/validation.go, v1.37.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from nominee.apiserver.http.message import Request
from nominee.apiserver.kinds.field_errors import invalid as invalid_value
from nominee.apiserver.status import FieldError, bad_request, invalid

_INTEGER = re.compile(r"[+-]?[0-9]+")
_MOST = 2**63
_LONGEST_MANAGER = 128
FIELD_VALIDATION = ("", "Ignore", "Strict", "Warn")


def truth(request: Request, name: str) -> bool:
    """A flag: there and neither 0 nor false."""
    values = request.query.get(name)
    return values is not None and values[0].lower() not in ("0", "false")


def integer(request: Request, name: str) -> int | None:
    """A number of 64 bits."""
    values = request.query.get(name)
    if not values:
        return None
    if not _INTEGER.fullmatch(values[0]):
        raise bad_request(f'strconv.ParseInt: parsing "{values[0]}": invalid syntax')
    number = int(values[0]) if len(values[0]) < 25 else _MOST
    if not -_MOST <= number < _MOST:
        raise bad_request(f'strconv.ParseInt: parsing "{values[0]}": value out of range')
    return number


def not_supported(field: str, value: str, allowed: tuple[str, ...]) -> FieldError:
    """A value that is none of those that there are."""
    listed = ", ".join(f'"{choice}"' for choice in allowed)
    return FieldError(
        field, "FieldValueNotSupported", f'Unsupported value: "{value}": supported values: {listed}'
    )


def write_options(request: Request, options: str) -> tuple[str, bool, str]:
    """Field manager, dry run and field validation of a write; `options` is the type they belong to."""
    query = request.query
    if not query:
        return agent(request.headers.get("user-agent", "")), False, "Warn"
    errors: list[FieldError] = []
    manager = request.first("fieldManager")
    _check_manager(manager, errors)
    dry_run = is_dry_run(query.get("dryRun"), errors)
    validation = request.first("fieldValidation")
    if validation not in FIELD_VALIDATION:
        errors.append(not_supported("fieldValidation", validation, FIELD_VALIDATION))
    if errors:
        raise invalid(options, "meta.k8s.io", "", errors)
    return manager or agent(request.headers.get("user-agent", "")), dry_run, validation or "Warn"


def is_dry_run(values: list[str] | None, errors: list[FieldError]) -> bool:
    """Whether it is not in earnest: "All" is the one way to say so."""
    wrong = [value for value in values or () if value != "All"]
    if wrong:
        told = f'Unsupported value: {json.dumps(values)}: supported values: "All"'
        errors.append(FieldError("dryRun", "FieldValueNotSupported", told))
    return bool(values)


def _check_manager(manager: str, errors: list[FieldError]) -> None:
    if len(manager) > _LONGEST_MANAGER:
        told = f"Too long: may not be more than {_LONGEST_MANAGER} bytes"
        errors.append(FieldError("fieldManager", "FieldValueTooLong", told))
    for row, letter in enumerate(manager):
        if not letter.isprintable():
            told = f"invalid character U+{ord(letter):04X} (at position {row})"
            errors.append(invalid_value("fieldManager", manager, told))


@lru_cache(maxsize=256)
def agent(user_agent: str) -> str:
    """The field manager of a client that names none.

    apiserver/pkg/endpoints/handlers/create.go, prefixFromUserAgent, v1.37.
    """
    prefix = user_agent.partition("/")[0]
    return "".join(letter for letter in prefix if letter.isprintable())[:_LONGEST_MANAGER] or "unknown"
