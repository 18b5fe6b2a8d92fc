"""One attempt to place one pod: what the plugins of the attempt share."""

from __future__ import annotations

from typing import Any, Generic, TypeVar

import numpy as np

from nominee.config.features import FeatureGates
from nominee.state.arrays import Mask
from nominee.state.cluster_view import ClusterView

T = TypeVar("T")
_NO_NODES: Mask = np.zeros(0, np.bool_)


class Slot(Generic[T]):
    """A typed place in the cycle for what one plugin method leaves for another.

    Make it once at module level: `COUNTS: Slot[Counts] = Slot("counts")`, then `cycle[COUNTS] = …`.
    """

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"Slot({self.name!r})"


class Cycle:
    """The state of one attempt.

    cluster   look-ups beyond the columns
    features  the feature gates
    now       the time of the attempt, in seconds; plugins read no clock of their own
    offset    where to begin among equals; another number in every cycle, from the scheduler's seed
    feasible  from PreScore on: by row of the view over all nodes, which nodes passed the filters
    """

    __slots__ = ("_parent", "_slots", "cluster", "feasible", "features", "now", "offset")

    def __init__(
        self,
        cluster: ClusterView,
        features: FeatureGates,
        now: float = 0.0,
        parent: Cycle | None = None,
        offset: int = 0,
    ) -> None:
        self.cluster = cluster
        self.features = features
        self.now = now
        self.offset = offset
        self.feasible = _NO_NODES
        self._parent = parent
        self._slots: dict[Slot[Any], Any] = {}

    def __setitem__(self, slot: Slot[T], value: T) -> None:
        self._slots[slot] = value

    def __getitem__(self, slot: Slot[T]) -> T:
        value = self.get(slot)
        if value is None:
            msg = f"nothing in {slot!r}: the method that fills it did not run in this cycle"
            raise LookupError(msg)
        return value

    def get(self, slot: Slot[T]) -> T | None:
        """What is in the slot, if anything."""
        found = self._slots.get(slot)
        if found is None and self._parent is not None:
            return self._parent.get(slot)
        return found
