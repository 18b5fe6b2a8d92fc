"""The plugin: what it answers at each extension point."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nominee.framework import (
    Api,
    ClaimLedger,
    ClusterView,
    Cycle,
    DeviceClass,
    Diagnosis,
    Duration,
    Errand,
    EventHint,
    Ints,
    Node,
    NodeView,
    Nomination,
    Pod,
    PreFlight,
    Reject,
    Rejection,
    Skip,
)
from nominee.plugins.dynamic_resources.attempt import ATTEMPT, begin
from nominee.plugins.dynamic_resources.binding import bind_claims
from nominee.plugins.dynamic_resources.claims import why_not_usable
from nominee.plugins.dynamic_resources.filtering import rejections
from nominee.plugins.dynamic_resources.hints import EVENTS
from nominee.plugins.dynamic_resources.readiness import broken_claims
from nominee.plugins.dynamic_resources.rescue import rescue
from nominee.plugins.dynamic_resources.reserving import reserve, unreserve
from nominee.plugins.dynamic_resources.scoring import normalized, scores, tells_nodes_apart

STEPS_PER_SECOND = 20_000
_UNLIMITED = 1 << 62
_BINDING_TIMEOUT = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicResources:
    """Sees to it that the pod's resource claims get devices, on a node that can reach them.

    filter_timeout   bounds the search on one node; None or 0 for no bound. Decisions must not depend
                     on how fast the machine is, so it is spent in steps of the search,
                     STEPS_PER_SECOND for each second, which is what a slow machine does
    binding_timeout  how long allocated devices may take until the pod can be bound

    Follows pkg/scheduler/framework/plugins/dynamicresources, v1.37.
    """

    filter_timeout: Duration | None = None
    binding_timeout: Duration | None = None

    node_local: ClassVar[bool] = False
    sparing: ClassVar[bool] = True
    parallel: ClassVar[bool] = True
    watches: ClassVar[tuple[type, ...]] = (DeviceClass,)

    def pre_enqueue_in_cluster(self, pod: Pod, cluster: ClusterView) -> str | None:
        return why_not_usable(pod, ClaimLedger.of(cluster)) if pod.spec.resource_claims else None

    def pre_filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | Reject | None:
        return begin(pod, cycle)

    def filter(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Iterable[Rejection]:
        attempt = cycle[ATTEMPT]
        broken = broken_claims(attempt, cycle, self._binding_seconds)
        return rejections(attempt, nodes, broken, self._steps)

    def post_filter(self, pod: Pod, diagnosis: Diagnosis, cycle: Cycle) -> Nomination | None:
        """Free a claim that keeps the pod out.

        Upstream's looks for what its PreFilter has noted down. Where another plugin has turned the pod away
        before that, it fails with these two words, which people read at the end of the message, and nobody
        after it is asked.
        """
        attempt = cycle.get(ATTEMPT)
        if attempt is not None:
            return rescue(attempt, pod, cycle)
        return Nomination("", "not found") if DynamicResources.__name__ in diagnosis.unasked else None

    def pre_score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Skip | None:
        """Upstream has none, and scores 0 where this skips."""
        attempt = cycle.get(ATTEMPT)
        if attempt is None:
            return Skip.THIS_CYCLE if pod.spec.resource_claims else Skip.THIS_SHAPE
        counts = cycle.features.enabled("DRAPrioritizedList") and tells_nodes_apart(attempt)
        return None if counts else Skip.THIS_CYCLE

    def score(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> Ints:
        return scores(cycle[ATTEMPT], nodes)

    def normalize(self, scored: Ints, lowest: int, highest: int) -> Ints:
        return normalized(scored, highest)

    def reserve(self, pod: Pod, node: Node, cycle: Cycle) -> Reject | None:
        attempt = cycle.get(ATTEMPT)
        if attempt is not None:
            reserve(attempt, node, cycle)
        return None

    def unreserve(self, pod: Pod, node: Node, cycle: Cycle) -> Errand | None:
        attempt = cycle.get(ATTEMPT)
        return unreserve(attempt, pod, cycle) if attempt is not None else None

    def pre_bind_pre_flight(self, pod: Pod, node: Node, cycle: Cycle) -> PreFlight:
        return PreFlight.WORK if cycle.get(ATTEMPT) is not None else PreFlight.SKIP

    async def pre_bind(self, pod: Pod, node: Node, cycle: Cycle, api: Api) -> Reject | None:
        attempt = cycle.get(ATTEMPT)
        if attempt is not None:
            await bind_claims(attempt, pod, node, cycle, api, self._binding_seconds)
        return None

    def events_to_register(self) -> Sequence[EventHint]:
        return EVENTS

    @property
    def _steps(self) -> int:
        timeout = self.filter_timeout
        return (
            int(timeout.seconds * STEPS_PER_SECOND) if timeout is not None and timeout.seconds else _UNLIMITED
        )

    @property
    def _binding_seconds(self) -> float:
        return self.binding_timeout.seconds if self.binding_timeout is not None else _BINDING_TIMEOUT
