"""The device driver of simulated nodes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nominee.driver.simulated.devices import (
    CLAIM,
    DEVICES,
    DRIVER,
    Attachment,
    attach,
    attachment_for,
    sync_node,
)
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.writing import Desk
from nominee.store.ports import Change, Stored

CLAIMS = "resourceclaims.resource.k8s.io"
_NODE, _CLAIM = "node:", "claim:"


class DeviceDriver:
    """Keys are nodes and claims."""

    name = "device-driver"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._desk = Desk(access, DRIVER)
        self._due: dict[str, tuple[Attachment, float]] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Nodes that say what they have, and claims."""
        return {"nodes": _of_node, CLAIMS: lambda change: (_CLAIM + change.stored.key,)}

    def reconcile(self, key: str) -> float | None:
        """Offer what a node has, or make ready what a claim got."""
        if key.startswith(_NODE):
            self._desk.carry_out(sync_node(self._desk, key.removeprefix(_NODE)))
            return None
        return self._attach(key.removeprefix(_CLAIM))

    def _attach(self, key: str) -> float | None:
        claim = self._desk.get(CLAIM, key)
        attachment = None if claim is None else attachment_for(self._desk, claim)
        if attachment is None:
            self._due.pop(key, None)
            return None
        now = self._access.now()
        begun, due = self._due.get(key, (None, 0.0))
        if begun != attachment:
            since = now if attachment.begun is None else min(attachment.begun, now)
            due = since + attachment.delay  # of one that a process before this one has begun, the rest
            self._due[key] = (attachment, due)
        if now < due:
            return due - now
        self._desk.carry_out(attach(self._desk, attachment, self._access.timestamp()))
        return None


def _of_node(change: Change) -> Iterator[str]:
    """Nodes change twice a minute; of interest is what they have, or had."""
    if _says(change.stored) or (change.previous is not None and _says(change.previous)):
        yield _NODE + change.stored.key


def _says(stored: Stored) -> bool:
    return DEVICES in (stored.object["metadata"].get("annotations") or {})
