"""What the API server and the drivers know of the store.

Writes act in memory at once, in one order, and get the next version of the one counter; `durable`
says when all up to a version is on disk. Whoever answers somebody outside waits for it first, and
whoever is inside (the scheduler) need not: should the process die, what is lost is the end of the
order, never a part of its middle.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

JsonObject = dict[str, Any]
ChangeType = Literal["ADDED", "MODIFIED", "DELETED"]


class Stored(Protocol):
    """One version of one object. Nobody changes `object` any more: whoever needs another makes a copy.

    resource  storage name: plural, with its group behind a dot where it has one ("pods", "jobs.batch");
              one for all versions and groups in which the same objects are served
    key       namespace/name, or the name alone
    version   of this state; `object["metadata"]["resourceVersion"]` says the same
    json      the object's bytes, encoded once
    """

    @property
    def resource(self) -> str: ...
    @property
    def key(self) -> str: ...
    @property
    def version(self) -> int: ...
    @property
    def object(self) -> JsonObject: ...
    @property
    def json(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Change:
    """What happened to an object. `stored` is its state after; of a deletion the last, with its own version.

    `previous` lets a selector see that an object has entered or left what it selects.
    """

    type: ChangeType
    stored: Stored
    previous: Stored | None = None


Listener = Callable[[Change], None]


class Watch(Protocol):
    """Changes from a version on, in order, each as soon as it is durable."""

    async def next(self, seconds: float | None = None) -> Sequence[Change]:
        """All that are there by now, at least one; an empty list after `seconds` without any.

        Raises `nominee.errors.Expired` when the watcher was too slow and is cut off.
        """
        ...

    @property
    def version(self) -> int:
        """All up to this version has been handed out or does not concern this watch: for bookmarks."""
        ...

    def close(self) -> None:
        """Nobody reads any more."""
        ...


class Store(Protocol):
    """All objects. Single-threaded: call it from the event loop's thread only."""

    @property
    def version(self) -> int:
        """The version of the latest write."""
        ...

    def get(self, resource: str, key: str) -> Stored | None: ...

    def list(self, resource: str, namespace: str = "") -> Sequence[Stored]:
        """All of a resource, or of one namespace, by key; a snapshot at `version`."""
        ...

    def list_at(self, resource: str, namespace: str, version: int) -> Sequence[Stored]:
        """As it was at an earlier version, for the next page of a list; `Expired` if too long ago."""
        ...

    def create(self, resource: str, key: str, item: JsonObject) -> Stored:
        """Store a new object, whose resourceVersion it sets in place; raises `KeyError` if one is there."""
        ...

    def update(self, resource: str, key: str, item: JsonObject, expected: int | None = None) -> Stored:
        """Replace an object, if its version is still `expected`; raises `Conflict` or `NotFound`."""
        ...

    def delete(self, resource: str, key: str, expected: int | None = None) -> Stored:
        """Remove an object; answers with its last state under the version of the deletion."""
        ...

    def resources(self) -> Iterator[str]:
        """Every resource of which there is an object."""
        ...

    async def durable(self, version: int | None = None) -> None:
        """Wait until all up to a version (None: up to now) is on disk."""
        ...

    def watch(self, resource: str, namespace: str = "", since: int | None = None) -> Watch:
        """Changes after version `since` (None: from now on); `Expired` if they are not kept."""
        ...

    def listen(self, listener: Listener, resources: Sequence[str] | None = None) -> Callable[[], None]:
        """Call `listener` within every write, before it returns, durable or not; the answer ends that."""
        ...
