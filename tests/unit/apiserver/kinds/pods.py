"""Pods for tests."""

from __future__ import annotations

from typing import Any

from nominee.apiserver.kind import JsonObject


def container(**more: Any) -> JsonObject:
    return {"name": "app", "image": "registry.example/app:1", **more}


def pod(*containers: JsonObject, annotations: dict[str, str] | None = None, **spec: Any) -> JsonObject:
    metadata: JsonObject = {"name": "web", "namespace": "default", "labels": {"app": "web"}}
    if annotations:
        metadata["annotations"] = annotations
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": list(containers or (container(),)), **spec},
    }
