"""Pod shapes: everything a plugin may read of a pod, interned.

Pods made from one template differ in name, uid and annotations only. What is derived from the rest
(resource sums, compiled selectors, answers about nodes) is kept once per shape, and so is every
placed pod's weight on its node: half a million placed pods are rows of numbers that point here.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Hashable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, TypeVar, cast

import msgspec
import numpy as np

from nominee.model import requests
from nominee.model.base import ResourceList
from nominee.model.pod import PodSpec
from nominee.model.timestamps import parse_time
from nominee.state.arrays import Ints, Rows, grown
from nominee.state.intern import PODS, ResourceIndex
from nominee.state.terms import compile_terms

if TYPE_CHECKING:
    from nominee.model.container import ContainerStatus
    from nominee.model.meta import OwnerReference
    from nominee.model.pod import Pod as PodObject
    from nominee.model.pod import PodStatus, Toleration

T = TypeVar("T")
_encode = msgspec.msgpack.Encoder().encode
DEFAULT_SCHEDULER = "default-scheduler"
_NO_TEXT: Mapping[str, str] = MappingProxyType({})


class Shape:
    """What all pods with the same namespace, labels, controller and spec have in common."""

    __slots__ = (
        "__weakref__",
        "_amounts",
        "_memo",
        "_object",
        "_placed_columns",
        "asks_whole",
        "has_host_ports",
        "id",
        "labels",
        "namespace",
        "nonzero",
        "owner",
        "placed_requests",
        "priority",
        "requests",
        "spec",
        "tallies",
        "tallies_version",
        "terms",
        "wanted_amounts",
        "wanted_columns",
    )

    asks_whole: bool  # it has requests (or limits) for the pod as a whole
    id: int  # a column of the ShapeTable, reused after the last pod of this shape is gone
    wanted_columns: Rows
    wanted_amounts: Ints
    _placed_columns: dict[int, int]

    def __init__(
        self,
        pod: PodObject,
        spec: PodSpec,
        owner: OwnerReference | None,
        *,
        resizing: bool = True,
        counting: requests.Counting = requests.COUNT_ALL,
    ) -> None:
        self.namespace = pod.metadata.namespace
        self.labels: Mapping[str, str] = MappingProxyType(pod.metadata.labels)
        self.owner = owner
        self.spec = spec
        self.priority = spec.priority or 0
        whole, status = counting.pod_level, counting.pod_level_status
        self.requests: Mapping[str, int] = MappingProxyType(requests.pod_requests(pod, pod_level=whole))
        # Without a resize in its status a pod takes on its node what it asks for.
        self.placed_requests = (
            requests.placed_pod_requests(pod, pod_level=whole, pod_level_status=status)
            if resizing
            else self.requests
        )
        self.nonzero = requests.nonzero_requests(
            pod, pod_level=whole, placed=resizing, pod_level_status=status
        )
        self.asks_whole = spec.resources is not None
        self.terms = compile_terms(spec.affinity, self.namespace)
        self.tallies: list[tuple[Ints, int, bool]] = []
        self.tallies_version = -1
        self.has_host_ports = any(
            port.host_port > 0 for c in (*spec.containers, *spec.init_containers) for port in c.ports
        )
        self._object = pod
        self._amounts: dict[tuple[int, int], Ints] = {}
        self._memo: dict[Hashable, object] = {}

    def memo(self, key: Hashable, compute: Callable[[Shape], T]) -> T:
        """What `compute` makes of this shape, computed once and kept as long as the shape."""
        try:
            return cast("T", self._memo[key])
        except KeyError:
            value = self._memo[key] = compute(self)
            return value

    def memo_at(self, key: Hashable, version: Hashable, compute: Callable[[Shape], T]) -> T:
        """The same for what depends on more than the shape: computed again when `version` differs."""
        held = self._memo.get(key)
        if held is None or cast("tuple[Hashable, T]", held)[0] != version:
            held = self._memo[key] = (version, compute(self))
        return cast("tuple[Hashable, T]", held)[1]

    def table_amounts(self, height: int, sign: int) -> Ints:
        """What a placed pod takes of its node, as a column of `height` resources times `sign`."""
        try:
            return self._amounts[height, sign]
        except KeyError:
            amounts = np.zeros(height, np.int64)
            for column, amount in self._placed_columns.items():
                amounts[column] = sign * amount
            self._amounts[height, sign] = amounts
            return amounts

    @property
    def example(self) -> PodObject:
        """The first pod seen with this shape, for functions of the model that take a whole pod."""
        return self._object


class Pod:
    """A pod as plugins see it: a name, a few facts of its own, and its shape. Read-only (see `rewrite`)."""

    name: str
    uid: str
    shape: Shape
    annotations: Mapping[str, str]
    node_name: str
    nominated_node_name: str
    created: float
    generation: int
    start_time: float | None
    terminating: bool
    status: PodStatus

    __slots__ = (
        "annotations",
        "created",
        "generation",
        "name",
        "node_name",
        "nominated_node_name",
        "shape",
        "start_time",
        "status",
        "terminating",
        "uid",
    )

    def __init__(self, source: PodObject, shape: Shape) -> None:
        meta, status = source.metadata, source.status
        put = object.__setattr__
        put(self, "name", meta.name)
        put(self, "uid", meta.uid or f"{meta.namespace}/{meta.name}")
        put(self, "shape", shape)
        put(self, "annotations", MappingProxyType(meta.annotations) if meta.annotations else _NO_TEXT)
        put(self, "node_name", source.spec.node_name)
        put(self, "nominated_node_name", status.nominated_node_name)
        put(self, "created", parse_time(meta.creation_timestamp) if meta.creation_timestamp else 0.0)
        put(self, "generation", meta.generation)
        put(self, "start_time", parse_time(status.start_time) if status.start_time else None)
        put(self, "terminating", bool(meta.deletion_timestamp))
        put(self, "status", status)

    def __setattr__(self, name: str, value: object) -> None:
        """Plugins get the very pods that the scheduler works with."""
        msg = f"a pod is for plugins to read only: {name!r} can not be set"
        raise AttributeError(msg)

    def __copy__(self) -> Pod:
        other = object.__new__(Pod)
        rewrite(other, **{name: getattr(self, name) for name in self.__slots__})
        return other

    def __repr__(self) -> str:
        return f"<Pod {self.key}>"

    @property
    def key(self) -> str:
        """`namespace/name`."""
        return f"{self.shape.namespace}/{self.name}"

    @property
    def namespace(self) -> str:
        """`metadata.namespace`."""
        return self.shape.namespace

    @property
    def labels(self) -> Mapping[str, str]:
        """Its labels: everybody's, and to be left as they are."""
        return self.shape.labels

    @property
    def owner(self) -> OwnerReference | None:
        """The owner reference of the pod's controller."""
        return self.shape.owner

    @property
    def spec(self) -> PodSpec:
        """The specification as the API has it."""
        return self.shape.spec

    @property
    def priority(self) -> int:
        """`spec.priority`; 0 where there is none."""
        return self.shape.priority

    @property
    def scheduler_name(self) -> str:
        """Who is to schedule it, as the API server fills it in."""
        return self.shape.spec.scheduler_name or DEFAULT_SCHEDULER

    @property
    def requests(self) -> Mapping[str, int]:
        """What it asks of a node: millicores of cpu, bytes of memory and storage, else counts."""
        return self.shape.requests

    @property
    def tolerations(self) -> tuple[Toleration, ...]:
        """`spec.tolerations`."""
        return self.shape.spec.tolerations

    def memo(self, key: Hashable, compute: Callable[[Shape], T]) -> T:
        """What `compute` makes of this pod's shape, computed once for all pods of the shape."""
        return self.shape.memo(key, compute)

    def memo_at(self, key: Hashable, version: Hashable, compute: Callable[[Shape], T]) -> T:
        """The same for what depends on more than the shape: computed again when `version` differs."""
        return self.shape.memo_at(key, version, compute)


def rewrite(pod: Pod, **fields: object) -> None:
    """Set fields of a pod: for the scheduler alone, when it moves the pod or writes its status."""
    for name, value in fields.items():
        object.__setattr__(pod, name, value)


def _resize_state(spec: PodSpec, status: PodStatus) -> object:
    """What of a pod's status its requests depend on: a resize that waits, and what is not as was asked."""
    pending = tuple(c.reason for c in status.conditions if c.type == "PodResizePending")
    statuses = (*status.init_container_statuses, *status.container_statuses)
    held: tuple[ContainerStatus, ...] = ()
    if any(s.allocated_resources or s.resources is not None for s in statuses):
        asked = {c.name: c.resources.requests for c in (*spec.init_containers, *spec.containers)}
        held = tuple(s for s in statuses if _holds_other(s, asked.get(s.name, {})))
    if not (pending or held or status.resources is not None or status.allocated_resources):
        return None
    return pending, held, status.resources, status.allocated_resources


def _holds_other(status: ContainerStatus, asked: ResourceList) -> bool:
    given = (status.allocated_resources, status.resources.requests if status.resources else {})
    return any(amounts and amounts != asked for amounts in given)


class ShapeTable:
    """Every shape in use, and the numbers of each as columns.

    amounts   (resources, shapes) int64: what a placed pod of the shape takes of its node
    nonzero   (2, shapes) int64: cpu and memory with the defaults that scoring assumes
    priority  (shapes,) int64
    """

    def __init__(self, resources: ResourceIndex, counting: requests.Counting = requests.COUNT_ALL) -> None:
        self.resources = resources
        self._counting = counting
        self.amounts: Ints = np.zeros((len(resources) + 4, 64), np.int64)
        self.nonzero: Ints = np.zeros((2, 64), np.int64)
        self.priority: Ints = np.zeros(64, np.int64)
        self._by_key: weakref.WeakValueDictionary[bytes, Shape] = weakref.WeakValueDictionary()
        self._by_id: list[weakref.ref[Shape] | None] = []
        self._free: list[int] = []

    def __len__(self) -> int:
        return len(self._by_key)

    def __getitem__(self, shape_id: int) -> Shape:
        reference = self._by_id[shape_id]
        shape = reference() if reference is not None else None
        if shape is None:
            msg = f"no shape has the id {shape_id}"
            raise KeyError(msg)
        return shape

    def pod(self, source: PodObject) -> Pod:
        """The pod as plugins see it."""
        return Pod(source, self.shape_of(source))

    def shape_of(self, source: PodObject) -> Shape:
        meta, spec, status = source.metadata, source.spec, source.status
        if spec.node_name:
            spec = msgspec.structs.replace(spec, node_name="")
        owner = (
            next((o for o in meta.owner_references if o.controller), None) if meta.owner_references else None
        )
        controller = (owner.api_version, owner.kind, owner.name) if owner else None
        resize = _resize_state(spec, status)
        key = _encode((meta.namespace, meta.labels, controller, spec, resize))
        shape = self._by_key.get(key)
        if shape is None:
            new = Shape(source, spec, owner, resizing=resize is not None, counting=self._counting)
            shape = self._by_key[key] = self._add(new)
        return shape

    def _add(self, shape: Shape) -> Shape:
        shape.id = self._free.pop() if self._free else len(self._by_id)
        if shape.id == len(self._by_id):
            self._by_id.append(None)
        self._by_id[shape.id] = weakref.ref(shape, self._forget(shape.id))
        self._write_columns(shape)
        return shape

    def _forget(self, shape_id: int) -> Callable[[weakref.ref[Shape]], None]:
        def forget(_: weakref.ref[Shape]) -> None:
            self._by_id[shape_id] = None
            self._free.append(shape_id)

        return forget

    def _write_columns(self, shape: Shape) -> None:
        columns = {self.resources.intern(name): amount for name, amount in shape.placed_requests.items()}
        wanted = {self.resources.intern(name): amount for name, amount in shape.requests.items() if amount}
        columns[PODS] = wanted[PODS] = 1
        shape._placed_columns = columns
        self._make_room(shape.id)
        self.amounts[:, shape.id] = 0
        for column, amount in columns.items():
            self.amounts[column, shape.id] = amount
        self.nonzero[:, shape.id] = shape.nonzero
        self.priority[shape.id] = shape.priority
        shape.wanted_columns = np.array(sorted(wanted), np.intp)
        shape.wanted_amounts = np.array([wanted[c] for c in sorted(wanted)], np.int64)

    def _make_room(self, shape_id: int) -> None:
        if shape_id >= self.priority.size:
            length = 2 * self.priority.size
            self.amounts, self.nonzero = grown(self.amounts, length), grown(self.nonzero, length)
            self.priority = grown(self.priority, length)
        if len(self.resources) > len(self.amounts):
            taller = np.zeros((2 * len(self.resources), self.amounts.shape[1]), np.int64)
            taller[: len(self.amounts)] = self.amounts
            self.amounts = taller
