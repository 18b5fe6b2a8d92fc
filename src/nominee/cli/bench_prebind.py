"""What publishing the expected node costs pods whose volumes are made before they are bound.

Both sides are whole control planes in memory, and take turns: whatever else the machine does
meanwhile, it does to both.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import click

from nominee.apiserver.rest import Rest
from nominee.cli.bench_cycle import print_figures
from nominee.cli.options import nodes_option, output_option, pods_option
from nominee.config.features import GATES, FeatureGates
from nominee.config.load import load_config
from nominee.driver.simulated.provisioning import PROVISIONER
from nominee.embedded.control_plane import ControlPlane
from nominee.embedded.options import Options
from nominee.embedded.scheduling import SchedulerOptions
from nominee.errors import NomineeError
from nominee.store.ports import Change

_GATE = "NominatedNodeNameForExpectation"
_NAMESPACE = "default"
_PATIENCE = 600.0


@click.command()
@nodes_option(100)
@pods_option(500)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=4,
    show_default=True,
    metavar="N",
    help="How often the two sides take turns.",
)
@output_option("text", "json")
def prebind(nodes: int, pods: int, rounds: int, output: str) -> None:
    """Pods that go through PreBind, with and without the nomination (gate NominatedNodeNameForExpectation).

    Every pod has a claim whose volume is provisioned once its node is chosen. From the first pod's
    creation to the last one's binding, all API rules included, HTTP not.
    """
    spent = {True: 0.0, False: 0.0}
    for i in range(2 * rounds):
        nominates = i % 2 == 0
        spent[nominates] += asyncio.run(_round(nodes, pods, nominates=nominates))
    total = pods * rounds
    figures: dict[str, Any] = {
        "nodes": nodes,
        "pods": total,
        "with_pods_per_s": round(total / spent[True], 1),
        "without_pods_per_s": round(total / spent[False], 1),
        "cost_percent": round(100 * (spent[True] / spent[False] - 1), 1),
    }
    print_figures(figures, output)


async def _round(nodes: int, pods: int, *, nominates: bool) -> float:
    """The seconds that it takes to place so many pods."""
    async with ControlPlane(_options(nodes, nominates=nominates)) as plane:
        await _nodes_are_there(plane.rest, nodes)
        rest = plane.rest
        rest.create("storageclasses.storage.k8s.io", "", _CLASS, rest.context())
        begun = time.perf_counter()
        done = _bound(rest, pods)
        for number in range(pods):
            rest.create("persistentvolumeclaims", _NAMESPACE, _claim(number), rest.context())
            rest.create("pods", _NAMESPACE, _pod(number), rest.context())
        try:
            await asyncio.wait_for(done, _PATIENCE)
        except TimeoutError:
            raise NomineeError(f"not all of {pods} pods were placed within {_PATIENCE:.0f} s") from None
        return time.perf_counter() - begun


def _options(nodes: int, *, nominates: bool) -> Options:
    features = FeatureGates.of({_GATE: nominates})
    scheduler = SchedulerOptions(configuration=load_config(features=features), features=features)
    return Options(port=0, nodes=nodes, features={n: features.enabled(n) for n in GATES}, scheduler=scheduler)


async def _nodes_are_there(rest: Rest, count: int) -> None:
    while len(rest.store.list("nodes")) < count:  # noqa: ASYNC110 - they are made in slices, before the clock runs
        await asyncio.sleep(0.01)


def _bound(rest: Rest, pods: int) -> asyncio.Future[None]:
    """Done when so many pods have a node."""
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    missing = pods

    def changed(change: Change) -> None:
        nonlocal missing
        before = change.previous.object["spec"].get("nodeName") if change.previous is not None else None
        if change.stored.object["spec"].get("nodeName") and not before:
            missing -= 1
            if not missing and not done.done():
                done.set_result(None)

    rest.store.listen(changed, ["pods"])
    return done


_CLASS = {
    "apiVersion": "storage.k8s.io/v1",
    "kind": "StorageClass",
    "metadata": {"name": "made-to-order"},
    "provisioner": PROVISIONER,
    "volumeBindingMode": "WaitForFirstConsumer",
}


def _claim(number: int) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": f"claim-{number}", "namespace": _NAMESPACE},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "made-to-order",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }


def _pod(number: int) -> dict[str, Any]:
    requests = {"cpu": "10m", "memory": "10Mi"}
    claim = {"claimName": f"claim-{number}"}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"pod-{number}", "namespace": _NAMESPACE},
        "spec": {
            "containers": [{"name": "main", "image": "image", "resources": {"requests": requests}}],
            "volumes": [{"name": "data", "persistentVolumeClaim": claim}],
        },
    }
