"""The API server of a simulation: objects in memory, with the rules that matter to a scheduler.

Works on structs directly. Listeners hear of every write at once, with the form before and after it;
who must hear of it later (watches) delays that by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from nominee.errors import Conflict, Forbidden, InputError, Invalid, NotFound
from nominee.model.meta import Condition, NamedObject
from nominee.model.node import Node
from nominee.model.pod import Pod, PodStatus
from nominee.sim.admission import admit_node, admit_pod
from nominee.sim.agenda import Agenda
from nominee.sim.run_time import run_time
from nominee.sim.stamps import Stamps

Listener = Callable[[NamedObject | None, NamedObject | None], None]
ObjT = TypeVar("ObjT", bound=NamedObject)

FINISHED = ("Succeeded", "Failed")
DEFAULT_GRACE = 30
FRESH = PodStatus(phase="Pending")


class World:
    """Objects by kind and key, with versions, and what may be done to them.

    start_at_once                  a bound pod runs in the same write that binds it
    clearing_nominated_node_name   binding clears status.nominatedNodeName (the gate of that name)
    """

    def __init__(self, agenda: Agenda) -> None:
        self.agenda = agenda
        self.stamps = Stamps(agenda)
        self.start_at_once = True
        self.clearing_nominated_node_name = True
        self.listeners: list[Listener] = []
        self._objects: dict[type[NamedObject], dict[str, Any]] = {Pod: {}, Node: {}}
        self._version = 0
        self._uids = 0

    # -- reading --------------------------------------------------------------------------------

    @property
    def pods(self) -> Mapping[str, Pod]:
        return self._objects[Pod]

    @property
    def nodes(self) -> Mapping[str, Node]:
        return self._objects[Node]

    def all(self, kind: type[ObjT]) -> Mapping[str, ObjT]:
        """The objects of a kind by key, in the order of their creation."""
        return self._objects.get(kind, {})

    def get(self, kind: type[ObjT], key: str) -> ObjT | None:
        found: ObjT | None = self._objects.get(kind, {}).get(key)
        return found

    def __iter__(self) -> Iterator[NamedObject]:
        """Everything there is; nodes and pods last, so that a scheduler knows what these refer to."""
        for kind, items in self._objects.items():
            if kind not in (Node, Pod):
                yield from list(items.values())
        yield from list(self.nodes.values())
        yield from list(self.pods.values())

    # -- writing, all kinds ---------------------------------------------------------------------

    def restore(self, item: ObjT) -> ObjT:
        """Put an object there as it is, status and all, as if it had been there before; new or not."""
        old = self.get(type(item), item.key)
        if isinstance(item, Pod) and (item.spec.priority is None or not item.spec.scheduler_name):
            return cast("ObjT", self._put(old, self._born(admit_pod(item, self._objects))))
        return self._put(old, self._born(item))

    def create(self, item: ObjT) -> ObjT:
        """As a client creates it: admission, a fresh status for pods, 409 if it exists."""
        if item.metadata.deletion_timestamp:
            alive = {"deletion_timestamp": None, "deletion_grace_period_seconds": None}
            item = replace(item, metadata=replace(item.metadata, **alive))
        if self.get(type(item), item.key) is not None:
            raise Conflict(409, f"{_plural(type(item))} {item.name!r} already exists".replace("'", '"'))
        return self._put(None, self._born(cast("ObjT", self._admitted(item))))

    def generated_name(self, prefix: str) -> str:
        """A name for an object that comes with `generateName` alone."""
        self._uids += 1
        return f"{prefix}{self._uids:05x}"

    def update(self, item: ObjT) -> ObjT:
        """Replace an object; a version that is given must be the present one."""
        old = self._existing(type(item), item.key)
        version = item.metadata.resource_version
        if version and version != old.metadata.resource_version:
            raise Conflict(
                409, "the object has been modified; please apply your changes to the latest version"
            )
        _check(item)
        kept = {"uid": old.metadata.uid, "creation_timestamp": old.metadata.creation_timestamp}
        item = replace(item, metadata=replace(item.metadata, **kept))
        if item.terminating and not item.metadata.finalizers and old.metadata.finalizers:
            return self._let_go(item)
        return self._put(old, item)

    def _let_go(self, item: ObjT) -> ObjT:
        """Its last finalizer is gone; a pod on a node still has its grace period."""
        if isinstance(item, Pod) and item.spec.node_name and item.status.phase not in FINISHED:
            return cast("ObjT", self._put(self.pods[item.key], item))
        return self._remove(item)

    def delete(self, kind: type[NamedObject], key: str) -> None:
        """Delete an object that is no pod (finalizers hold it)."""
        old = self._existing(kind, key)
        if old.metadata.finalizers:
            self._put(old, self._marked(old, None))
        else:
            self._remove(old)

    # -- pods -----------------------------------------------------------------------------------

    def bind(self, key: str, uid: str, node_name: str) -> Pod:
        """Reproduces assignPod (pkg/registry/core/pod/storage/storage.go, v1.37)."""
        pod = self._existing(Pod, key)
        name, refused = pod.metadata.name, ""
        if uid and pod.metadata.uid != uid:
            refused = (
                f"the UID in the precondition ({uid}) does not match the UID in record ({pod.metadata.uid})"
            )
        elif pod.metadata.deletion_timestamp is not None:
            refused = f"pod {name} is being deleted, cannot be assigned to a host"
        elif pod.spec.node_name:
            refused = f'pod {name} is already assigned to node "{pod.spec.node_name}"'
        elif pod.spec.scheduling_gates:
            refused = f"pod {name} has non-empty .spec.schedulingGates"
        if refused:
            raise Conflict(409, f'Operation cannot be fulfilled on pods/binding "{name}": {refused}')
        status = pod.status
        conditions = _with_condition(status.conditions, self.stamps.scheduled())
        fields: dict[str, Any] = {"conditions": conditions}
        if self.clearing_nominated_node_name:
            fields["nominated_node_name"] = ""
        if self.start_at_once:
            fields |= {"phase": "Running", "start_time": self.stamps.now()}
        return self._put(
            pod, replace(pod, spec=replace(pod.spec, node_name=node_name), status=replace(status, **fields))
        )

    def patch_status(
        self,
        key: str,
        uid: str = "",
        *,
        nominated_node_name: str | None = None,
        condition: Condition | None = None,
    ) -> Pod:
        """Reproduces the status strategy of pods (pkg/registry/core/pod/strategy.go, v1.37)."""
        pod = self._existing(Pod, key, uid)
        status, fields = pod.status, dict[str, Any]()
        if nominated_node_name is not None and nominated_node_name != status.nominated_node_name:
            if nominated_node_name and pod.spec.node_name and self.clearing_nominated_node_name:
                raise Forbidden(403, "may not be set on pods that are already bound to a node")
            fields["nominated_node_name"] = nominated_node_name
        if condition is not None:
            conditions = _with_condition(status.conditions, self.stamps.stamped(condition, status.conditions))
            if conditions != status.conditions:
                fields["conditions"] = conditions
        return self._put(pod, replace(pod, status=replace(status, **fields))) if fields else pod

    def delete_pod(self, key: str, uid: str = "", grace: int | None = None) -> None:
        """Reproduces CheckGracefulDelete (pkg/registry/core/pod/strategy.go, v1.37)."""
        pod = self._existing(Pod, key, uid)
        if grace is None:
            given = pod.spec.termination_grace_period_seconds
            grace = DEFAULT_GRACE if given is None else given
        grace = max(grace, 1) if grace < 0 else grace
        if not pod.spec.node_name or pod.status.phase in FINISHED:
            grace = 0
        before = pod.metadata.deletion_grace_period_seconds
        if pod.terminating and before is not None and before <= grace:
            return
        if grace == 0 and not pod.metadata.finalizers:
            self._remove(self._marked(pod, 0))
        else:
            self._put(pod, self._marked(pod, grace))

    def start_pod(self, key: str, uid: str) -> None:
        """The kubelet has started its containers."""
        pod = self.pods.get(key)
        if pod is None or pod.uid != uid or pod.terminating or pod.status.start_time:
            return
        status = replace(pod.status, phase="Running", start_time=self.stamps.now())
        self._put(pod, replace(pod, status=status))

    def end_pod(self, key: str, uid: str, phase: str = "") -> None:
        """Its containers are gone; with a phase they have finished by themselves.

        A finished pod disappears at once: nobody keeps the books of finished pods here.
        """
        pod = self.pods.get(key)
        if pod is None or pod.uid != uid:
            return
        if not pod.metadata.finalizers:
            self._remove(pod)
        elif phase:
            self._put(pod, replace(pod, status=replace(pod.status, phase=phase)))

    # -- how it is done -------------------------------------------------------------------------

    def _existing(self, kind: type[ObjT], key: str, uid: str = "") -> ObjT:
        found = self.get(kind, key)
        if found is None or (uid and found.uid != uid):
            raise NotFound(404, f'{_plural(kind)} "{key.rpartition("/")[2]}" not found')
        return found

    def _admitted(self, item: NamedObject) -> NamedObject:
        if isinstance(item, Pod):
            return replace(admit_pod(item, self._objects), status=FRESH)
        return admit_node(item) if isinstance(item, Node) else item

    def _born(self, item: ObjT) -> ObjT:
        """With a uid and the time of its creation, if it has none."""
        _check(item)
        meta, fields = item.metadata, dict[str, Any]()
        if not meta.uid:
            self._uids += 1
            fields["uid"] = f"00000000-0000-4000-8000-{self._uids:012x}"
        if not meta.creation_timestamp:
            fields["creation_timestamp"] = self.stamps.now()
        return replace(item, metadata=replace(meta, **fields)) if fields else item

    def _marked(self, item: ObjT, grace: int | None) -> ObjT:
        deletion = self.stamps.at(self.agenda.now + (grace or 0))
        meta = replace(item.metadata, deletion_timestamp=deletion, deletion_grace_period_seconds=grace)
        return replace(item, metadata=meta)

    def _put(self, old: NamedObject | None, item: ObjT) -> ObjT:
        self._version += 1
        item = replace(item, metadata=replace(item.metadata, resource_version=str(self._version)))
        self._objects.setdefault(type(item), {})[item.key] = item
        for listener in self.listeners:
            listener(old, item)
        return item

    def _remove(self, item: ObjT) -> ObjT:
        self._version += 1
        del self._objects[type(item)][item.key]
        for listener in self.listeners:
            listener(item, None)
        return item


def _check(item: NamedObject) -> None:
    """What the kubelets are to read must be readable."""
    if isinstance(item, Pod) and item.metadata.annotations:
        try:
            run_time(item)
        except InputError as error:
            raise Invalid(422, str(error)) from None


def _with_condition(conditions: tuple[Condition, ...], condition: Condition) -> tuple[Condition, ...]:
    if not conditions:
        return (condition,)
    return (*(c for c in conditions if c.type != condition.type), condition)


def _plural(kind: type[NamedObject]) -> str:
    name = kind.KIND.lower()
    return f"{name}es" if name.endswith("s") else f"{name}s"
