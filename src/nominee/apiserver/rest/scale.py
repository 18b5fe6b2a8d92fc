"""The subresource `scale`: how many there are wanted and are, in one form for all kinds.

pkg/registry/apps/deployment/storage/storage.go and apiextensions-apiserver/pkg/registry/customresource/
etcd.go, v1.37.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.rest.updating import Part, update
from nominee.apiserver.status import FieldError, bad_request, invalid
from nominee.store.ports import Stored

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

_SETS = {"In": "in", "NotIn": "notin"}


def scale_of(kind: Kind, stored: Stored) -> JsonObject:
    """The Scale of an object."""
    item = stored.object
    metadata = item["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    status = {"replicas": _at(item, kind.scale.present) or 0, "selector": _selector(kind, item)}
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in kept if name in metadata},
        "spec": {"replicas": _at(item, kind.scale.wanted) or 0},
        "status": {name: value for name, value in status.items() if value != ""},
    }


def set_scale(rest: Rest, kind: Kind, key: str, body: JsonObject, context: Context) -> JsonObject:
    """Want as many as a Scale says; answers with the Scale after that."""
    stored = rest.get(kind.names.resource, key)
    replicas = _replicas(body, stored.object["metadata"]["name"])
    metadata = body.get("metadata") or {}
    given = {name: metadata[name] for name in ("uid", "resourceVersion") if metadata.get(name)}
    if "resourceVersion" not in given:
        given["resourceVersion"] = stored.object["metadata"]["resourceVersion"]
    item = _with(stored.object, kind.scale.wanted.split("."), replicas)
    item["metadata"] = {**item["metadata"], **given}
    return scale_of(kind, update(rest, kind, stored, item, context, Part(through="scale")))


def _replicas(body: JsonObject, name: str) -> int:
    spec = body.get("spec") or {}
    replicas = spec.get("replicas", 0) if isinstance(spec, dict) else None
    if isinstance(replicas, bool) or not isinstance(replicas, int) or not -(2**31) <= replicas < 2**31:
        raise bad_request(
            'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal into Go struct '
            "field ScaleSpec.spec.replicas of type int32"
        )
    if replicas < 0:
        told = f"Invalid value: {replicas}: must be greater than or equal to 0"
        raise invalid("Scale", "autoscaling", name, [FieldError("spec.replicas", "FieldValueInvalid", told)])
    return replicas


def _at(item: Any, path: str) -> Any:
    for part in path.strip(".").split("."):
        item = item.get(part) if isinstance(item, dict) else None
    return item


def _with(item: JsonObject, path: list[str], value: Any) -> JsonObject:
    """A copy of the tree with another value in one place; all that is not on the way is shared."""
    name, *rest = [part for part in path if part]
    inner = item.get(name)
    return {**item, name: _with(inner if isinstance(inner, dict) else {}, rest, value) if rest else value}


def _selector(kind: Kind, item: JsonObject) -> str:
    if kind.scale.selector:
        return str(_at(item, kind.scale.selector) or "")
    selector = _at(item, "spec.selector")
    return selector_text(selector) if isinstance(selector, dict) else ""


def selector_text(selector: JsonObject) -> str:
    """A selector as a query writes it: `a=b,c in (d,e)`.

    apimachinery/pkg/apis/meta/v1/helpers.go, FormatLabelSelector, v1.37.
    """
    labels = selector.get("matchLabels", {} if "matchExpressions" in selector else selector) or {}
    terms = [(key, f"{key}={value}") for key, value in labels.items()]
    terms += [(term["key"], _expression(term)) for term in selector.get("matchExpressions") or ()]
    return ",".join(text for _, text in sorted(terms))


def _expression(term: JsonObject) -> str:
    key, operator = term["key"], term["operator"]
    if operator in _SETS:
        return f"{key} {_SETS[operator]} ({','.join(sorted(term.get('values') or ()))})"
    return f"!{key}" if operator == "DoesNotExist" else str(key)
