"""The disruption controller."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.model.meta import LabelSelector, ObjectMeta
from nominee.model.policy import PodDisruptionBudget, PodDisruptionBudgetSpec
from nominee.sim import Simulation
from nominee.testing import make_node, make_pod


def allowed(sim: Simulation) -> int:
    budget = sim.world.get(PodDisruptionBudget, "default/guard")
    assert budget is not None
    return budget.status.disruptions_allowed


def guarded(**spec: Any) -> Simulation:
    budget = PodDisruptionBudget(
        metadata=ObjectMeta(name="guard", namespace="default"),
        spec=PodDisruptionBudgetSpec(selector=LabelSelector(match_labels={"app": "db"}), **spec),
    )
    pods = [make_pod(f"db-{i}").label("app", "db").req(cpu="1") for i in range(4)]
    node = make_node("n").capacity(cpu="9", memory="9Gi", pods="9")
    sim = Simulation([node], pods, [budget])
    sim.run_until_quiet()
    return sim


@pytest.mark.parametrize(
    ("spec", "expected"),
    [
        ({"min_available": 3}, 1),
        ({"min_available": "50%"}, 2),
        ({"max_unavailable": 1}, 1),
        ({"max_unavailable": "25%"}, 1),
        ({"min_available": 5}, 0),
    ],
)
def test_a_budget_allows_what_it_says(spec: dict[str, Any], expected: int) -> None:
    assert allowed(guarded(**spec)) == expected


def test_a_pod_on_its_way_out_uses_the_budget_up() -> None:
    sim = guarded(min_available=3)
    sim.delete("db-0")
    assert allowed(sim) == 0
    sim.create(make_pod("db-4").label("app", "db").req(cpu="1"))
    sim.run_until_quiet()
    assert allowed(sim) == 1
