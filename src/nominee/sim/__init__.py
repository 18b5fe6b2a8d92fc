"""The driver in virtual time: a heap of future events, an API world in memory, the scheduler's core."""

from __future__ import annotations

from nominee.sim.driver import Simulation
from nominee.sim.world import World

__all__ = ["Simulation", "World"]
