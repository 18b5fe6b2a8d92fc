"""The row of `kubectl get pods`.

Reproduces printPod of pkg/printers/internalversion/printers.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kinds.pod.conditions import is_true
from nominee.apiserver.kinds.table import AGE, NAME, NONE, age, age_of, shown

Item = Mapping[str, Any]

COLUMNS = (
    NAME,
    *shown("Ready", "Status", "Restarts"),
    AGE,
    *shown("IP", "Node", "Nominated Node", "Readiness Gates", wide=True),
)


@dataclass(slots=True)
class _Tally:
    """What has been found out so far."""

    reason: str
    total: int
    ready: int = 0
    restarts: int = 0
    restarted: str = ""

    def restart(self, container: Item) -> None:
        """Count the restarts of a container; the latest end of a run before is when it restarted."""
        self.restarts += container.get("restartCount") or 0
        ended = (container.get("lastState") or {}).get("terminated") or {}
        self.restarted = max(self.restarted, ended.get("finishedAt") or "")


def pod_cells(item: Item, now: float) -> list[Any]:
    """The cells of a pod."""
    spec, status = item.get("spec") or {}, item.get("status") or {}
    tally = _tally(item, spec, status)
    restarts = str(tally.restarts)
    if tally.restarts and tally.restarted:
        restarts += f" ({age(tally.restarted, now)} ago)"
    return [
        item["metadata"]["name"],
        f"{tally.ready}/{tally.total}",
        tally.reason,
        restarts,
        age_of(item, now),
        first_address(status) or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        _readiness_gates(spec.get("readinessGates") or (), status.get("conditions") or ()),
    ]


def first_address(status: Item) -> str:
    """The first of a pod's addresses."""
    addresses = status.get("podIPs")
    return (addresses[0].get("ip") or "") if addresses else ""


def _readiness_gates(gates: Sequence[Item], conditions: Sequence[Item]) -> str:
    if not gates:
        return NONE
    passed = sum(is_true(conditions, gate.get("conditionType") or "") for gate in gates)
    return f"{passed}/{len(gates)}"


def _tally(item: Item, spec: Item, status: Item) -> _Tally:
    sidecars = {
        one.get("name") for one in spec.get("initContainers") or () if one.get("restartPolicy") == "Always"
    }
    tally = _Tally(_first_reason(status), len(spec.get("containers") or ()) + len(sidecars))
    conditions = status.get("conditions") or ()
    beside = _Tally("", 0)
    initializing = _initializing(spec, status, sidecars, tally, beside)
    if not initializing or is_true(conditions, "Initialized"):
        tally.restarts, tally.restarted = beside.restarts, beside.restarted
        _running(status, tally)
    _deleted(item, status, tally)
    return tally


def _first_reason(status: Item) -> str:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            return "SchedulingGated"
    return status.get("reason") or status.get("phase") or ""


def _initializing(spec: Item, status: Item, sidecars: set[str | None], tally: _Tally, beside: _Tally) -> bool:
    """Whether one of the first containers has not done its work yet; says so in the tally."""
    for position, container in enumerate(status.get("initContainerStatuses") or ()):
        sidecar = container.get("name") in sidecars
        tally.restart(container)
        if sidecar:
            beside.restart(container)
        state = container.get("state") or {}
        ended = state.get("terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        if sidecar and container.get("started"):
            tally.ready += bool(container.get("ready"))
            continue
        waits = (state.get("waiting") or {}).get("reason") or ""
        if ended is not None:
            tally.reason = "Init:" + _end(ended)
        elif waits and waits != "PodInitializing":
            tally.reason = f"Init:{waits}"
        else:
            tally.reason = f"Init:{position}/{len(spec.get('initContainers') or ())}"
        return True
    return False


def _end(terminated: Item) -> str:
    if terminated.get("reason"):
        return str(terminated["reason"])
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode') or 0}"


def _running(status: Item, tally: _Tally) -> None:
    running, error = False, ""
    for container in reversed(status.get("containerStatuses") or ()):
        tally.restart(container)
        state = container.get("state") or {}
        waits = (state.get("waiting") or {}).get("reason")
        ended = state.get("terminated")
        if waits:
            tally.reason = waits
        elif ended is not None:
            tally.reason = _end(ended)
            error = tally.reason if ended.get("exitCode") else error
        elif container.get("ready") and "running" in state:
            running = True
            tally.ready += 1
    if tally.reason == "Completed":
        tally.reason = _not_quite_completed(status, error, running=running)


def _not_quite_completed(status: Item, error: str, *, running: bool) -> str:
    if running and is_true(status.get("conditions") or (), "Ready"):
        return "Running"
    return error or ("NotReady" if running else "Completed")


def _deleted(item: Item, status: Item, tally: _Tally) -> None:
    if "deletionTimestamp" not in item["metadata"]:
        return
    if status.get("reason") == "NodeLost":
        tally.reason = "Unknown"
    elif status.get("phase") not in ("Succeeded", "Failed"):
        tally.reason = "Terminating"
