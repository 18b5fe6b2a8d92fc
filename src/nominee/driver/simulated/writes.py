"""What a simulated component reads and wants written, as data: whoever has a store carries it out.

Objects are JSON trees, which nobody changes; a kind is named as in its objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

Tree = dict[str, Any]


class Look(Protocol):
    """The cluster as it is now."""

    def get(self, kind: str, key: str) -> Tree | None: ...
    def list(self, kind: str) -> Iterable[Tree]: ...


@dataclass(frozen=True, slots=True)
class Create:
    """A new object."""

    kind: str
    item: Tree


@dataclass(frozen=True, slots=True)
class Update:
    """Another form of an object, status and all, if it is still at the version that this was made of."""

    kind: str
    item: Tree


@dataclass(frozen=True, slots=True)
class Delete:
    """An object is to go."""

    kind: str
    key: str


@dataclass(frozen=True, slots=True)
class Tell:
    """An event about an object."""

    kind: str
    item: Tree
    reason: str
    message: str
    warning: bool = False


Write = Create | Update | Delete | Tell
Writes = Iterator[Write]


def key_of(item: Tree) -> str:
    """namespace/name, or the name alone."""
    metadata = item["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else str(metadata["name"])


def annotations_of(item: Tree) -> Tree:
    """Its annotations, of which there may be none."""
    return item["metadata"].get("annotations") or {}


def annotated(item: Tree, **annotations: str | None) -> Tree:
    """The same object with other annotations; None takes one out. Names come as keywords by `**`."""
    kept = {name: value for name, value in annotations_of(item).items() if name not in annotations}
    kept.update({name: value for name, value in annotations.items() if value is not None})
    metadata = {name: value for name, value in item["metadata"].items() if name != "annotations"}
    if kept:
        metadata["annotations"] = kept
    return {**item, "metadata": metadata}
