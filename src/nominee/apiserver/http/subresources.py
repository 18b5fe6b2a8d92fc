"""Subresources: parts of an object, and verbs of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from nominee.apiserver.http.call import Call
from nominee.apiserver.http.encoding import answer_tree
from nominee.apiserver.http.message import Answer
from nominee.apiserver.http.objects import read_body
from nominee.apiserver.http.patching import patch, read_patch
from nominee.apiserver.http.reading import get
from nominee.apiserver.http.table import scale_table
from nominee.apiserver.http.warning import with_warnings
from nominee.apiserver.http.writing import context_of, update
from nominee.apiserver.kind import Context, JsonObject
from nominee.apiserver.registry import no_such_resource
from nominee.apiserver.rest.scale import scale_of, set_scale
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.decoding import decode_or_refuse, strict_refusal
from nominee.apiserver.status import bad_request, refusal
from nominee.errors import ApiError

Function = Callable[[Call], Answer]

_TOLD = {"log": "logs are", "portforward": "port forwarding is"}
_STREAMS = ("log", "exec", "attach", "portforward", "proxy")
_TYPES = {
    "scale": ("Scale", "autoscaling/v1", "io.k8s.api.autoscaling.v1.Scale"),
    "binding": ("Binding", "v1", "io.k8s.api.core.v1.Binding"),
    "eviction": ("Eviction", "policy/v1", "io.k8s.api.policy.v1.Eviction"),
    "token": ("TokenRequest", "authentication.k8s.io/v1", "io.k8s.api.authentication.v1.TokenRequest"),
}
"""What a body is: kind, version, and type in the catalogue."""
_SELF_NAMED = ("binding", "eviction")
"""Bodies that must say themselves whose they are."""


def method_of(call: Call) -> Function:
    """What answers this method of this subresource; raises 404 or 405."""
    subresource = call.place.subresource
    if subresource in _STREAMS and call.resource in ("pods", "nodes", "services"):
        raise not_here(call)
    if subresource not in call.kind.subresources or call.place.rest:
        raise no_such_resource()
    methods = _METHODS.get(subresource, _PARTS)
    function = methods.get(call.request.method)
    if function is None:
        raise not_allowed()
    return function


def not_allowed() -> ApiError:
    """405: not this verb on this."""
    return refusal(
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        details={},
    )


def not_here(call: Call) -> ApiError:
    """501: there are no containers behind these pods."""
    call.rest.get(call.resource, call.key)
    what = _TOLD.get(call.place.subresource, f"{call.place.subresource} is")
    return refusal(
        501,
        "NotImplemented",
        f"{what} not available here: nominee simulates nodes, no container runs behind "
        f'{call.kind.names.singular} "{call.place.name}"',
    )


def _get_scale(call: Call) -> Answer:
    scale = scale_of(call.kind, call.rest.get(call.resource, call.key))
    tree = scale_table(call, scale) if call.form.kind == "Table" else scale
    return answer_tree(call.request, tree, call.form)


def _put_scale(call: Call) -> Answer:
    context, validation = context_of(call, "UpdateOptions")
    return _scaled(call, _body(call, context, validation), context)


def _patch_scale(call: Call) -> Answer:
    context, validation = context_of(call, "PatchOptions")
    return _scaled(call, _patched(call, scale_of, context, validation), context)


def _scaled(call: Call, body: JsonObject, context: Context) -> Answer:
    tree = set_scale(call.rest, call.kind, call.key, body, context)
    return with_warnings(answer_tree(call.request, tree, call.form), context.warnings)


def _post(call: Call) -> Answer:
    context, validation = context_of(call, "CreateOptions")
    body = _body(call, context, validation)
    tree = call.rest.connect(call.resource, call.key, call.place.subresource, body, context)
    return with_warnings(answer_tree(call.request, tree, call.form, 201), context.warnings)


def _patched(
    call: Call, view: Callable[[Any, Any], JsonObject], context: Context, validation: str
) -> JsonObject:
    """What the subresource shows, after a patch."""
    change = read_patch(call, validation)
    function = call.rest.rules.patches.get("merge" if change.type == "apply" else change.type)
    if function is None:
        raise refusal(415, "UnsupportedMediaType", f"patches of type {change.type!r} are not supported")
    live = view(call.kind, call.rest.get(call.resource, call.key))
    tree = orjson.loads(orjson.dumps(function(call.kind, live, change.body)))
    return _checked(call, tree, context, validation)


def _body(call: Call, context: Context, validation: str) -> JsonObject:
    kind, _, _ = _TYPES[call.place.subresource]
    return _checked(call, read_body(call.request, kind), context, validation)


def _checked(call: Call, tree: Any, context: Context, validation: str) -> JsonObject:
    kind, api_version, type_name = _TYPES[call.place.subresource]
    if not isinstance(tree, dict):
        raise bad_request(f"the object provided is unrecognized (must be of type {kind})")
    if tree.setdefault("kind", kind) != kind:
        raise bad_request(f"{tree['kind']} cannot be handled as a {kind}")
    given = tree.setdefault("apiVersion", api_version)
    if not isinstance(given, str) or given.partition("/")[0] != api_version.partition("/")[0]:
        raise bad_request(
            f"the API version in the data ({given}) does not match the expected API version ({api_version})"
        )
    struct = CATALOGUE.type(type_name)
    decoded = decode_or_refuse(tree, struct)
    if decoded.unknown and validation == "Strict":
        raise strict_refusal(tree, struct, decoded.unknown)
    if validation == "Warn":
        context.warnings.extend(decoded.unknown)
    return _named(call, decoded.item)


def _named(call: Call, tree: JsonObject) -> JsonObject:
    metadata, place = tree.setdefault("metadata", {}), call.place
    if metadata.get("namespace") not in (None, "", place.namespace):
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )
    if place.namespace:
        metadata["namespace"] = place.namespace
    if place.subresource in _SELF_NAMED:
        return tree
    if metadata.get("name") not in (None, "", place.name):
        raise bad_request(
            f"the name of the object ({metadata['name']}) does not match the name on the URL ({place.name})"
        )
    metadata["name"] = place.name
    return tree


_PARTS: dict[str, Function] = {"GET": get, "PUT": update, "PATCH": patch}
"""Of subresources that are a part of the object: its status, for one."""

_METHODS: dict[str, dict[str, Function]] = {
    "scale": {"GET": _get_scale, "PUT": _put_scale, "PATCH": _patch_scale},
    "binding": {"POST": _post},
    "eviction": {"POST": _post},
    "token": {"POST": _post},
    "finalize": {"PUT": update},
}
