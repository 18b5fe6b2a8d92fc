"""Measures `nominee up` from outside: a client in a process of its own, HTTPS, durable storage.

    python -m tools.bench_embedded ready post backlog memory sleeper

ready    from the start of the process to the line "ready"
post     one POST a pod over keep-alive connections, until all pods are bound
backlog  pods that are there when the scheduler starts, until all are bound
memory   the whole process with nodes and pods
sleeper  `post` once more, while a watcher of all pods does not read

What is bound is counted as a client sees it: by a watch of pods.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import uvloop

from tools.embedded_client import Access, Bound, post_pods, ready_nodes, sleeper
from tools.embedded_server import Server, nominee_up

Figures = dict[str, Any]
T = TypeVar("T")
_PATIENCE = 600.0
_STARTS = 5


def run(work: Coroutine[Any, Any, T]) -> T:
    """Do it in an event loop."""
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(work)


def wait_for_nodes(server: Server, count: int) -> None:
    """Until so many nodes are ready."""
    deadline = time.monotonic() + _PATIENCE
    while run(ready_nodes(Access(server.kubeconfig))) < count:
        if time.monotonic() > deadline:
            sys.exit("the nodes do not become ready")
        time.sleep(0.2)


def measure_ready(_: argparse.Namespace) -> Figures:
    """Some starts on an empty directory, and one on what the first one left."""
    times, cpus = [], []
    with TemporaryDirectory() as directory:
        for number in range(_STARTS):
            with nominee_up(Path(directory, str(number)), "--nodes", "10") as server:
                times.append(server.ready_seconds)
                cpus.append(server.ready_cpu)
        with nominee_up(Path(directory, "0"), "--nodes", "10") as server:
            again = server.ready_seconds
    return {
        "ready_s": round(min(times), 2),
        "ready_s_median": round(sorted(times)[_STARTS // 2], 2),
        "cpu_s": round(min(cpus), 2),
        "again_s": round(again, 2),
    }


def measure_post(arguments: argparse.Namespace, *, with_sleeper: bool = False) -> Figures:
    """Pods a second from the first POST to the last binding seen."""
    nodes = str(arguments.nodes)
    with TemporaryDirectory() as directory, nominee_up(Path(directory), "--nodes", nodes) as server:
        wait_for_nodes(server, arguments.nodes)
        return run(_post(server, arguments, with_sleeper=with_sleeper))


async def _post(server: Server, arguments: argparse.Namespace, *, with_sleeper: bool) -> Figures:
    access, count = Access(server.kubeconfig), arguments.pods
    asleep = await sleeper(access) if with_sleeper else None
    bound = Bound(access)
    watching = asyncio.create_task(bound.until(count))
    await asyncio.sleep(0.5)  # the watch is there
    cpu, own, start = server.cpu(), time.process_time(), time.perf_counter()
    await post_pods(access, count, arguments.parallel)
    posted = time.perf_counter() - start
    await asyncio.wait_for(watching, _PATIENCE)
    if asleep is not None:
        asleep.close()
    return {
        "pods": count,
        "nodes": arguments.nodes,
        "parallel": arguments.parallel,
        "pods_per_s": round(count / (bound.last - start)),
        "posts_per_s": round(count / posted),
        "server_cpu_us_per_pod": round((server.cpu() - cpu) / count * 1e6),
        "client_cpu_us_per_pod": round((time.process_time() - own) / count * 1e6),
    }


def measure_backlog(arguments: argparse.Namespace) -> Figures:
    """Pods a second, from the moment at which the server is ready until all that were waiting are bound."""
    with TemporaryDirectory() as directory:
        data = Path(directory)
        with nominee_up(data, "--nodes", str(arguments.nodes), "--no-scheduler") as server:
            wait_for_nodes(server, arguments.nodes)
            run(post_pods(Access(server.kubeconfig), arguments.pods, arguments.parallel))
        with nominee_up(data) as server:
            return run(_backlog(server, arguments))


async def _backlog(server: Server, arguments: argparse.Namespace) -> Figures:
    start, count = time.perf_counter(), arguments.pods
    bound = Bound(Access(server.kubeconfig))
    await asyncio.wait_for(bound.until(count), _PATIENCE)
    return {
        "pods": count,
        "nodes": arguments.nodes,
        "pods_per_s": round(count / (bound.last - start)),
        "server_cpu_us_per_pod": round((server.cpu() - server.ready_cpu) / count * 1e6),
        "ready_s": round(server.ready_seconds, 2),
    }


def measure_memory(arguments: argparse.Namespace) -> Figures:
    """MiB once so many pods run on so many nodes, and after a restart."""
    nodes, pods = arguments.memory_nodes, arguments.memory_pods
    with TemporaryDirectory() as directory:
        data = Path(directory)
        with nominee_up(data, "--nodes", str(nodes)) as server:
            wait_for_nodes(server, nodes)
            run(_fill(server, pods, arguments.parallel))
            figures = {
                "nodes": nodes,
                "pods": pods,
                "rss_mib": round(server.memory()),
                "peak_mib": round(server.memory("VmHWM")),
            }
        with nominee_up(data) as server:
            time.sleep(10)
            figures["restarted_mib"] = round(server.memory())
            return {**figures, "restart_s": round(server.ready_seconds, 2)}


async def _fill(server: Server, pods: int, parallel: int) -> None:
    access = Access(server.kubeconfig)
    watching = asyncio.create_task(Bound(access).until(pods))
    await post_pods(access, pods, parallel)
    await asyncio.wait_for(watching, _PATIENCE)
    await asyncio.sleep(5)  # the last ones are running, too


MEASURES: dict[str, Callable[[argparse.Namespace], Figures]] = {
    "ready": measure_ready,
    "post": measure_post,
    "backlog": measure_backlog,
    "memory": measure_memory,
    "sleeper": partial(measure_post, with_sleeper=True),
}


def main() -> None:
    """Measure what is named, or all of it; a JSON object a line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("measures", nargs="*", metavar="MEASURE", help="default: all")
    parser.add_argument("--pods", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=500)
    parser.add_argument("--parallel", type=int, default=32)
    parser.add_argument("--memory-pods", type=int, default=50_000)
    parser.add_argument("--memory-nodes", type=int, default=5_000)
    arguments = parser.parse_args()
    for name in arguments.measures or MEASURES:
        if name not in MEASURES:
            parser.error(f"unknown measure {name!r}: expected some of {', '.join(MEASURES)}")
        print(json.dumps({"measure": name, **MEASURES[name](arguments)}), flush=True)


if __name__ == "__main__":
    main()
