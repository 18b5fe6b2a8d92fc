"""Specifications that were found good, with what clients are told of them all the same.

Most pods are copies of another: the replicas of a deployment, the pods of a job. Checking the bytes of a
specification against those of the last good ones costs a tenth of checking its fields.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

_LIMIT = 512
_LARGEST = 16384
_ANNOTATIONS = ("kubernetes.io/config.mirror", "controller.kubernetes.io/pod-deletion-cost")

_good: dict[bytes, Sequence[str]] = {}


def key_of(item: Mapping[str, Any]) -> bytes | None:
    """What stands for a pod's specification; None for one that must be looked at with the rest of the pod."""
    spec = item.get("spec") or {}
    annotations = item["metadata"].get("annotations")
    if annotations and any(name in annotations for name in _ANNOTATIONS):
        return None
    if any("ephemeral" in volume for volume in spec.get("volumes") or ()):
        return None
    try:
        key = orjson.dumps(spec)
    except orjson.JSONEncodeError:  # an integer beyond 64 bits
        return None
    return key if len(key) <= _LARGEST else None


def is_good(key: bytes | None) -> bool:
    """Whether a specification was found good before."""
    return key in _good


def warnings_of(key: bytes | None) -> Sequence[str] | None:
    """What is told of a good specification; None if it is not known."""
    return _good.get(key) if key is not None else None


def remember(key: bytes | None, warnings: Sequence[str]) -> None:
    """Take note of a good specification, and forget the oldest."""
    if key is None:
        return
    if len(_good) >= _LIMIT:
        del _good[next(iter(_good))]
    _good[key] = warnings
