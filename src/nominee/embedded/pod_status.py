"""What a kubelet writes into the status of a pod, as trees: waiting, running, ended.

Reproduces convertStatusToAPIStatus and the conditions of pkg/kubelet/status/generate.go, v1.37, as far as
users and controllers see them. The given trees are never changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from nominee.store.ports import JsonObject

Make = Callable[[JsonObject, JsonObject], JsonObject]
"""From a container and its status before to its status."""

IMAGE_ID = "nominee.dev/simulated@sha256:" + "0" * 64


RESIZE_PENDING = "PodResizePending"
_HELD = ("resources", "allocatedResources")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a pod is not given what it is to have: `Infeasible`, or for now `Deferred`."""

    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where a pod runs."""

    host_ip: str
    pod_ip: str = ""


def creating(pod: JsonObject, place: Place, now: str) -> JsonObject:
    """The pod has been accepted by its node; its containers are being created."""
    waiting = {"waiting": {"reason": "ContainerCreating"}}
    return {
        **_common(pod, place, now),
        "phase": "Pending",
        "conditions": _conditions(pod, now, started=False, reason="ContainersNotReady"),
        **_containers(pod, partial(_container_status, pod, state=waiting)),
    }


def running(pod: JsonObject, place: Place, now: str) -> JsonObject:
    """All containers run, and are ready at once."""
    state = {"running": {"startedAt": now}}
    return {
        **_common(pod, place, now),
        "phase": "Running",
        "podIP": place.pod_ip,
        "podIPs": [{"ip": place.pod_ip}],
        "conditions": _conditions(pod, now, started=True, reason=""),
        **_containers(pod, partial(_container_status, pod, state=state, ready=True), now),
    }


def ended(pod: JsonObject, exit_code: int, now: str) -> JsonObject:
    """All containers have ended with this code, and are not started again."""
    succeeded = exit_code == 0
    return {
        **pod.get("status", {}),
        "phase": "Succeeded" if succeeded else "Failed",
        "conditions": _conditions(
            pod, now, started=False, reason="PodCompleted" if succeeded else "PodFailed"
        ),
        **_containers(pod, partial(_ended_container, pod, exit_code=exit_code, now=now), now),
    }


def restarted(pod: JsonObject, exit_code: int, now: str) -> JsonObject:
    """All containers have ended with this code, and are running again."""
    state = {"running": {"startedAt": now}}

    def again(container: JsonObject, before: JsonObject) -> JsonObject:
        last = _terminated(before, exit_code, now)
        status = _container_status(pod, container, before, state, ready=True)
        return {**status, "lastState": last, "restartCount": before.get("restartCount", 0) + 1}

    return {**pod.get("status", {}), **_containers(pod, again, now)}


def observed(pod: JsonObject, refusal: Refusal | None, now: str) -> JsonObject:
    """A changed specification has been seen: containers have what it says, unless that is refused.

    One whose image it changes, or whose policy says so, is started again.
    """
    status = pod["status"]
    before = {each["type"]: each for each in status.get("conditions") or ()}
    old = before.pop(RESIZE_PENDING, None)
    if refusal is not None:
        before[RESIZE_PENDING] = _pending(pod, refusal, old, now)
    conditions = list(before.values())
    made = _containers(pod, partial(_observed_container, pod, resized=refusal is None, now=now), now)
    return {
        **status,
        "observedGeneration": pod["metadata"].get("generation", 0),
        "conditions": conditions,
        **made,
    }


def _pending(pod: JsonObject, refusal: Refusal, old: JsonObject | None, now: str) -> JsonObject:
    same = old is not None and old.get("reason") == refusal.reason
    return {
        "type": RESIZE_PENDING,
        "status": "True",
        "reason": refusal.reason,
        "message": refusal.message,
        "observedGeneration": pod["metadata"].get("generation", 0),
        "lastProbeTime": None,
        "lastTransitionTime": old["lastTransitionTime"] if old is not None and same else now,
    }


def _observed_container(
    pod: JsonObject, container: JsonObject, before: JsonObject, *, resized: bool, now: str
) -> JsonObject:
    if "running" not in before.get("state", {}):
        return before
    resources = _resources(container) if resized else {name: before[name] for name in _HELD if name in before}
    kept = {name: value for name, value in before.items() if name not in _HELD}
    if container.get("image", "") == before.get("image") and not _restarts(container, before, resources):
        return {**kept, **resources}
    state = {"running": {"startedAt": now}}
    return {
        **_container_status(pod, container, before, state, ready=True),
        **resources,
        "lastState": _terminated(before, 0, now),
        "restartCount": before.get("restartCount", 0) + 1,
    }


def _restarts(container: JsonObject, before: JsonObject, resources: JsonObject) -> bool:
    """Whether a change of its resources has it started again."""
    then, now = before.get("resources") or {}, resources.get("resources") or {}
    restarting = [
        policy["resourceName"]
        for policy in container.get("resizePolicy") or ()
        if policy.get("restartPolicy") == "RestartContainer"
    ]
    return any(
        (then.get(part) or {}).get(name) != (now.get(part) or {}).get(name)
        for name in restarting
        for part in ("limits", "requests")
    )


def _resources(container: JsonObject) -> JsonObject:
    """What a container has been given, which is what it asks for."""
    resources = container.get("resources") or {}
    given: JsonObject = {"resources": resources}
    if resources.get("requests"):
        given["allocatedResources"] = resources["requests"]
    return given


def is_ready(pod: JsonObject) -> bool:
    """Whether the pod's status says that it is ready."""
    conditions = pod.get("status", {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


# -- its parts --------------------------------------------------------------------------------------


def _common(pod: JsonObject, place: Place, now: str) -> JsonObject:
    status = pod.get("status", {})
    common = {
        **status,
        "hostIP": place.host_ip,
        "hostIPs": [{"ip": place.host_ip}],
        "startTime": status.get("startTime") or now,
    }
    generation = pod["metadata"].get("generation")
    if generation:
        common["observedGeneration"] = generation
    return common


def _conditions(pod: JsonObject, now: str, *, started: bool, reason: str) -> list[JsonObject]:
    """The kubelet's own, behind those that others have written; a time changes with its status only."""
    before = {each["type"]: each for each in pod.get("status", {}).get("conditions") or ()}
    truth = dict(_truths(pod, started=started, reason=reason, before=before))
    kept = [each for name, each in before.items() if name not in truth]
    return [*kept, *(_condition(name, before.get(name), said, now) for name, said in truth.items())]


def _truths(
    pod: JsonObject, *, started: bool, reason: str, before: dict[str, JsonObject]
) -> Iterator[tuple[str, tuple[bool, str]]]:
    over = reason in ("PodCompleted", "PodFailed")
    yield "PodReadyToStartContainers", (started, "")
    yield "Initialized", (True, reason if reason == "PodCompleted" else "")
    gates = pod["spec"].get("readinessGates") or ()
    open_gates = all(before.get(g["conditionType"], {}).get("status") == "True" for g in gates)
    if started and not open_gates:
        yield "Ready", (False, "ReadinessGatesNotReady")
    else:
        yield "Ready", (started and not over, reason)
    yield "ContainersReady", (started and not over, reason)


def _condition(name: str, before: JsonObject | None, said: tuple[bool, str], now: str) -> JsonObject:
    status, reason = "True" if said[0] else "False", said[1]
    since = before["lastTransitionTime"] if before and before["status"] == status else now
    condition: JsonObject = {
        "type": name,
        "status": status,
        "lastProbeTime": None,
        "lastTransitionTime": since,
    }
    if reason:
        condition["reason"] = reason
    return condition


def _containers(pod: JsonObject, make: Make, done: str = "") -> JsonObject:
    """The statuses of all containers; init containers have ended well once the others have been started."""
    spec, status = pod["spec"], pod.get("status", {})
    before = {each["name"]: each for each in status.get("containerStatuses") or ()}
    made = {"containerStatuses": [make(each, before.get(each["name"], {})) for each in spec["containers"]]}
    inits = spec.get("initContainers")
    if inits:
        first = {each["name"]: each for each in status.get("initContainerStatuses") or ()}
        made["initContainerStatuses"] = [
            _init_status(pod, each, first.get(each["name"], {}), make, done) for each in inits
        ]
    return made


def _init_status(
    pod: JsonObject, container: JsonObject, before: JsonObject, make: Make, done: str
) -> JsonObject:
    if container.get("restartPolicy") == "Always":  # a sidecar
        return make(container, before)
    if not done:
        waiting = {"waiting": {"reason": "PodInitializing"}}
        return _container_status(pod, container, before, waiting)
    if "terminated" in before.get("state", {}):
        return before
    status = _container_status(pod, container, before, _terminated(before, 0, done), ready=True)
    return {**status, "started": False}


def _ended_container(
    pod: JsonObject, container: JsonObject, before: JsonObject, exit_code: int, now: str
) -> JsonObject:
    if "terminated" in before.get("state", {}):
        return before
    return _container_status(pod, container, before, _terminated(before, exit_code, now))


def _container_status(
    pod: JsonObject, container: JsonObject, before: JsonObject, state: JsonObject, *, ready: bool = False
) -> JsonObject:
    status = {
        "name": container["name"],
        "state": state,
        "lastState": before.get("lastState", {}),
        "ready": ready,
        "restartCount": before.get("restartCount", 0),
        "image": container.get("image", ""),
        "imageID": IMAGE_ID if "waiting" not in state else "",
        "started": ready,
    }
    if "waiting" not in state:
        status["containerID"] = _container_id(pod, container["name"])
        status.update(_resources(container))
    return status


def _container_id(pod: JsonObject, name: str) -> str:
    return f"simulated://{pod['metadata']['uid']}/{name}"


def _terminated(before: JsonObject, exit_code: int, now: str) -> JsonObject:
    started = before.get("state", {}).get("running", {}).get("startedAt") or now
    ended: JsonObject = {
        "exitCode": exit_code,
        "reason": "Completed" if exit_code == 0 else "Error",
        "startedAt": started,
        "finishedAt": now,
    }
    if before.get("containerID"):
        ended["containerID"] = before["containerID"]
    return {"terminated": ended}
