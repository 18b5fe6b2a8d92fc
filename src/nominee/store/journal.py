"""What makes changes durable, as the store in memory sees it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from nominee.store.ports import Change

FIRST_VERSION = 1
"""An empty store has a version too, because "0" means "any" to clients."""


class Journal(Protocol):
    """Takes changes in order; when they are on disk, `version` says so and `on_progress` is called."""

    @property
    def version(self) -> int:
        """All up to this one is on disk."""
        ...

    def append(self, change: Change) -> None:
        """Begin to write a change down; raises `StorageError` if the disk has failed before."""
        ...

    def forget(self, resource: str, floor: int, versions: Sequence[int]) -> None:
        """The past of a resource up to `floor` is not asked for any more, nor are these states."""
        ...

    async def durable(self, version: int) -> None:
        """Wait until all up to a version is on disk; raises `StorageError` if it will never be."""
        ...

    def close(self) -> None:
        """Write what is left, and end."""
        ...


class NoJournal:
    """Of a store that is to be forgotten: everything is as durable as it will ever be."""

    def __init__(self) -> None:
        self.version = FIRST_VERSION

    def append(self, change: Change) -> None:
        self.version = change.stored.version

    def forget(self, resource: str, floor: int, versions: Sequence[int]) -> None:
        """There is nothing to forget."""

    async def durable(self, version: int) -> None:
        """It is."""

    def close(self) -> None:
        """There is nothing to close."""
