"""What each operation of a scenario does."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from nominee.errors import InputError
from nominee.model.codec import decode_object
from nominee.model.meta import ObjectMeta
from nominee.model.policy import PriorityClass
from nominee.sim.scenario.types import (
    Barrier,
    Churn,
    CreateNodes,
    CreatePods,
    Delete,
    Expect,
    FailApi,
    HoldApi,
    Latency,
    Nominate,
    RestartScheduler,
    Seconds,
    SetPriorityClass,
    Which,
    is_numbered,
)

if TYPE_CHECKING:
    from nominee.sim.scenario.run import Run


def _create_nodes(run: Run, what: CreateNodes) -> None:
    _check_name(what.name, what.count)
    mould = run.node_mould(what.template)
    zones: list[str] = what.zones or [""]
    for i in range(what.count):
        run.sim.create(mould.node(run.name(what.name), zones[i % len(zones)]))


def _create_pods(run: Run, what: CreatePods) -> None:
    _check_name(what.name, what.count)
    choices = what.template if isinstance(what.template, list) else [what.template]
    moulds = [run.mould(each) for each in choices]
    draw = run.sim.random

    def create() -> None:
        mould = moulds[0] if len(moulds) == 1 else moulds[draw.randrange(len(moulds))]
        pod = run.sim.create(mould.pod(run.name(what.name), what.namespace))
        if what.nominated:
            run.sim.nominate(pod.key, what.nominated)
        if what.node:
            run.sim.world.bind(pod.key, pod.metadata.uid, what.node)

    if what.rate is not None:
        run.arrivals.begin(run.blaming(create), what.count, what.rate, random=what.arrivals == "random")
        return
    for _ in range(what.count):
        create()


def _churn(run: Run, what: Churn) -> None:
    _check_name(what.name, what.count)
    mould = run.mould(what.template)
    alive: list[str] = []

    def create() -> None:
        pod = run.sim.create(mould.pod(run.name(what.name), what.namespace))
        alive.append(pod.key)
        if len(alive) > what.keep:
            oldest = alive.pop(0)
            if oldest in run.sim.world.pods:
                run.sim.delete(oldest)

    run.arrivals.begin(run.blaming(create), what.count, what.rate, random=False)


def _check_name(name: str, count: int) -> None:
    if count > 1 and not is_numbered(name):
        raise InputError(
            f"must end in '-' or '.', so that {count} can be numbered, got {name!r}", field="name"
        )


def _create_objects(run: Run, what: list[dict[str, Any]]) -> None:
    for place, item in enumerate(what):
        try:
            run.sim.create(decode_object(item))
        except InputError as error:
            raise error.at(field=f"[{place}]") from None


def _delete(run: Run, what: Delete) -> None:
    if not what.pods and not what.nodes:
        raise InputError("must say which: allowed are pods, nodes")
    for key in _matching(run.sim.world.pods, what.pods, what.count):
        run.sim.delete(key, what.grace)
    for key in _matching(run.sim.world.nodes, what.nodes, what.count):
        run.sim.delete_node(key)


def _advance(run: Run, seconds: Seconds) -> None:
    end = run.sim.now + seconds
    run.go_on(lambda: False, end if run.until is None else min(end, run.until))


def _barrier(run: Run, what: Barrier) -> None:
    def reached() -> bool:
        if what.pods == "all":
            return not run.arrivals.outstanding and run.chronicle.pending == 0
        return run.chronicle.placed >= what.pods

    end = run.sim.now + what.timeout
    if not run.go_on(reached, end if run.until is None else min(end, run.until)):
        pending = run.chronicle.pending
        run.failures.append(f"barrier at {run.sim.now:g} s: {pending} pods still pending")


def _restart(run: Run, what: RestartScheduler) -> None:
    run.sim.stop()
    if what.down:
        _advance(run, what.down)
    gates = run.scenario.feature_gates = run.scenario.feature_gates | what.feature_gates
    run.sim.restart_scheduler(features=gates)


def _fail_api(run: Run, what: FailApi) -> None:
    run.sim.fail(what.call, what.times, share=what.share, pod=what.pods, after=what.after)


def _heal_api(run: Run, what: Which) -> None:
    run.sim.heal(what.call)


def _hold_api(run: Run, what: HoldApi) -> None:
    run.sim.hold(what.call, what.pods, answers=what.answers)


def _release_api(run: Run, what: Which) -> None:
    run.sim.release(what.call, what.pods)


def set_latency(run: Run, what: Latency) -> None:
    """Set those latencies that are given."""
    for name, seconds in asdict(what).items():
        if seconds is not None:
            run.sim.set_latency(name, seconds)


def _set_priority_class(run: Run, what: SetPriorityClass) -> None:
    run.sim.add(
        PriorityClass(
            metadata=ObjectMeta(name=what.name),
            value=what.value,
            global_default=what.global_default,
            preemption_policy=what.preemption_policy,
        )
    )


def _nominate(run: Run, what: Nominate) -> None:
    run.sim.nominate(what.pod, what.node)


def _expect(run: Run, what: Expect) -> None:
    chronicle, sim = run.chronicle, run.sim
    wrong = [
        f"{name} should be {wanted}, is {found}"
        for name, wanted, found in (
            ("placed", what.placed, chronicle.placed),
            ("pending", what.pending, chronicle.pending),
            ("evictions", what.evictions, chronicle.evictions),
            *((f"the node of {pod}", node, sim.node_of(pod)) for pod, node in what.nodes.items()),
            *((f"the nomination of {p}", n, sim.nomination_of(p)) for p, n in what.nominations.items()),
        )
        if wanted is not None and wanted != found
    ]
    run.failures += [f"at {sim.now:g} s: {each}" for each in wrong]


def _matching(keys: Iterable[str], pattern: str, count: int | None) -> list[str]:
    if not pattern:
        return []
    found = [k for k in keys if fnmatchcase(k if "/" in pattern else k.rpartition("/")[2], pattern)]
    return found[:count]


OPERATIONS: dict[str, Callable[[Run, Any], None]] = {
    "create_nodes": _create_nodes,
    "create_pods": _create_pods,
    "create_objects": _create_objects,
    "churn": _churn,
    "delete": _delete,
    "advance": _advance,
    "barrier": _barrier,
    "restart_scheduler": _restart,
    "fail_api": _fail_api,
    "heal_api": _heal_api,
    "hold_api": _hold_api,
    "release_api": _release_api,
    "set_latency": set_latency,
    "set_priority_class": _set_priority_class,
    "nominate": _nominate,
    "expect": _expect,
}
