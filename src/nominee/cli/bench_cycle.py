"""The whole cycle against the bare engine, and what trying the nominated node first is worth.

Both are ratios of two figures, so the two sides take turns, batch by batch, in one run: whatever
else the machine does meanwhile, it does to both.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from itertools import islice
from typing import Any

import click
import orjson

from nominee.cli.bench_engine import EngineRun
from nominee.cli.bench_scenarios import SCENARIOS, Scenario, make_nodes
from nominee.cli.options import nodes_option, output_option, pods_option, scenario_option
from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.driver.collector import look_rarely
from nominee.model.pod import Pod as PodObject
from nominee.scheduler.assembly import build_profiles, make_registry
from nominee.scheduler.effects import Evict, PatchPodStatus, RunBind, RunPreBind
from nominee.scheduler.inputs import Completed, Gone, Seen
from nominee.scheduler.scheduler import Scheduler
from nominee.scheduler.selection import select_node

_BATCH = 500
_ANSWERED = (RunBind, RunPreBind, PatchPodStatus)


@click.command()
@scenario_option(SCENARIOS)
@nodes_option(5000)
@pods_option(10000)
@output_option("text", "json")
def cycle(scenario: str, nodes: int, pods: int, output: str) -> None:
    """The whole cycle a pod goes through, beside the bare engine on the same scenario.

    The cycle runs from the pod's arrival over queue, decision, assumption and binding to the answer
    of the API server, which here answers at once. The ratio is what all that costs in units of the
    engine alone.
    """
    look_rarely()  # as `nominee run` has it
    chosen = SCENARIOS[scenario]
    engine, whole = EngineRun(chosen, nodes, 0), CycleRun(chosen, nodes)
    spent = _take_turns(chosen.pending(pods), engine.place, whole.place)
    figures = {
        "scenario": scenario,
        "nodes": nodes,
        "pods": pods,
        "placed": whole.placed,
        "engine_us_per_pod": round(1e6 * spent[0] / pods, 2),
        "cycle_us_per_pod": round(1e6 * spent[1] / pods, 2),
        "ratio": round(spent[1] / spent[0], 2),
    }
    print_figures(figures, output)


@click.command()
@nodes_option(5000)
@pods_option(10000)
@output_option("text", "json")
def nominated(nodes: int, pods: int, output: str) -> None:
    """Pods with a nomination that holds, with the gate TryNominatedNodeFirst on and off.

    Every pod has another size, so that nothing is remembered from the pod before.
    """
    runs = [_nominating(nodes, first) for first in (True, False)]
    spent = _take_turns(SCENARIOS["mixed"].pending(pods), *runs)
    figures = {
        "nodes": nodes,
        "pods": pods,
        "first_us_per_pod": round(1e6 * spent[0] / pods, 2),
        "all_us_per_pod": round(1e6 * spent[1] / pods, 2),
        "gain": round(spent[1] / spent[0], 2),
    }
    print_figures(figures, output)


class CycleRun:
    """A scheduler with nodes, and an API server that answers every effect at once."""

    def __init__(self, scenario: Scenario, nodes: int) -> None:
        features = FeatureGates()
        profiles = build_profiles(load_config(features=features), features, make_registry())
        self.scheduler = Scheduler(profiles, features=features)
        self.placed = 0
        self._victims: dict[str, PodObject] = {}
        for node in make_nodes(nodes):
            self.scheduler.handle(Seen(node), 0.0)
        for pod in scenario.standing(nodes):
            self._victims[pod.uid] = pod
            self.scheduler.handle(Seen(pod), 0.0)

    def place(self, batch: Iterable[PodObject]) -> None:
        scheduler = self.scheduler
        for pod in batch:
            scheduler.handle(Seen(pod), 0.0)
        while scheduler.ready:
            for effect in scheduler.step(0.0):
                if isinstance(effect, _ANSWERED):
                    self.placed += isinstance(effect, RunBind)
                    scheduler.handle(Completed(effect.id), 0.0)
                elif isinstance(effect, Evict):
                    scheduler.handle(Gone(self._victims.pop(effect.victim.uid)), 0.0)
                    scheduler.handle(Completed(effect.id), 0.0)


def _nominating(nodes: int, first: bool) -> Callable[[list[PodObject]], None]:
    """A cluster, and the placing of pods that are nominated to its nodes one after the other."""
    run = EngineRun(SCENARIOS["mixed"], nodes, 0)
    count = 0

    def place(batch: list[PodObject]) -> None:
        nonlocal count
        for source in batch:
            pod, node_name = run.cluster.pod(source), run.cluster.nodes.name(count % nodes)
            run.cluster.nominate(pod, node_name)
            selection = select_node(run.profile, run.cluster, pod, 0.0, count, nominated_first=first)
            if selection.row is not None:
                run.cluster.assume(pod, run.cluster.nodes.name(selection.row))
            count += 1

    return place


def _take_turns(pods: Iterable[PodObject], *sides: Callable[[list[PodObject]], object]) -> list[float]:
    """The seconds each side took for all pods."""
    pods, spent = iter(pods), [0.0] * len(sides)
    while batch := list(islice(pods, _BATCH)):
        for i, side in enumerate(sides):
            start = time.perf_counter()
            side(batch)
            spent[i] += time.perf_counter() - start
    return spent


def print_figures(figures: dict[str, Any], output: str) -> None:
    """A line for people, or JSON for programs."""
    if output == "json":
        click.echo(orjson.dumps(figures).decode())
    else:
        click.echo("  ".join(f"{name} {value}" for name, value in figures.items()))
