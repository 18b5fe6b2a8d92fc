"""PATCH, in its four languages.

apiserver/pkg/endpoints/handlers/patch.go, v1.37.
"""

from __future__ import annotations

from typing import Any

from nominee.apiserver.http.body import NotReadableError, media_type, read_json, read_yaml, unsupported
from nominee.apiserver.http.call import Call
from nominee.apiserver.http.message import Answer
from nominee.apiserver.http.parameters import truth
from nominee.apiserver.http.rendering import answer_object
from nominee.apiserver.http.warning import warned, with_warnings
from nominee.apiserver.http.writing import context_of
from nominee.apiserver.rest.patching import Patch
from nominee.apiserver.status import FieldError, bad_request, invalid, refusal
from nominee.errors import ApiError

TYPES = {
    "application/json-patch+json": "json",
    "application/merge-patch+json": "merge",
    "application/strategic-merge-patch+json": "strategic",
    "application/apply-patch+yaml": "apply",
}


def patch(call: Call) -> Answer:
    """PATCH of an object or its status."""
    context, validation = context_of(call, "PatchOptions")
    change = read_patch(call, validation)
    with warned(context):
        stored, created = call.rest.patched(call.resource, call.key, change, context)
    return with_warnings(answer_object(call, stored, 201 if created else 200), context.warnings)


def read_patch(call: Call, validation: str) -> Patch:
    """The patch in the body; raises 400, 415 or 422."""
    media = media_type(call.request)
    patch_type = TYPES.get(media)
    if call.kind.custom and patch_type in (None, "strategic"):
        raise unsupported(*(name for name, known in TYPES.items() if known != "strategic"))
    if patch_type is None:
        raise refusal(415, "UnsupportedMediaType", "415: Unsupported Media Type")
    force = truth(call.request, "force")
    _check_options(call, patch_type)
    body = _body(call, patch_type)
    if patch_type == "apply":
        _check_applied(call, body)
    return Patch(patch_type, body, call.place.subresource, call.place.api_version, force, validation)


def _check_options(call: Call, patch_type: str) -> None:
    errors = []
    if patch_type == "apply" and not call.request.first("fieldManager"):
        errors.append(
            FieldError("fieldManager", "FieldValueRequired", "Required value: is required for apply patch")
        )
    if patch_type != "apply" and "force" in call.request.query:
        errors.append(
            FieldError("force", "FieldValueForbidden", "Forbidden: may not be specified for non-apply patch")
        )
    if errors:
        raise invalid("PatchOptions", "meta.k8s.io", "", errors)


def _body(call: Call, patch_type: str) -> Any:
    data = call.request.body
    try:
        return read_yaml(data) if patch_type == "apply" else read_json(data)
    except NotReadableError as error:
        if patch_type == "apply":
            raise bad_request(f"error decoding YAML: {error}") from None
        raise bad_request("invalid JSON patch") from None


def _check_applied(call: Call, body: Any) -> None:
    if not isinstance(body, dict):
        raise bad_request("error decoding YAML: the applied configuration is not an object")
    place = call.place
    api_version, kind = place.api_version, call.kind.names.kind
    if place.subresource == "scale":
        api_version, kind = "autoscaling/v1", "Scale"
    for name, expected in (("apiVersion", api_version), ("kind", kind)):
        if not isinstance(body.get(name), str) or not body[name]:
            raise _incompatible(f"Object '{name}' is missing")
        if body[name] != expected:
            raise _incompatible(f"{name} {body[name]} is not {expected}")
    metadata = body.get("metadata")
    if metadata is not None and not isinstance(metadata, dict):
        raise bad_request("metadata of the applied configuration is not an object")
    named = (metadata or {}).get("name")
    if named not in (None, "", place.name):
        raise bad_request(
            f"the name of the object ({named}) does not match the name on the URL ({place.name})"
        )


def _incompatible(why: str) -> ApiError:
    return bad_request(f"error decoding YAML: {why}")
