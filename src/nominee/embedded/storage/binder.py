"""Binds claims to volumes, as the persistent volume controller does."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from nominee.driver.simulated.volume_binding import CLAIM, VOLUME, sync_claim, sync_volume
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.writing import Desk
from nominee.errors import Conflict, NotFound
from nominee.store.ports import Change

CLAIMS, VOLUMES, CLASSES = "persistentvolumeclaims", "persistentvolumes", "storageclasses.storage.k8s.io"
_PENDING = "pending"
_CLAIM, _VOLUME = "claim:", "volume:"


class VolumeBinder:
    """Keys are claims, volumes, and all claims without a volume at once."""

    name = "persistentvolume-binder"

    def __init__(self, access: Access) -> None:
        self._desk = Desk(access, "persistentvolume-controller")

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Claims, volumes and classes."""
        return {CLAIMS: _of_claim, VOLUMES: _of_volume, CLASSES: lambda _: (_PENDING,)}

    def reconcile(self, key: str) -> float | None:
        """Bind, part, or say what is missing."""
        desk = self._desk
        if key == _PENDING:
            self._look_at_pending()
        elif key.startswith(_CLAIM):
            claim = desk.get(CLAIM, key.removeprefix(_CLAIM))
            if claim is not None:
                desk.carry_out(sync_claim(desk, claim))
        else:
            volume = desk.get(VOLUME, key.removeprefix(_VOLUME))
            if volume is not None:
                desk.carry_out(sync_volume(desk, volume))
        return None

    def _look_at_pending(self) -> None:
        for claim in list(self._desk.list(CLAIM)):
            if not claim["spec"].get("volumeName"):
                with suppress(Conflict, NotFound):  # it has changed, and comes by itself
                    self._desk.carry_out(sync_claim(self._desk, claim))


def _of_claim(change: Change) -> Iterator[str]:
    yield _CLAIM + change.stored.key
    volume = change.stored.object["spec"].get("volumeName")
    if volume:
        yield _VOLUME + volume
    elif change.type == "DELETED":
        yield _PENDING


def _of_volume(change: Change) -> Iterator[str]:
    yield _VOLUME + change.stored.key
    reference = change.stored.object["spec"].get("claimRef")
    if reference:
        yield f"{_CLAIM}{reference.get('namespace')}/{reference.get('name')}"
    else:
        yield _PENDING
