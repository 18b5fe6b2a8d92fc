"""Scenarios: what a file says shall happen, and what came of it."""

from __future__ import annotations

from nominee.sim.scenario.files import read_inputs
from nominee.sim.scenario.run import Run
from nominee.sim.scenario.types import Scenario

__all__ = ["Run", "Scenario", "read_inputs"]
