"""Makes volumes for claims of classes whose provisioner is nominee.dev/simulated."""

from __future__ import annotations

from collections.abc import Mapping

from nominee.driver.simulated.provisioning import PROVISIONER, Order, carry_out, order_for
from nominee.driver.simulated.volume_binding import CLAIM
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys, own_key
from nominee.embedded.storage.binder import CLAIMS
from nominee.embedded.writing import Desk

_TRY_AGAIN = 15.0
"""Seconds until a claim is tried again that no scheduler can send elsewhere."""


class VolumeProvisioner:
    """Keys are claims."""

    name = "volume-provisioner"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._desk = Desk(access, PROVISIONER)
        self._due: dict[str, tuple[Order, float]] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Claims."""
        return {CLAIMS: own_key}

    def reconcile(self, key: str) -> float | None:
        """Make the volume once it has taken its time, which begins when the order is first seen."""
        claim = self._desk.get(CLAIM, key)
        order = None if claim is None else order_for(self._desk, claim)
        if order is None:
            self._due.pop(key, None)
            return None
        now = self._access.now()
        begun, due = self._due.get(key, (None, 0.0))
        if begun != order:
            due = now + order.delay
            self._due[key] = (order, due)
        if now < due:
            return due - now
        self._desk.carry_out(carry_out(self._desk, order))
        return _TRY_AGAIN
