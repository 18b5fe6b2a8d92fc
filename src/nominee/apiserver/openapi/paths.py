"""The paths of a kind as OpenAPI operations: which verbs there are, on what, with which parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Kind
from nominee.apiserver.openapi.schemas import gvk

Operation = dict[str, Any]
PathItem = dict[str, Any]

JSON = "application/json"
_BODIES = (JSON, "application/yaml")
_PATCHES = (
    "application/apply-patch+yaml",
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
)
_META = "io.k8s.apimachinery.pkg.apis.meta.v1"

_TEXT = {"type": "string", "uniqueItems": True}
_NUMBER = {"type": "integer", "uniqueItems": True}
_FLAG = {"type": "boolean", "uniqueItems": True}

_DRY_RUN = ("dryRun", _TEXT, "With All, nothing is stored: the answer shows what would be.")
_MANAGER = ("fieldManager", _TEXT, "Who owns the fields that this request sets.")
_VALIDATION = (
    "fieldValidation",
    _TEXT,
    "What becomes of unknown and duplicate fields: Ignore, Warn or Strict.",
)
_LIST = (
    ("allowWatchBookmarks", _FLAG, "Send bookmarks, which tell how far a watch has come."),
    ("continue", _TEXT, "Where the page before has ended."),
    ("fieldSelector", _TEXT, "Only objects whose fields have these values."),
    ("labelSelector", _TEXT, "Only objects whose labels match."),
    ("limit", _NUMBER, "No more objects than this in one answer."),
    ("resourceVersion", _TEXT, "The version to list at, or to watch from."),
    ("resourceVersionMatch", _TEXT, "How resourceVersion is meant: Exact or NotOlderThan."),
    ("sendInitialEvents", _FLAG, "Begin a watch with the objects that are there."),
    ("timeoutSeconds", _NUMBER, "How long the request may take."),
    ("watch", _FLAG, "Send changes as they happen."),
)
_DELETE = (
    _DRY_RUN,
    ("gracePeriodSeconds", _NUMBER, "Seconds until the object is gone; zero is at once."),
    ("orphanDependents", _FLAG, "Out of date; propagationPolicy says it better."),
    ("propagationPolicy", _TEXT, "What becomes of dependents: Orphan, Background or Foreground."),
)
_WRITE = (_DRY_RUN, _MANAGER, _VALIDATION)
_FORCE = ("force", _FLAG, "An apply takes over fields that others own.")

Parameter = tuple[str, Mapping[str, Any], str]
Refer = Callable[[str], Operation]
"""From the full name of a type to a reference to its schema."""


@dataclass(frozen=True, slots=True)
class _Call:
    """One operation: types by their full names; `shown` is the type of which it is said to be."""

    verb: str
    action: str
    answer: str
    parameters: tuple[Parameter, ...] = ()
    body: str = ""
    suffix: str = ""
    shown: str = ""


class KindPaths:
    """The paths of one kind in one version."""

    def __init__(self, kind: Kind, group: str, version: str, refer: Refer) -> None:
        self._kind = kind
        self._group = group
        self._version = version
        self._refer = refer
        self._type = kind.schema_of(f"{group}/{version}" if group else version)

    def items(self) -> Iterator[tuple[str, PathItem]]:
        """Each path with its operations."""
        names = self._kind.names
        base = f"/apis/{self._group}/{self._version}" if self._group else f"/api/{self._version}"
        scoped = (
            f"{base}/namespaces/{{namespace}}/{names.plural}"
            if names.namespaced
            else f"{base}/{names.plural}"
        )
        yield scoped, self._with_place(self._collection(), item=False)
        yield f"{scoped}/{{name}}", self._with_place(self._item(), item=True)
        for subresource in self._kind.subresources:
            yield f"{scoped}/{{name}}/{subresource}", self._with_place(self._part(subresource), item=True)
        if names.namespaced and "list" in self._kind.verbs:
            yield f"{base}/{names.plural}", {"get": self._list("ForAllNamespaces")}

    def _collection(self) -> PathItem:
        verbs = self._kind.verbs
        item: PathItem = {}
        if "list" in verbs:
            item["get"] = self._list("")
        if "create" in verbs:
            item["post"] = self._operation(_Call("create", "post", self._type, _WRITE, body=self._type))
        if "deletecollection" in verbs:
            item["delete"] = self._operation(
                _Call("deleteCollection", "deletecollection", f"{_META}.Status", (*_LIST[1:6], *_DELETE))
            )
        return item

    def _list(self, scope: str) -> Operation:
        return self._operation(_Call("list", "list", f"{self._type}List", _LIST, suffix=scope))

    def _item(self) -> PathItem:
        verbs = self._kind.verbs
        item: PathItem = {}
        if "get" in verbs:
            item["get"] = self._operation(_Call("read", "get", self._type))
        if "update" in verbs:
            item["put"] = self._operation(_Call("replace", "put", self._type, _WRITE, body=self._type))
        if "patch" in verbs:
            item["patch"] = self._patch("")
        if "delete" in verbs:
            options = f"{_META}.DeleteOptions"
            item["delete"] = self._operation(
                _Call("delete", "delete", f"{_META}.Status", _DELETE, body=options)
            )
        return item

    def _part(self, subresource: str) -> PathItem:
        type_ = _PARTS.get(subresource, self._type)
        suffix = subresource.capitalize()
        if subresource in ("binding", "eviction", "token"):
            post = self._operation(
                _Call("create", "post", type_, _WRITE, body=type_, suffix=suffix, shown=type_)
            )
            return {"post": post}
        return {
            "get": self._operation(_Call("read", "get", type_, suffix=suffix, shown=type_)),
            "put": self._operation(
                _Call("replace", "put", type_, _WRITE, body=type_, suffix=suffix, shown=type_)
            ),
            "patch": self._patch(subresource),
        }

    def _patch(self, subresource: str) -> Operation:
        type_ = _PARTS.get(subresource, self._type)
        operation = self._operation(
            _Call("patch", "patch", type_, (*_WRITE, _FORCE), suffix=subresource.capitalize(), shown=type_)
        )
        media = _PATCHES[:3] if self._kind.custom else _PATCHES
        operation["requestBody"] = {
            "required": True,
            "content": {each: {"schema": self._refer(f"{_META}.Patch")} for each in media},
        }
        return operation

    def _operation(self, call: _Call) -> Operation:
        operation: Operation = {
            "operationId": self._operation_id(call.verb, call.suffix),
            "tags": [f"{self._group.split('.')[0] or 'core'}_{self._version}"],
            "responses": {
                "200": {
                    "description": "OK",
                    "content": {each: {"schema": self._refer(call.answer)} for each in _BODIES},
                },
                "401": {"description": "Unauthorized"},
            },
            "x-kubernetes-action": call.action,
            "x-kubernetes-group-version-kind": self._gvk(call.shown),
        }
        if call.parameters:
            operation["parameters"] = [_parameter(*each) for each in call.parameters]
        if call.body:
            schema = {"schema": self._refer(call.body)}
            operation["requestBody"] = {"required": True, "content": {"*/*": schema}}
        return operation

    def _operation_id(self, verb: str, suffix: str) -> str:
        group = self._group.removesuffix(".k8s.io").split(".")[0].capitalize() or "Core"
        scope = "Namespaced" if self._kind.names.namespaced and suffix != "ForAllNamespaces" else ""
        return f"{verb}{group}{self._version.capitalize()}{scope}{self._kind.names.kind}{suffix}"

    def _gvk(self, shown: str) -> Mapping[str, str]:
        own = _GVKS.get(shown)
        return gvk(*own) if own else gvk(self._group, self._version, self._kind.names.kind)

    def _with_place(self, operations: PathItem, *, item: bool) -> PathItem:
        places = []
        if item:
            places.append(_path_parameter("name", f"name of the {self._kind.names.kind}"))
        if self._kind.names.namespaced:
            places.append(_path_parameter("namespace", "the namespace that the object is in"))
        return {**operations, "parameters": places} if places else operations


_PARTS: Mapping[str, str] = {
    "binding": "io.k8s.api.core.v1.Binding",
    "eviction": "io.k8s.api.policy.v1.Eviction",
    "scale": "io.k8s.api.autoscaling.v1.Scale",
    "token": "io.k8s.api.authentication.v1.TokenRequest",
}
_GVKS: Mapping[str, tuple[str, str, str]] = {
    "io.k8s.api.core.v1.Binding": ("", "v1", "Binding"),
    "io.k8s.api.policy.v1.Eviction": ("policy", "v1", "Eviction"),
    "io.k8s.api.autoscaling.v1.Scale": ("autoscaling", "v1", "Scale"),
    "io.k8s.api.authentication.v1.TokenRequest": ("authentication.k8s.io", "v1", "TokenRequest"),
}


def _parameter(name: str, schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {"in": "query", "name": name, "description": description, "schema": schema}


def _path_parameter(name: str, description: str) -> dict[str, Any]:
    return {"in": "path", "name": name, "required": True, "description": description, "schema": _TEXT}
