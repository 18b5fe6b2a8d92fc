"""What a caller may ask of a deletion, and what comes of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nominee.apiserver.kind import JsonObject
from nominee.store.ports import Stored

Propagation = Literal["", "Background", "Foreground", "Orphan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeleteOptions:
    """As `meta/v1.DeleteOptions`; dry run is the context's affair.

    uid, resource_version   preconditions: what the object must be, or the deletion is refused
    """

    grace_period_seconds: int | None = None
    propagation: Propagation = ""
    orphan_dependents: bool | None = None
    uid: str | None = None
    resource_version: str | None = None


@dataclass(frozen=True, slots=True)
class Deletion:
    """What a deletion has left: the object as it is now, or as it was last if it is gone."""

    stored: Stored
    gone: bool

    @property
    def resource(self) -> str:
        return self.stored.resource

    @property
    def key(self) -> str:
        return self.stored.key

    @property
    def version(self) -> int:
        return self.stored.version

    @property
    def object(self) -> JsonObject:
        return self.stored.object

    @property
    def json(self) -> bytes:
        return self.stored.json
