"""Paths of files in specs of pods.

The rules of validateLocalDescendingPath and its neighbours in pkg/apis/core/validation/validation.go,
v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator

from nominee.apiserver.kinds.field_errors import invalid
from nominee.apiserver.status import FieldError


def validate_descending_path(target: str, path: str) -> Iterator[FieldError]:
    """A relative path that does not climb."""
    if target.startswith("/"):
        yield invalid(path, target, "must be a relative path")
    yield from validate_no_backsteps(target, path)


def validate_no_backsteps(target: str, path: str) -> Iterator[FieldError]:
    """A path that does not climb."""
    if climbs(target):
        yield invalid(path, target, "must not contain '..'")


def climbs(target: str) -> bool:
    """Whether a path has a step up."""
    return ".." in target and ".." in target.split("/")


def validate_local_path(target: str, path: str) -> Iterator[FieldError]:
    """A relative path that does not climb, and whose name is not kept for others."""
    yield from validate_descending_path(target, path)
    if target.startswith("..") and not target.startswith("../"):
        yield invalid(path, target, "must not start with '..'")
