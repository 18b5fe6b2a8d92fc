"""Workloads as a client posts them, and what is wrong with them."""

from __future__ import annotations

from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind

CONTEXT = Context(now="2026-01-31T12:00:00Z")
SELECTOR = {"matchLabels": {"app": "web"}}


def template(**pod: Any) -> JsonObject:
    return {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "server", "image": "nginx:1.27"}], **pod},
    }


def workload(**spec: Any) -> JsonObject:
    return {
        "metadata": {"name": "web", "namespace": "default", "uid": "1234"},
        "spec": {"template": template(), "selector": SELECTOR, **spec},
    }


def created(kind: Kind, item: JsonObject) -> JsonObject:
    kind.default(item)
    kind.prepare_create(item, CONTEXT)
    return item


def faults(kind: Kind, item: JsonObject) -> list[str]:
    return [f"{error.field}: {error.message}" for error in kind.validate(created(kind, item))]


def changed(item: JsonObject, **spec: Any) -> JsonObject:
    return {**item, "spec": {**item["spec"], **spec}}


def update_faults(kind: Kind, item: JsonObject, **spec: Any) -> list[str]:
    old = created(kind, item)
    new = changed(old, **spec)
    kind.default(new)
    return [f"{error.field}: {error.message}" for error in kind.validate_update(new, old, CONTEXT)]
