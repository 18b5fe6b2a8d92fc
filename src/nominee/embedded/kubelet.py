"""The kubelets of simulated nodes: pods start, run for as long as they say, end, and go when deleted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.driver.simulated.wishes import Wishes, wishes_of
from nominee.embedded.addresses import Addresses
from nominee.embedded.agenda import Agenda
from nominee.embedded.nodes import MANAGER, SimulatedNodes
from nominee.embedded.pod_status import (
    Place,
    creating,
    ended,
    is_ready,
    observed,
    restarted,
    running,
)
from nominee.embedded.resizing import refusal
from nominee.errors import Conflict, NotFound
from nominee.model.timestamps import format_time, parse_time
from nominee.store.ports import Change, JsonObject, Stored

POD_NETWORK = "10.0.0.0/8"
TERMINATION = 1.0
"""Seconds that containers take to end when nobody says otherwise."""
FINISHED = ("Succeeded", "Failed")


class Kubelets:
    """One for all simulated nodes.

    What a pod is waiting for is written in the pod itself; `_stage` remembers only what has been
    arranged, by uid, so that it is not arranged twice.
    """

    def __init__(self, rest: Rest, agenda: Agenda, nodes: SimulatedNodes) -> None:
        self._rest = rest
        self._agenda = agenda
        self._nodes = nodes
        self._addresses = Addresses(POD_NETWORK)
        self._stage: dict[str, str] = {}
        self._ends: dict[str, float] = {}
        self._elsewhere: dict[str, set[str]] = {}
        self._deferred: dict[str, set[str]] = {}
        nodes.on_up = self._node_up

    def start(self) -> Callable[[], None]:
        """Look after the pods that there are, and those that come; the answer ends that."""
        for stored in self._rest.store.list("pods"):
            self._restore_address(stored.object)
        for stored in self._rest.store.list("pods"):
            self._seen(stored)
        return self._rest.store.listen(self._changed, ["pods"])

    def _restore_address(self, pod: JsonObject) -> None:
        address = pod.get("status", {}).get("podIP")
        if address:
            self._addresses.restore(pod["metadata"]["uid"], address)

    def _node_up(self, name: str) -> None:
        """A node that has become simulated may have pods already."""
        for key in self._elsewhere.pop(name, ()):
            stored = self._rest.store.get("pods", key)
            if stored is not None:
                self._seen(stored)

    # -- what happens -------------------------------------------------------------------------------

    def _changed(self, change: Change) -> None:
        if change.type == "DELETED":
            self._gone(change.stored)
        else:
            self._seen(change.stored)

    def _gone(self, stored: Stored) -> None:
        uid = _uid(stored)
        self._stage.pop(uid, None)
        self._ends.pop(uid, None)
        self._addresses.release(uid)
        node = stored.object["spec"].get("nodeName") or ""
        keys = self._elsewhere.get(node)
        if keys is not None:
            keys.discard(stored.key)
        self._room_made(node)

    def _seen(self, stored: Stored) -> None:
        """Arrange what comes next for a pod on a node of ours."""
        pod = stored.object
        name = pod["spec"].get("nodeName")
        if not name:
            return
        node = self._nodes.get(name)
        if node is None:
            self._elsewhere.setdefault(name, set()).add(stored.key)
            return
        metadata, status = pod["metadata"], pod.get("status", {})
        phase = status.get("phase")
        if "deletionTimestamp" in metadata:
            self._deleted(stored, node)
        elif phase in FINISHED:
            self._room_made(name)
        elif phase == "Running":
            self._running(stored, node)
        elif metadata["uid"] not in self._stage:
            self._stage[metadata["uid"]] = "starting"
            self._start(stored, node)

    def _start(self, stored: Stored, node: JsonObject) -> None:
        wishes = _wishes(stored.object, node)
        if wishes.start:
            self._soon(self._create, stored)
            self._agenda.after(wishes.start, self._run, stored.key, _uid(stored))
        else:
            self._soon(self._run, stored)

    def _soon(self, action: Callable[[str, str], None], stored: Stored) -> None:
        self._agenda.at(0.0, action, stored.key, _uid(stored))

    def _running(self, stored: Stored, node: JsonObject) -> None:
        pod, uid = stored.object, _uid(stored)
        if self._stage.get(uid) != "running":
            self._stage[uid] = "running"
            duration = _wishes(pod, node).duration
            if duration is not None:
                self._agenda.at(_began(pod) + duration, self._end, stored.key, uid)
        if pod["spec"].get("readinessGates") and not is_ready(pod):
            self._soon(self._look_at_gates, stored)
        if pod["metadata"].get("generation", 0) > pod["status"].get("observedGeneration", 0):
            self._soon(self._observe, stored)

    def _room_made(self, node: str) -> None:
        """Something on a node takes less than it did: resizes that were deferred are looked at again."""
        for key in self._deferred.pop(node, ()):
            if (stored := self._rest.store.get("pods", key)) is not None:
                self._soon(self._observe, stored)

    def _deleted(self, stored: Stored, node: JsonObject) -> None:
        """It ends within its grace period, which another deletion may have made shorter."""
        pod, uid = stored.object, _uid(stored)
        grace = float(pod["metadata"].get("deletionGracePeriodSeconds") or 0)
        wished = _wishes(pod, node).termination
        end = self._agenda.clock.now() + min(grace, TERMINATION if wished is None else wished)
        if end < self._ends.get(uid, float("inf")):
            self._ends[uid] = end
            self._agenda.at(end, self._remove, stored.key, uid)

    # -- what it does -------------------------------------------------------------------------------

    def _create(self, key: str, uid: str) -> None:
        if (pod := self._pod(key, uid)) is not None and "startTime" not in pod.get("status", {}):
            self._write(pod, creating(pod, Place(self._host(pod)), self._now()))

    def _run(self, key: str, uid: str) -> None:
        pod = self._pod(key, uid)
        if pod is not None and "deletionTimestamp" not in pod["metadata"]:
            self._write(pod, running(pod, self._place(pod), self._now()))

    def _look_at_gates(self, key: str, uid: str) -> None:
        pod = self._pod(key, uid)
        if pod is not None and pod["status"].get("phase") == "Running":
            status = running(pod, self._place(pod), self._now())
            kept = pod["status"].get("containerStatuses", status["containerStatuses"])
            status["containerStatuses"] = kept
            if status != pod["status"]:
                self._write(pod, status)

    def _observe(self, key: str, uid: str) -> None:
        """Its specification has changed since its status was written, or may now be followed."""
        pod = self._pod(key, uid)
        if pod is None or pod["status"].get("phase") != "Running" or "deletionTimestamp" in pod["metadata"]:
            return
        name = pod["spec"]["nodeName"]
        refused = refusal(pod, self._nodes.get(name) or {}, self._others_on(name, uid))
        status = observed(pod, refused, self._now())
        if refused is not None and refused.reason == "Deferred":
            self._deferred.setdefault(name, set()).add(key)
        if status != pod["status"]:
            self._write(pod, status)
            if refused is None:
                self._room_made(name)

    def _others_on(self, node: str, uid: str) -> Iterator[JsonObject]:
        """The pods beside one that take something of a node."""
        for stored in self._rest.store.list("pods"):
            pod = stored.object
            placed = pod["spec"].get("nodeName") == node and _uid(stored) != uid
            if placed and pod.get("status", {}).get("phase") not in FINISHED:
                yield pod

    def _end(self, key: str, uid: str) -> None:
        """Its time is over: it has ended, or its containers are started again."""
        pod = self._pod(key, uid)
        if pod is None or pod["status"].get("phase") in FINISHED or "deletionTimestamp" in pod["metadata"]:
            return
        node = self._nodes.get(pod["spec"]["nodeName"]) or {"metadata": {}}
        wishes = _wishes(pod, node)
        if wishes.exit_code and pod["spec"].get("restartPolicy") == "OnFailure":
            self._write(pod, restarted(pod, wishes.exit_code, self._now()))
            self._agenda.after(max(wishes.duration or 0.0, 1.0), self._end, key, uid)
        else:
            self._write(pod, ended(pod, wishes.exit_code, self._now()))

    def _remove(self, key: str, uid: str) -> None:
        """Its containers are gone, and nothing more of it is on the node."""
        pod = self._pod(key, uid)
        if pod is None:
            return
        with suppress(NotFound, Conflict):
            if pod["metadata"].get("finalizers") and pod["status"].get("phase") not in FINISHED:
                self._write(pod, ended(pod, 0, self._now()))
            options = DeleteOptions(grace_period_seconds=0, uid=uid)
            self._rest.delete("pods", key, options, self._rest.context(MANAGER))

    # -- how it is done -----------------------------------------------------------------------------

    def _pod(self, key: str, uid: str) -> JsonObject | None:
        """The pod, if it is still the one that was meant, and still on a node of ours."""
        stored = self._rest.store.get("pods", key)
        if stored is None or _uid(stored) != uid:
            return None
        pod = stored.object
        return pod if pod["spec"].get("nodeName") in self._nodes else None

    def _write(self, pod: JsonObject, status: JsonObject) -> None:
        """Straight into the store: nobody else has a say in this, and it is written for every pod.

        Measured: copying, defaulting and checking it again takes ten times as long as storing it.
        """
        metadata = pod["metadata"]
        key = f"{metadata['namespace']}/{metadata['name']}"
        self._rest.store.update("pods", key, {**pod, "status": status})

    def _host(self, pod: JsonObject) -> str:
        return self._nodes.address(pod["spec"]["nodeName"])

    def _place(self, pod: JsonObject) -> Place:
        host = self._host(pod)
        if pod["spec"].get("hostNetwork"):
            return Place(host, host)
        return Place(host, self._addresses.of(pod["metadata"]["uid"]))

    def _now(self) -> str:
        return format_time(self._agenda.clock.now())


def _uid(stored: Stored) -> str:
    uid: str = stored.object["metadata"]["uid"]
    return uid


def _wishes(pod: JsonObject, node: JsonObject) -> Wishes:
    return wishes_of(_annotations(pod), _annotations(node))


def _annotations(item: JsonObject) -> dict[str, Any]:
    return item["metadata"].get("annotations") or {}


def _began(pod: JsonObject) -> float:
    """When it began to run."""
    for status in pod["status"].get("containerStatuses") or ():
        started = status.get("state", {}).get("running", {}).get("startedAt")
        if started:
            return parse_time(started)
    return parse_time(pod["status"]["startTime"])
