"""What a list or a watch asks for, checked.

apimachinery/pkg/apis/meta/internalversion/validation/validation.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass

from nominee.apiserver.http.message import Request
from nominee.apiserver.http.parameters import integer, not_supported, truth
from nominee.apiserver.status import FieldError, bad_request, invalid, refusal
from nominee.errors import ApiError

EXACT = "Exact"
NOT_OLDER = "NotOlderThan"
_LARGEST = 2**64


@dataclass(frozen=True, slots=True)
class ListOptions:
    """version is None where none was given; initial_events is None where nothing was said."""

    watch: bool = False
    version: int | None = None
    match: str = ""
    limit: int = 0
    token: str = ""
    timeout: int | None = None
    bookmarks: bool = False
    initial_events: bool | None = None


_NONE = ListOptions()


def list_options(request: Request, *, watch: bool) -> ListOptions:
    """Read them out of a query; raises 400 or 422."""
    if not request.query:
        return ListOptions(watch=True) if watch else _NONE
    initial = truth(request, "sendInitialEvents") if "sendInitialEvents" in request.query else None
    _check(request, watch=watch, initial=initial is not None)
    return ListOptions(
        watch=watch,
        version=version_of(request.first("resourceVersion"), "" if watch else "invalid resource version: "),
        match=request.first("resourceVersionMatch"),
        limit=max(integer(request, "limit") or 0, 0),
        token=request.first("continue"),
        timeout=integer(request, "timeoutSeconds"),
        bookmarks=truth(request, "allowWatchBookmarks"),
        initial_events=initial,
    )


def version_of(text: str, prefix: str = "") -> int | None:
    """A resourceVersion of a query; `prefix` begins the complaint if it is none."""
    if not text:
        return None
    if not (text.isascii() and text.isdigit()):
        raise _bad_version(text, f"{prefix}resourceVersion", "invalid syntax")
    if len(text) > 25 or int(text) >= _LARGEST:
        raise _bad_version(text, f"{prefix}resourceVersion", "value out of range")
    return int(text)


def _bad_version(text: str, what: str, why: str) -> ApiError:
    return bad_request(f'{what}: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": {why}')


def _check(request: Request, *, watch: bool, initial: bool) -> None:
    errors = _watch_errors(request, initial=initial) if watch else _list_errors(request, initial=initial)
    if errors:
        raise invalid("ListOptions", "meta.k8s.io", "", errors)


def _forbidden(field: str, why: str) -> FieldError:
    return FieldError(field, "FieldValueForbidden", f"Forbidden: {why}")


def _list_errors(request: Request, *, initial: bool) -> list[FieldError]:
    match = request.first("resourceVersionMatch")
    version = request.first("resourceVersion")
    errors = []
    field = "resourceVersionMatch"
    if match and not version:
        errors.append(_forbidden(field, f"{field} is forbidden unless resourceVersion is provided"))
    if match and request.first("continue"):
        errors.append(_forbidden(field, f"{field} is forbidden when continue is provided"))
    if match and match not in (EXACT, NOT_OLDER):
        errors.append(not_supported(field, match, (EXACT, NOT_OLDER, "")))
    if match == EXACT and version == "0":
        errors.append(_forbidden(field, f'{field} "exact" is forbidden for resourceVersion "0"'))
    if initial:
        errors.append(_forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"))
    return errors


def _watch_errors(request: Request, *, initial: bool) -> list[FieldError]:
    match = request.first("resourceVersionMatch")
    field = "resourceVersionMatch"
    errors = []
    if initial and match != NOT_OLDER:
        errors.append(_forbidden(field, f"sendInitialEvents requires setting {field} to {NOT_OLDER}"))
    if match and not initial:
        errors.append(
            _forbidden(field, f"{field} is forbidden for watch unless sendInitialEvents is provided")
        )
    if match and match != NOT_OLDER:
        errors.append(not_supported(field, match, (NOT_OLDER,)))
    if match and request.first("continue"):
        errors.append(_forbidden(field, f"{field} is forbidden when continue is provided"))
    return errors


def too_new(version: int, current: int) -> ApiError:
    """504: nobody has seen this version yet.

    apiserver/pkg/storage/errors.go, NewTooLargeResourceVersionError, v1.37.
    """
    return refusal(
        504,
        "Timeout",
        f"Timeout: Too large resource version: {version}, current: {current}",
        details={
            "causes": [{"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}],
            "retryAfterSeconds": 1,
        },
    )
