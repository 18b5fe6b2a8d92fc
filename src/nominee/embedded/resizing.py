"""Whether a node has room for what one of its pods is to have from now on.

Reproduces what the kubelet decides on a resize (pkg/kubelet/allocation and lifecycle/predicate.go, v1.37):
what no pod on a node of this size could have is infeasible; what others hold now is deferred.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.embedded.pod_status import Refusal
from nominee.model.codec import decode
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.model.requests import node_allocatable, placed_pod_requests, pod_requests
from nominee.store.ports import JsonObject

_MESSAGE = "Node didn't have enough resource: {name}, requested: {wanted}, used: {used}, capacity: {capacity}"


def refusal(pod: JsonObject, node: JsonObject, others: Iterable[JsonObject]) -> Refusal | None:
    """Why a pod is not resized; None if it is."""
    wanted, room = pod_requests(decode(Pod, pod)), node_allocatable(decode(Node, node))
    nothing = dict.fromkeys(wanted, 0)
    if message := _lacking(wanted, nothing, room):
        return Refusal("Infeasible", message)
    used = dict(nothing)
    for other in others:
        for name, amount in placed_pod_requests(decode(Pod, other)).items():
            used[name] = used.get(name, 0) + amount
    message = _lacking(wanted, used, room)
    return Refusal("Deferred", message) if message else None


def _lacking(wanted: Mapping[str, int], used: Mapping[str, int], room: Mapping[str, int]) -> str:
    for name, amount in wanted.items():
        capacity = room.get(name, 0)
        if amount + used[name] > capacity:
            return _MESSAGE.format(name=name, wanted=amount, used=used[name], capacity=capacity)
    return ""
