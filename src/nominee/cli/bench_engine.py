"""`nominee bench engine`: the engine alone, in memory."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import click
import orjson

from nominee.cli.bench_scenarios import SCENARIOS, Scenario, by_shapes, make_nodes
from nominee.cli.bench_volumes import VOLUMES
from nominee.cli.options import MOST_PODS, nodes_option, output_option, pods_option, scenario_option
from nominee.cli.progress import progress_bar
from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.model.pod import Pod as PodObject
from nominee.preemption import PreemptionMemory, evaluate
from nominee.profile.profile import Profile
from nominee.scheduler.assembly import build_profiles, make_registry
from nominee.scheduler.selection import Selection, select_node
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod

_BATCH = 500  # pods made at a time, outside the measured time
_ALL = {**SCENARIOS, VOLUMES.name: VOLUMES}


@click.command()
@scenario_option(_ALL)
@nodes_option(5000)
@pods_option(10000)
@click.option(
    "--shapes",
    type=click.IntRange(0, MOST_PODS),
    metavar="N",
    help="Instead of a scenario: pods of so many sizes; 0: all differ.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Where ties between equal nodes begin.")
@output_option("text", "json")
def engine(scenario: str, nodes: int, pods: int, shapes: int | None, seed: int, output: str) -> None:
    """The engine alone, in memory: every node evaluated for every pod, nothing bound anywhere.

    The measured time runs from a decoded pod to its place in the columns; making the pods is left
    out. In `preempt` it holds the failed search, the evaluation of all candidates, the victims'
    departure and the preemptor's placement.

    Ends with 0 whenever it measured. Pods that fit nowhere are part of the figures: `placed` says
    how many did fit, and so does a line on standard error when some did not.
    """
    if shapes is not None and scenario != "basic":
        raise click.UsageError(
            f"--shapes varies the pods of 'basic', not of {scenario!r}: leave out one of them"
        )
    chosen = _ALL[scenario] if shapes is None else by_shapes(shapes)
    with progress_bar(f"{chosen.name}, {nodes} nodes", pods) as advance:
        figures = EngineRun(chosen, nodes, seed).run(pods, advance)
    if figures["placed"] < pods:
        click.echo(f"nominee: note: {pods - figures['placed']} of {pods} pods fit nowhere", err=True)
    if output == "json":
        click.echo(orjson.dumps(figures).decode())
    else:
        click.echo("  ".join(f"{name} {value}" for name, value in figures.items()))


class EngineRun:
    """A cluster filled for a scenario, and the loop that is measured."""

    def __init__(self, scenario: Scenario, nodes: int, seed: int) -> None:
        features = FeatureGates()
        profiles = build_profiles(load_config(features=features), features, make_registry())
        self.profile: Profile = profiles["default-scheduler"]
        self.scenario = scenario
        self.cluster = ClusterState()
        self.seed = seed
        self.preempting = scenario.name == "preempt"
        self.memory = PreemptionMemory()
        self.nodes = nodes
        for node in make_nodes(nodes):
            self.cluster.add_node(node)
        for pod in scenario.standing(nodes):
            self.cluster.add_pod(self.cluster.pod(pod))

    def run(self, pods: int, advance: Callable[[int], None] = lambda _: None) -> dict[str, Any]:
        """Schedule so many pods, made a batch at a time, and return the figures."""
        for item in self.scenario.objects(self.nodes, pods):
            self.cluster.put_object(item)
        seconds, placed = 0.0, 0
        pending = self.scenario.pending(pods)
        while batch := list(islice(pending, _BATCH)):
            start = time.perf_counter()
            placed += self.place(batch)
            seconds += time.perf_counter() - start
            advance(len(batch))
        return {
            "scenario": self.scenario.name,
            "nodes": self.nodes,
            "pods": pods,
            "placed": placed,
            "pods_per_s": round(pods / seconds, 1),
            "us_per_pod": round(1e6 * seconds / pods, 2),
            "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1),
        }

    def place(self, batch: list[PodObject]) -> int:
        placed = 0
        for source in batch:
            pod = self.cluster.pod(source)
            self.seed += 7919
            selection = select_node(self.profile, self.cluster, pod, 0.0, self.seed)
            if selection.row is None and self.preempting:
                self._preempt(pod, selection)
            if selection.row is not None:
                self.cluster.assume(pod, self.cluster.nodes.name(selection.row))
                placed += 1
        return placed

    def _preempt(self, pod: Pod, selection: Selection) -> None:
        if selection.diagnosis is None:
            return
        candidates = evaluate(pod, selection.diagnosis, self.cluster, remembered=self.memory).candidates
        if not len(candidates):
            return
        row = candidates.choose(self.seed % self.nodes)
        for victim in candidates.victims(row):
            self.cluster.remove_pod(victim.uid)
        selection.row = row
