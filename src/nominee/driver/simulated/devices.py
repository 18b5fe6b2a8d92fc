"""A device driver: what nodes have, and how long it takes until an allocated device is ready.

A node asks for devices by the annotation nominee.dev/devices, as in "gpu=4,nic=2". They are offered by the
driver `devices.nominee.dev`, in a pool of the node's name, with the attributes `type`, `index` and `node`.
If the node is also annotated with nominee.dev/device-delay, its devices have a binding condition, which
becomes true that long after they were allocated; with nominee.dev/device-fails "true" it never does, and
the failure condition does instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from nominee.config.duration import Duration
from nominee.driver.simulated.writes import Create, Delete, Look, Tree, Update, Writes, annotations_of, key_of
from nominee.model.timestamps import parse_time

DRIVER = "devices.nominee.dev"
DEVICES, DEVICE_DELAY, DEVICE_FAILS = (
    "nominee.dev/devices",
    "nominee.dev/device-delay",
    "nominee.dev/device-fails",
)
ATTACHED, ATTACH_FAILED = f"{DRIVER}/attached", f"{DRIVER}/attach-failed"
SLICE, CLAIM, NODE = "ResourceSlice", "ResourceClaim", "Node"
_MOST = 128  # devices of a slice


def sync_node(look: Look, name: str) -> Writes:
    """The slice of a node says what the node has; without a node there is none."""
    node = look.get(NODE, name)
    slice_name = f"{name}-{DRIVER}"
    before = look.get(SLICE, slice_name)
    devices = [] if node is None else list(_devices(node))
    if not devices or node is None:
        if before is not None:
            yield Delete(SLICE, slice_name)
    elif before is None:
        yield Create(SLICE, _slice(node, slice_name, devices))
    elif before["spec"].get("devices") != devices:
        pool = before["spec"]["pool"]
        spec = {**before["spec"], "devices": devices, "pool": {**pool, "generation": pool["generation"] + 1}}
        yield Update(SLICE, {**before, "spec": spec})


def _slice(node: Tree, name: str, devices: list[Tree]) -> Tree:
    metadata = node["metadata"]
    owner = {"apiVersion": "v1", "kind": NODE, "name": metadata["name"], "uid": metadata["uid"]}
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": SLICE,
        "metadata": {"name": name, "ownerReferences": [{**owner, "controller": True}]},
        "spec": {
            "driver": DRIVER,
            "nodeName": metadata["name"],
            "pool": {"name": metadata["name"], "generation": 1, "resourceSliceCount": 1},
            "devices": devices,
        },
    }


def _devices(node: Tree) -> Iterator[Tree]:
    annotations = annotations_of(node)
    conditions: Tree = {}
    if DEVICE_DELAY in annotations or DEVICE_FAILS in annotations:
        conditions = {"bindingConditions": [ATTACHED], "bindingFailureConditions": [ATTACH_FAILED]}
    offered = (
        (kind, index) for kind, count in _counts(annotations.get(DEVICES, "")) for index in range(count)
    )
    for kind, index in list(offered)[:_MOST]:
        attributes = {
            "type": {"string": kind},
            "index": {"int": index},
            "node": {"string": node["metadata"]["name"][:64]},
        }
        yield {"name": f"{kind}-{index}", "attributes": attributes, **conditions}


def _counts(text: str) -> Iterator[tuple[str, int]]:
    for part in text.split(","):
        kind, equals, count = (each.strip() for each in part.partition("="))
        if equals and kind and count.isascii() and count.isdigit():
            yield kind, min(int(count), _MOST)


# -- allocated devices ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Attachment:
    """A claim whose devices are to become ready: `allocation` says which allocation it is about.

    begun  the time by which it was allocated, if the scheduler says when; that is to the second
    """

    claim: str
    allocation: str
    delay: float
    begun: float | None = None


def attachment_for(look: Look, claim: Tree) -> Attachment | None:
    """What is to be done about a claim, if anything is."""
    waiting = list(_waiting(claim))
    if not waiting:
        return None
    delays = [_delay(_node_annotations(look, device)) for device in waiting]
    return Attachment(key_of(claim), _allocation_of(claim), max(delays), _allocated_by(claim))


def attach(look: Look, attachment: Attachment, now: str) -> Writes:
    """The time is over: the devices are ready, or have failed."""
    claim = look.get(CLAIM, attachment.claim)
    if claim is None or attachment_for(look, claim) != attachment:
        return
    waiting = list(_waiting(claim))
    names = {(device["pool"], device["device"]) for device in waiting}
    kept = [
        each
        for each in claim["status"].get("devices") or ()
        if each["driver"] != DRIVER or (each["pool"], each["device"]) not in names
    ]
    said = [_said(device, _node_annotations(look, device), now) for device in waiting]
    yield Update(CLAIM, {**claim, "status": {**claim["status"], "devices": [*kept, *said]}})


def _node_annotations(look: Look, device: Tree) -> Tree:
    """Those of the node that has the device: its pool is called after it."""
    node = look.get(NODE, device["pool"])
    return {} if node is None else annotations_of(node)


def _waiting(claim: Tree) -> Iterator[Tree]:
    """Our devices of a claim that have conditions of which none has been told yet."""
    status = claim.get("status") or {}
    told = {
        (each["pool"], each["device"])
        for each in status.get("devices") or ()
        if each["driver"] == DRIVER and each.get("conditions")
    }
    for result in ((status.get("allocation") or {}).get("devices") or {}).get("results") or ():
        ours = result["driver"] == DRIVER and result.get("bindingConditions")
        if ours and (result["pool"], result["device"]) not in told:
            yield result


def _said(device: Tree, annotations: Tree, now: str) -> Tree:
    fails = annotations.get(DEVICE_FAILS) == "true"
    condition = {
        "type": ATTACH_FAILED if fails else ATTACHED,
        "status": "True",
        "reason": "AttachFailed" if fails else "Attached",
        "message": "as the node's annotation says" if fails else "",
        "lastTransitionTime": now,
    }
    return {"driver": DRIVER, "pool": device["pool"], "device": device["device"], "conditions": [condition]}


def _allocation_of(claim: Tree) -> str:
    """Another allocation of the same claim has another time or other devices."""
    allocation = claim["status"]["allocation"]
    results = allocation["devices"]["results"]
    return f"{allocation.get('allocationTimestamp')} {[(r['pool'], r['device']) for r in results]}"


def _allocated_by(claim: Tree) -> float | None:
    time = claim["status"]["allocation"].get("allocationTimestamp")
    return parse_time(time) + 1.0 if time else None


def _delay(annotations: Tree) -> float:
    try:
        return max(Duration.parse(annotations.get(DEVICE_DELAY, "0s")).seconds, 0.0)
    except ValueError:
        return 0.0
