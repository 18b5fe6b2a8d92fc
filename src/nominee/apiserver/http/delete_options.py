"""What a client asks of a deletion, in a body or in the query.

apiserver/pkg/endpoints/handlers/delete.go and apimachinery/pkg/apis/meta/v1/validation/validation.go, v1.37.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.http.body import NotReadableError, read_tree
from nominee.apiserver.http.message import Request
from nominee.apiserver.http.parameters import integer, is_dry_run, not_supported, truth
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.rest import DeleteOptions
from nominee.apiserver.status import FieldError, bad_request, invalid

_POLICIES = ("Foreground", "Background", "Orphan")
_TYPES: dict[str, tuple[type, str]] = {
    "gracePeriodSeconds": (int, "int64"),
    "propagationPolicy": (str, "v1.DeletionPropagation"),
    "orphanDependents": (bool, "bool"),
    "preconditions": (dict, "v1.Preconditions"),
    "dryRun": (list, "[]string"),
}


def delete_options(request: Request) -> tuple[DeleteOptions, bool]:
    """The options, and whether it is a dry run; raises 400 or 422."""
    asked = _from_body(request) if request.body else _from_query(request)
    errors: list[FieldError] = []
    policy, orphan = asked.get("propagationPolicy"), asked.get("orphanDependents")
    if orphan is not None and policy is not None:
        told = f'Invalid value: "{policy}": orphanDependents and deletionPropagation cannot be both set'
        errors.append(FieldError("propagationPolicy", "FieldValueInvalid", told))
    if policy is not None and policy not in _POLICIES:
        errors.append(not_supported("propagationPolicy", policy, (*_POLICIES, "nil")))
    dry_run = is_dry_run(asked.get("dryRun"), errors)
    if errors:
        raise invalid("DeleteOptions", "meta.k8s.io", "", errors)
    preconditions = asked.get("preconditions") or {}
    return DeleteOptions(
        grace_period_seconds=asked.get("gracePeriodSeconds"),
        propagation=policy or "",
        orphan_dependents=orphan,
        uid=preconditions.get("uid"),
        resource_version=preconditions.get("resourceVersion"),
    ), dry_run


def _from_query(request: Request) -> JsonObject:
    query = request.query
    if not query:
        return {}
    asked: JsonObject = {"gracePeriodSeconds": integer(request, "gracePeriodSeconds")}
    if query.get("propagationPolicy"):
        asked["propagationPolicy"] = request.first("propagationPolicy")
    if "orphanDependents" in query:
        asked["orphanDependents"] = truth(request, "orphanDependents")
    if "dryRun" in query:
        asked["dryRun"] = query["dryRun"]
    return asked


def _from_body(request: Request) -> JsonObject:
    try:
        tree = read_tree(request)
    except NotReadableError as error:
        raise bad_request(f"couldn't get version/kind; json parse error: {error}") from None
    if not isinstance(tree, dict):
        raise bad_request("decoded object cannot be converted to DeleteOptions")
    if tree.get("kind") not in (None, "", "DeleteOptions"):
        raise bad_request(
            f'no kind "{tree["kind"]}" is registered for the internal version of group "meta.k8s.io" in '
            'scheme "pkg/runtime/scheme.go:100"'
        )
    asked = {name: tree[name] for name in _TYPES if tree.get(name) is not None}
    for name, value in asked.items():
        _check_type(name, value)
    return asked


def _check_type(name: str, value: Any) -> None:
    expected, told = _TYPES[name]
    fits = isinstance(value, expected) and not (expected is int and isinstance(value, bool))
    if expected is int and fits:
        fits = -(2**63) <= value < 2**63
    if expected is list and fits:
        fits = all(isinstance(each, str) for each in value)
    if expected is dict and fits:
        fits = all(
            value.get(part) is None or isinstance(value[part], str) for part in ("uid", "resourceVersion")
        )
    if not fits:
        raise bad_request(f"json: cannot unmarshal into Go struct field DeleteOptions.{name} of type {told}")
