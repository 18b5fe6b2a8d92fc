"""What the server says when it refuses: errors with the `Status` body that Kubernetes gives.

Wordings and shapes are those of apimachinery/pkg/api/errors/errors.go and
apimachinery/pkg/util/validation/field/errors.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nominee.errors import (
    API_ERRORS,
    ApiError,
    TooManyRequests,
)


@dataclass(frozen=True, slots=True)
class FieldError:
    """One thing that is wrong with a field: what Kubernetes calls a cause.

    reason   FieldValueInvalid, FieldValueRequired, FieldValueNotSupported, FieldValueForbidden,
             FieldValueDuplicate, FieldValueNotFound, FieldValueTooLong, FieldValueTooMany or
             FieldValueTypeInvalid
    message  as users read it, without the field: 'Invalid value: "x": must be …'
    """

    field: str
    reason: str
    message: str


def refusal(
    code: int,
    reason: str,
    message: str,
    *,
    details: dict[str, Any] | None = None,
    retry_after: int | None = None,
) -> ApiError:
    """Any refusal, with its Status."""
    body: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": message,
        "reason": reason,
        "code": code,
    }
    if retry_after is not None:
        details = {**(details or {}), "retryAfterSeconds": retry_after}
    if details is not None:
        body["details"] = details
    if code == 429:
        return TooManyRequests(code, message, retry_after, body)
    return API_ERRORS.get(code, ApiError)(code, message, body)


def _details(resource: str, name: str, **more: Any) -> dict[str, Any]:
    """`resource` is qualified: plural, and its group behind a dot."""
    plural, _, group = resource.partition(".")
    named = {"name": name, "group": group, "kind": plural, **more}
    return {key: value for key, value in named.items() if value}


def not_found(resource: str, name: str) -> ApiError:
    """404: there is no such object."""
    return refusal(404, "NotFound", f'{resource} "{name}" not found', details=_details(resource, name))


def already_exists(resource: str, name: str) -> ApiError:
    """409: there is one of this name."""
    return refusal(
        409, "AlreadyExists", f'{resource} "{name}" already exists', details=_details(resource, name)
    )


def conflict(resource: str, name: str, why: str) -> ApiError:
    """409; `why` is the cause, a sentence."""
    message = f'Operation cannot be fulfilled on {resource} "{name}": {why}'
    return refusal(409, "Conflict", message, details=_details(resource, name))


def forbidden(resource: str, name: str, why: str) -> ApiError:
    """403; `why` is the cause, a sentence."""
    named = f' "{name}"' if name else ""
    return refusal(
        403, "Forbidden", f"{resource}{named} is forbidden: {why}", details=_details(resource, name)
    )


def invalid(kind: str, group: str, name: str, errors: Sequence[FieldError]) -> ApiError:
    """422 for all that is wrong with an object, told once; several errors as Kubernetes' aggregate does."""
    errors = tuple(dict.fromkeys(errors))
    causes = [{"reason": e.reason, "message": e.message, "field": e.field} for e in errors]
    texts = [f"{error.field}: {error.message}" for error in errors]
    told = texts[0] if len(texts) == 1 else "[" + ", ".join(texts) + "]"
    qualified = f"{kind}.{group}" if group else kind
    details = {key: value for key, value in {"name": name, "group": group, "kind": kind}.items() if value}
    return refusal(
        422, "Invalid", f'{qualified} "{name}" is invalid: {told}', details={**details, "causes": causes}
    )


def bad_request(why: str) -> ApiError:
    """400: the request makes no sense."""
    return refusal(400, "BadRequest", why)
