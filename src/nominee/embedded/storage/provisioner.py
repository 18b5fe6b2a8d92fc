"""Makes volumes for claims of classes whose provisioner is nominee.dev/simulated."""

from __future__ import annotations

from collections.abc import Mapping

from nominee.driver.simulated.provisioning import (
    PROVISIONER,
    Order,
    begin,
    begun_at,
    carry_out,
    order_for,
)
from nominee.driver.simulated.volume_binding import CLAIM
from nominee.driver.simulated.writes import Tree
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

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Claims."""
        return {CLAIMS: own_key}

    def reconcile(self, key: str) -> float | None:
        """Make the volume once it has taken its time, which begins when the order is first seen."""
        claim = self._desk.get(CLAIM, key)
        order = None if claim is None else order_for(self._desk, claim)
        if claim is None or order is None:
            return None
        left = self._time_left(claim, order)
        if left > 0:
            return left
        self._desk.carry_out(carry_out(self._desk, order))
        return _TRY_AGAIN

    def _time_left(self, claim: Tree, order: Order) -> float:
        """Until the volume is there. A clock that was set back does not make it take longer."""
        if not order.delay:
            return 0.0
        now, begun = self._access.now(), begun_at(claim, order)
        if begun is None:
            self._desk.carry_out(begin(self._desk, order, now))
            begun = now
        return min(begun, now) + order.delay - now
