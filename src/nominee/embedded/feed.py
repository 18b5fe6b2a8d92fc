"""Tells the scheduler of the cluster, straight from the store: no watch, no copy, no HTTP.

The bytes of each state are decoded to a struct once. An object that can not be decoded is reported and
left out; if it was known in a readable form, that one goes on counting.
"""

from __future__ import annotations

import logging
from typing import Protocol

import msgspec

from nominee.apiserver.registry import Registry
from nominee.errors import InputError
from nominee.model.codec import decode
from nominee.model.event import Event
from nominee.model.kinds import KINDS
from nominee.model.meta import NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.store.ports import Change, Store, Stored

log = logging.getLogger(__name__)

_UNHEARD = (Event,)
_LAST = (Node, Pod)  # they refer to the others


class Audience(Protocol):
    """The driver, as far as it is told."""

    def seen(self, item: NamedObject) -> None: ...
    def gone(self, item: NamedObject) -> None: ...


class Feed:
    """All kinds that the scheduler knows, of those that are served."""

    def __init__(self, store: Store, registry: Registry, audience: Audience) -> None:
        self._store = store
        self._audience = audience
        self._decoders: dict[str, tuple[type[NamedObject], msgspec.json.Decoder[NamedObject]]] = {}
        for struct in sorted(KINDS.values(), key=_place):
            served = registry.of(struct.API_VERSION, struct.KIND)
            if served is not None and struct not in _UNHEARD:
                self._decoders[served.names.resource] = (struct, msgspec.json.Decoder(struct))
        self._reported: set[tuple[str, str]] = set()

    def start(self) -> None:
        """Tell of all that there is, then of each change."""
        for resource in self._decoders:
            for stored in self._store.list(resource):
                self._tell(stored, deleted=False)
        self._stop = self._store.listen(self._changed, list(self._decoders))

    def stop(self) -> None:
        """Tell no more."""
        self._stop()

    def _changed(self, change: Change) -> None:
        self._tell(change.stored, deleted=change.type == "DELETED")

    def _tell(self, stored: Stored, *, deleted: bool) -> None:
        item = self._decoded(stored)
        if item is None:
            return
        if deleted:
            self._audience.gone(item)
        else:
            self._audience.seen(item)

    def _decoded(self, stored: Stored) -> NamedObject | None:
        struct, decoder = self._decoders[stored.resource]
        try:
            return decoder.decode(stored.json)
        except msgspec.ValidationError:
            pass
        try:
            return decode(struct, stored.json)  # which forgives what Go forgives
        except InputError as error:
            self._report(stored, error)
            return None

    def _report(self, stored: Stored, error: InputError) -> None:
        named = (stored.resource, stored.key)
        if named not in self._reported:
            self._reported.add(named)
            log.error("can not read %s %s, it is left out: %s", stored.resource, stored.key, error)


def _place(struct: type[NamedObject]) -> int:
    return _LAST.index(struct) if struct in _LAST else -1
