"""Objects out of bodies: of the kind that the path names, with types that fit, and fields that exist.

apiserver/pkg/endpoints/handlers/{create,update,rest}.go, v1.37.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.http.body import NotReadableError, media_type, read_tree, summary
from nominee.apiserver.http.call import Call
from nominee.apiserver.http.duplicates import duplicate_fields
from nominee.apiserver.http.message import Request
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.status import bad_request
from nominee.errors import ApiError

_GO_TYPES = {list: "array", str: "string", bool: "bool", int: "number", float: "number"}
_META = (
    "json: cannot unmarshal {} into Go value of type struct {{ APIVersion string "
    '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }}'
)


def read_object(call: Call, validation: str, warnings: list[str]) -> JsonObject:
    """The object in the body; `validation` is Ignore, Warn or Strict."""
    item = read_body(call.request, call.kind.names.kind)
    doubled = duplicate_fields(call.request, item) if validation != "Ignore" else []
    _check_kind(call, item)
    decoded, unknown = call.rest.rules.decode(call.kind, item)
    problems = [*doubled, *unknown]
    if problems and validation != "Ignore":
        _tell(call, problems, validation, warnings)
    return decoded


def read_body(request: Request, kind: str) -> JsonObject:
    """The tree in a body that is to be an object of this kind; raises 400 or 415."""
    try:
        tree = read_tree(request)
    except NotReadableError as error:
        problem = str(error)
        if media_type(request) in ("", "application/json"):
            problem = f"couldn't get version/kind; json parse error: {problem}"
        raise _unrecognized(request, kind, problem) from None
    if isinstance(tree, dict):
        return tree
    if tree is None and request.body:
        return {}
    problem = _META.format(_GO_TYPES.get(type(tree), "null"))
    raise _unrecognized(request, kind, f"couldn't get version/kind; json parse error: {problem}")


def _unrecognized(request: Request, kind: str, problem: str) -> ApiError:
    told = summary(request.body)
    return bad_request(f"the object provided is unrecognized (must be of type {kind}): {problem} ({told})")


def _check_kind(call: Call, item: JsonObject) -> None:
    """What the object says of itself fits the path; what it does not say, the path says."""
    expected, names = call.place.api_version, call.kind.names
    for name, default in (("apiVersion", expected), ("kind", names.kind)):
        if item.get(name) in (None, ""):
            item[name] = default
        elif not isinstance(item[name], str):
            problem = (
                f"json: cannot unmarshal {_go_type(item[name])} into Go struct field .{name} of type string"
            )
            raise _unrecognized(
                call.request, names.kind, f"couldn't get version/kind; json parse error: {problem}"
            )
    if item["kind"] != names.kind or call.rest.registry.of(item["apiVersion"], names.kind) is None:
        raise _of_another_kind(call, item)
    if item["apiVersion"] != expected:
        raise bad_request(
            f"the API version in the data ({item['apiVersion']}) does not match the expected API version "
            f"({expected})"
        )


def _go_type(value: Any) -> str:
    return "object" if isinstance(value, dict) else _GO_TYPES.get(type(value), "null")


def _of_another_kind(call: Call, item: JsonObject) -> ApiError:
    kind, api_version, ours = item["kind"], item["apiVersion"], call.kind.names.kind
    version = api_version.rpartition("/")[2]
    if call.rest.registry.of(api_version, kind) is None:
        problem = (
            f'no kind "{kind}" is registered for version "{api_version}" in scheme '
            '"pkg/runtime/scheme.go:111"'
        )
    else:
        problem = (
            f"converting ({version}.{kind}) to ({call.kind.names.group or 'core'}.{ours}): unknown conversion"
        )
    return bad_request(f'{kind} in version "{version}" cannot be handled as a {ours}: {problem}')


def _tell(call: Call, problems: list[str], validation: str, warnings: list[str]) -> None:
    if validation == "Warn":
        warnings.extend(problems)
        return
    kind, version = call.kind.names.kind, call.place.version
    told = "strict decoding error: " + ", ".join(problems)
    raise bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {told}')
