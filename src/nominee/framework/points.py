"""The extension points: one Protocol each, one method each.

A plugin is a class; its name is the plugin's name. Make it a frozen dataclass whose fields are its
`pluginConfig.args`. It need not inherit from anything: whatever of these methods it has, it extends.
Subclassing a Protocol is a way to let a type checker compare the signatures, no more.

Everything up to Permit is a plain function of its arguments: no I/O, no clock, no threads.

What a plugin may promise about itself, as class attributes:

node_local   True: what `filter`, `filter_node`, `score` and `score_node` say of a node depends on
             that node and the pod's shape alone (and `pre_filter` and `pre_score` on the shape
             alone). Answers are then remembered per shape and asked again only for nodes that
             changed, and preemption tries all its what-ifs in one call. A shape is everything of
             a pod but its name, uid, annotations and status.
reads_pods   False, together with node_local: the answer depends on the Node object, not on the
             pods placed there; it then outlives every placement.
amounts_only True, together with node_local: of the pods placed on a node only the sums matter that
             `allocatable`, `requested`, `free` and `nonzero` show. Nodes with equal sums then share
             an answer.
reads        With reads_pods False: `reads(pod)` gives the part of the pod that matters, hashable;
             pods for which it is equal share one column of answers.
sparing      True: asking costs much, or may fail. `filter` is then asked about no node that an earlier
             filter has rejected, and `score` about none that is not feasible.
watches      Kinds of objects, other than nodes and pods, whose every change voids remembered answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Protocol, runtime_checkable

from nominee.framework.cycle import Cycle
from nominee.framework.diagnosis import Diagnosis
from nominee.framework.events import EventHint
from nominee.framework.results import (
    Allow,
    Consult,
    Errand,
    Narrow,
    Nomination,
    PreFlight,
    Reject,
    Rejection,
    Skip,
    SkipWhile,
    Unresolvable,
    Wait,
)
from nominee.state.arrays import Ints
from nominee.state.cluster_view import ClusterView
from nominee.state.shapes import Pod
from nominee.state.view import Node, NodeView


@runtime_checkable
class PreEnqueue(Protocol):
    """May the pod enter the active queue? A text says why not."""

    def pre_enqueue(self, pod: Pod, /) -> str | None: ...


@runtime_checkable
class PreEnqueueInCluster(Protocol):
    """The same for a plugin that has to look something up."""

    def pre_enqueue_in_cluster(self, pod: Pod, cluster: ClusterView, /) -> str | None: ...


class Queued(Protocol):
    """A pod as it waits in the queue."""

    @property
    def pod(self) -> Pod: ...
    @property
    def timestamp(self) -> float: ...
    @property
    def attempts(self) -> int: ...


@runtime_checkable
class QueueSort(Protocol):
    """The order of the active queue: the smallest key first."""

    def sort_key(self, queued: Queued, /) -> tuple[Any, ...]: ...


@runtime_checkable
class EnqueueExtensions(Protocol):
    """Which events may help a pod that this plugin has rejected."""

    def events_to_register(self) -> Sequence[EventHint]: ...


@runtime_checkable
class PreFilter(Protocol):
    """Once per attempt, over all nodes: prepare, narrow the search, skip the filter, or reject."""

    def pre_filter(
        self, pod: Pod, nodes: NodeView, cycle: Cycle, /
    ) -> Narrow | Skip | SkipWhile | Reject | None: ...


@runtime_checkable
class Filter(Protocol):
    """Which of these nodes can not take the pod. `nodes` may be all nodes, some, or what-ifs."""

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Iterable[Rejection]: ...


@runtime_checkable
class FilterNode(Protocol):
    """The same, one node at a time; None lets the pod in."""

    def filter_node(self, pod: Pod, node: Node, cycle: Cycle, /) -> str | Unresolvable | None: ...


@runtime_checkable
class PostFilter(Protocol):
    """No node passed: can anything be done about it? None stands for no."""

    def post_filter(self, pod: Pod, diagnosis: Diagnosis, cycle: Cycle, /) -> Nomination | Consult | None: ...


@runtime_checkable
class PreScore(Protocol):
    """Once per attempt, when `cycle.feasible` is known."""

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Skip | SkipWhile | None: ...


@runtime_checkable
class Score(Protocol):
    """How good each of these nodes is: 0 to 100 unless `normalize` brings it there.

    A plugin that is not node-local sees in `cycle.feasible` which nodes compete; what it says of
    others is ignored.
    """

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle, /) -> Ints: ...


@runtime_checkable
class ScoreNode(Protocol):
    """The same, one node at a time."""

    def score_node(self, pod: Pod, node: Node, cycle: Cycle, /) -> int: ...


@runtime_checkable
class NormalizeScore(Protocol):
    """Brings raw scores into 0 to 100, element by element.

    `lowest` and `highest` are the extremes among the feasible nodes; a normalisation that needs to
    know more belongs into a `score` that looks across nodes.
    """

    def normalize(self, scores: Ints, lowest: int, highest: int, /) -> Ints: ...


@runtime_checkable
class Reserve(Protocol):
    """The pod is about to take the node: note it, or refuse. `unreserve` must bear being called in vain.

    What `unreserve` has to undo at the API server it answers with, as an errand.
    """

    def reserve(self, pod: Pod, node: Node, cycle: Cycle, /) -> Reject | None: ...
    def unreserve(self, pod: Pod, node: Node, cycle: Cycle, /) -> Errand | None: ...


@runtime_checkable
class Permit(Protocol):
    """The last word before binding."""

    def permit(self, pod: Pod, node: Node, cycle: Cycle, /) -> Allow | Wait | Reject: ...


@runtime_checkable
class PreBindPreFlight(Protocol):
    """Whether `pre_bind` will have anything to do; light, and without doing it."""

    def pre_bind_pre_flight(self, pod: Pod, node: Node, cycle: Cycle, /) -> PreFlight: ...


class Api(Protocol):
    """What binding plugins may ask of the API server, whichever it is.

    `kind` is a name such as "ConfigMap", of whatever kind the server has (in a simulation: that the scheduler
    knows); `key` is `namespace/name`, or the name alone. Objects are as in JSON. Whatever the server refuses
    raises an `ApiError`, such as `NotFound` or `Conflict`.
    """

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        """The object as it is now."""
        ...

    async def patch_status(self, kind: str, key: str, patch: dict[str, Any]) -> dict[str, Any]:
        """Patch the status with {"status": …}: a pod's by strategic merge, others' by merge."""
        ...

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        """Replace it, or a subresource of it, if its `resourceVersion` is still the current one."""
        ...

    async def create(self, kind: str, item: dict[str, Any]) -> dict[str, Any]:
        """Create it; answers with what was created."""
        ...

    async def delete(self, kind: str, key: str) -> None:
        """Delete it, with its own grace period."""
        ...

    async def bind(self, pod: Pod, node_name: str) -> None:
        """Bind the pod: for `bind` plugins."""
        ...

    def record(self, kind: str, reason: str, action: str, note: str, pod: Pod) -> None:
        """An event (events.k8s.io/v1) about the pod; `kind` is Normal or Warning."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait on the driver's clock: in a simulation that takes no real time."""
        ...


@runtime_checkable
class PreBind(Protocol):
    """Work to be done before binding: volumes, devices. Runs in the driver, beside other plugins'."""

    async def pre_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api, /) -> Reject | None: ...


@runtime_checkable
class Bind(Protocol):
    """Binds the pod; Skip leaves it to the next bind plugin."""

    async def bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api, /) -> Skip | None: ...


@runtime_checkable
class PostBind(Protocol):
    """Informational, after a pod was bound."""

    async def post_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api, /) -> None: ...


METHODS_OF_POINT: dict[str, tuple[str, ...]] = {
    "preEnqueue": ("pre_enqueue", "pre_enqueue_in_cluster"),
    "queueSort": ("sort_key",),
    "preFilter": ("pre_filter",),
    "filter": ("filter", "filter_node"),
    "postFilter": ("post_filter",),
    "preScore": ("pre_score",),
    "score": ("score", "score_node"),
    "reserve": ("reserve",),
    "permit": ("permit",),
    "preBind": ("pre_bind",),
    "bind": ("bind",),
    "postBind": ("post_bind",),
}
"""Extension point, as the configuration names it, to the methods of which a plugin has at least one."""


def points_of(plugin: type) -> tuple[str, ...]:
    """The extension points a plugin class extends."""
    return tuple(
        point for point, methods in METHODS_OF_POINT.items() if any(hasattr(plugin, m) for m in methods)
    )
