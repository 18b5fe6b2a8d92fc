"""Pods for tests: `make_pod("web").req(cpu="500m").label("app", "web")`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

from nominee.model.affinity import (
    Affinity,
    NodeAffinity,
    PodAffinity,
    PodAffinityTerm,
    PodAntiAffinity,
    PreferredSchedulingTerm,
    TopologySpreadConstraint,
    WeightedPodAffinityTerm,
)
from nominee.model.base import RawQuantity
from nominee.model.container import Container, ContainerPort, ResourceRequirements
from nominee.model.meta import NodeSelector, ObjectMeta
from nominee.model.pod import (
    Pod,
    PodResourceClaim,
    PodSchedulingGate,
    PodSpec,
    PodStatus,
    Toleration,
    Volume,
)
from nominee.model.volumes import PersistentVolumeClaimVolume
from nominee.testing.builder import Builder, changed, quantities, written
from nominee.testing.selectors import Expression, Selects, node_term, pod_term, selector

_BLANK = Container()


class PodBuilder(Builder[Pod]):
    """A pod under construction, in Kubernetes' words. It has one blank container from the start."""

    __slots__ = ()

    # -- containers and resources -------------------------------------------------------------

    def req(self, **requests: RawQuantity) -> Self:
        """Requests: of the first container, and when called again of one more each time.

        Other resources by their names: `.req(cpu="1", **{"example.com/gpu": 1})`.
        """
        last = self.obj.spec.containers[-1]
        if last.resources.requests:
            return self.container(requests=requests)
        return self._last(resources=changed(last.resources, requests=quantities(requests)))

    def limits(self, **limits: RawQuantity) -> Self:
        """Limits of the last container."""
        last = self.obj.spec.containers[-1]
        return self._last(resources=changed(last.resources, limits=quantities(limits)))

    def container(
        self,
        image: str = "",
        *,
        requests: dict[str, RawQuantity] | None = None,
        limits: dict[str, RawQuantity] | None = None,
        **fields: Any,
    ) -> Self:
        """One more container (the first call describes the blank one)."""
        resources = _resources(requests, limits)
        containers = [c for c in self.obj.spec.containers if changed(c, name="") != _BLANK]
        name = fields.pop("name", f"c{len(containers) + 1}")
        more = Container(name=name, image=image, resources=resources, **fields)
        return self.spec(containers=(*containers, more))

    def init_req(self, **requests: RawQuantity) -> Self:
        """One more init container."""
        return self._init(Container(resources=_resources(requests)))

    def sidecar_req(self, **requests: RawQuantity) -> Self:
        """One more init container that keeps running."""
        return self._init(Container(resources=_resources(requests), restart_policy="Always"))

    def pod_req(self, **requests: RawQuantity) -> Self:
        """Requests of the pod as a whole."""
        return self.spec(resources=_resources(requests))

    def overhead(self, **amounts: RawQuantity) -> Self:
        """What the pod's sandbox takes besides its containers."""
        return self.spec(overhead=quantities(amounts))

    def image(self, name: str) -> Self:
        """The image of the last container, or of one more when that has an image already."""
        if self.obj.spec.containers[-1].image:
            return self.container(name)
        return self._last(image=name)

    def host_port(self, port: int, protocol: str = "TCP", ip: str = "") -> Self:
        """A port of the node for the last container."""
        last = self.obj.spec.containers[-1]
        more = ContainerPort(container_port=port, host_port=port, protocol=protocol, host_ip=ip)
        return self._last(ports=(*last.ports, more))

    # -- where it is and how it is treated ----------------------------------------------------

    def node(self, name: str) -> Self:
        """It stands on this node."""
        return self.spec(node_name=name)

    def nominated(self, node_name: str) -> Self:
        """`status.nominatedNodeName`."""
        return self.status(nominated_node_name=node_name)

    def started(self, time: float | str) -> Self:
        """It runs, since then."""
        return self.status(start_time=written(time), phase="Running")

    def priority(self, priority: int) -> Self:
        """`spec.priority`: the higher, the earlier, and the less often evicted."""
        return self.spec(priority=priority)

    def preemption_policy(self, policy: str) -> Self:
        """`Never` or `PreemptLowerPriority`."""
        return self.spec(preemption_policy=policy)

    def scheduler(self, name: str) -> Self:
        """`spec.schedulerName`."""
        return self.spec(scheduler_name=name)

    def gate(self, name: str) -> Self:
        """A scheduling gate more."""
        return self.spec(scheduling_gates=(*self.obj.spec.scheduling_gates, PodSchedulingGate(name=name)))

    def toleration(
        self,
        key: str = "",
        value: str = "",
        effect: str = "",
        operator: str = "",
        seconds: int | None = None,
    ) -> Self:
        """A toleration more; without an operator it is `Equal`, as in the API."""
        more = Toleration(key=key, value=value, effect=effect, operator=operator, toleration_seconds=seconds)
        return self.spec(tolerations=(*self.obj.spec.tolerations, more))

    # -- nodes it wants -----------------------------------------------------------------------

    def node_selector(self, **labels: str) -> Self:
        """Labels the node must have; other keys as `**{"example.com/rack": "r1"}`."""
        return self.spec(node_selector={**self.obj.spec.node_selector, **labels})

    def node_affinity_in(self, key: str, values: Iterable[str]) -> Self:
        """One more required expression; all expressions of such calls must hold together."""
        required = self._node_affinity.required_during_scheduling_ignored_during_execution
        terms = required.node_selector_terms if required else ()
        more = node_term([(key, "In", values)])
        if not terms:
            return self._require_nodes(more)
        joined = changed(
            terms[-1],
            match_expressions=(*terms[-1].match_expressions, *more.match_expressions),
            match_fields=(*terms[-1].match_fields, *more.match_fields),
        )
        return self._require_nodes(*terms[:-1], joined)

    def node_affinity(self, *terms: Iterable[Expression]) -> Self:
        """Required node affinity: one of these terms, each a list of expressions, must hold."""
        return self._require_nodes(*map(node_term, terms))

    def preferred_node_affinity(
        self, weight: int, key: str, values: Iterable[str] = (), operator: str = "In"
    ) -> Self:
        """A preferred term of one expression."""
        return self.preferred_node_affinity_term(weight, [(key, operator, values)])

    def preferred_node_affinity_term(self, weight: int, expressions: Iterable[Expression]) -> Self:
        """A preferred term of several expressions."""
        affinity = self._node_affinity
        more = PreferredSchedulingTerm(weight=weight, preference=node_term(expressions))
        preferred = (*affinity.preferred_during_scheduling_ignored_during_execution, more)
        return self._affinity(
            node_affinity=changed(affinity, preferred_during_scheduling_ignored_during_execution=preferred)
        )

    # -- pods it wants to be near to or far from ----------------------------------------------

    def pod_affinity(self, topology_key: str, labels: Selects | None = None, **term: Any) -> Self:
        """A required term; `term` is more of what `pod_term` takes: expressions, namespaces."""
        return self._require_pods("pod_affinity", PodAffinity(), pod_term(topology_key, labels, **term))

    def pod_anti_affinity(self, topology_key: str, labels: Selects | None = None, **term: Any) -> Self:
        """A required term of anti-affinity."""
        return self._require_pods(
            "pod_anti_affinity", PodAntiAffinity(), pod_term(topology_key, labels, **term)
        )

    def preferred_pod_affinity(
        self, weight: int, topology_key: str, labels: Selects | None = None, **term: Any
    ) -> Self:
        """A preferred term of affinity."""
        return self._prefer_pods(
            "pod_affinity", PodAffinity(), weight, pod_term(topology_key, labels, **term)
        )

    def preferred_pod_anti_affinity(
        self, weight: int, topology_key: str, labels: Selects | None = None, **term: Any
    ) -> Self:
        """A preferred term of anti-affinity."""
        term_of_pods = pod_term(topology_key, labels, **term)
        return self._prefer_pods("pod_anti_affinity", PodAntiAffinity(), weight, term_of_pods)

    def spread(  # noqa: PLR0913 - the fields of the API's struct
        self,
        max_skew: int,
        key: str,
        when: str = "DoNotSchedule",
        labels: Selects | None = None,
        *,
        expressions: Iterable[Expression] = (),
        min_domains: int | None = None,
        node_affinity_policy: str | None = None,
        node_taints_policy: str | None = None,
        match_label_keys: Iterable[str] = (),
    ) -> Self:
        """A topology spread constraint more."""
        more = TopologySpreadConstraint(
            max_skew=max_skew,
            topology_key=key,
            when_unsatisfiable=when,
            label_selector=selector(labels, expressions),
            min_domains=min_domains,
            node_affinity_policy=node_affinity_policy,
            node_taints_policy=node_taints_policy,
            match_label_keys=tuple(match_label_keys),
        )
        return self.spec(topology_spread_constraints=(*self.obj.spec.topology_spread_constraints, more))

    # -- volumes and devices ------------------------------------------------------------------

    def pvc(self, claim_name: str) -> Self:
        """A volume of this claim."""
        source = PersistentVolumeClaimVolume(claim_name=claim_name)
        return self.volume(Volume(name=claim_name, persistent_volume_claim=source))

    def volume(self, volume: Volume) -> Self:
        """Any other volume than a claim's."""
        return self.spec(volumes=(*self.obj.spec.volumes, volume))

    def claim(
        self, name: str, resource_claim_name: str | None = None, *, template: str | None = None
    ) -> Self:
        """A resource claim: an existing one (of the same name by default), or one made of a template."""
        existing = None if template else resource_claim_name or name
        more = PodResourceClaim(
            name=name, resource_claim_name=existing, resource_claim_template_name=template
        )
        return self.spec(resource_claims=(*self.obj.spec.resource_claims, more))

    # -- whatever has no word of its own ------------------------------------------------------

    def spec(self, **fields: Any) -> Self:
        """Fields of the spec, by their names in the struct."""
        return self.having(spec=changed(self.obj.spec, **fields))

    def status(self, **fields: Any) -> Self:
        """Fields of the status, by their names in the struct."""
        return self.having(status=changed(self.obj.status, **fields))

    def _last(self, **fields: Any) -> Self:
        *others, last = self.obj.spec.containers
        return self.spec(containers=(*others, changed(last, **fields)))

    def _init(self, container: Container) -> Self:
        others = self.obj.spec.init_containers
        return self.spec(init_containers=(*others, changed(container, name=f"init{len(others) + 1}")))

    @property
    def _node_affinity(self) -> NodeAffinity:
        affinity = self.obj.spec.affinity
        return (affinity.node_affinity if affinity else None) or NodeAffinity()

    def _affinity(self, **fields: Any) -> Self:
        return self.spec(affinity=changed(self.obj.spec.affinity or Affinity(), **fields))

    def _require_nodes(self, *terms: Any) -> Self:
        required = NodeSelector(node_selector_terms=terms)
        return self._affinity(
            node_affinity=changed(
                self._node_affinity, required_during_scheduling_ignored_during_execution=required
            )
        )

    def _require_pods(self, field: str, none: Any, term: PodAffinityTerm) -> Self:
        held = getattr(self.obj.spec.affinity, field, None) or none
        terms = (*held.required_during_scheduling_ignored_during_execution, term)
        return self._affinity(
            **{field: changed(held, required_during_scheduling_ignored_during_execution=terms)}
        )

    def _prefer_pods(self, field: str, none: Any, weight: int, term: PodAffinityTerm) -> Self:
        held = getattr(self.obj.spec.affinity, field, None) or none
        more = WeightedPodAffinityTerm(weight=weight, pod_affinity_term=term)
        terms = (*held.preferred_during_scheduling_ignored_during_execution, more)
        return self._affinity(
            **{field: changed(held, preferred_during_scheduling_ignored_during_execution=terms)}
        )


def make_pod(name: str, namespace: str = "default") -> PodBuilder:
    """A pending pod that asks for nothing, with one container; its uid is `namespace/name`."""
    return PodBuilder(
        Pod(
            metadata=ObjectMeta(name=name, namespace=namespace, uid=f"{namespace}/{name}"),
            spec=PodSpec(
                containers=(Container(name="c1"),),
                restart_policy="Always",
                scheduler_name="default-scheduler",
            ),
            status=PodStatus(phase="Pending"),
        )
    )


def _resources(
    requests: dict[str, RawQuantity] | None = None, limits: dict[str, RawQuantity] | None = None
) -> ResourceRequirements:
    return ResourceRequirements(requests=quantities(requests or {}), limits=quantities(limits or {}))
