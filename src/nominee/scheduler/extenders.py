"""Extenders as the core sees them: whom they concern, what they are asked, what they answered.

An attempt that needs an extender's word stops and gives out a question (`effects.AskExtenders`); when
the answer is there, the attempt begins anew with the answer in hand, since the cluster may have
changed meanwhile. Who asks over the network, in which order, and what an ignorable error is, is the
driver's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from nominee.config.types import Extender
from nominee.framework import NodeObject, Pod, VictimsByNode
from nominee.state.shapes import Shape

if TYPE_CHECKING:
    from nominee.scheduler.inputs import Completed


@dataclass(frozen=True, slots=True)
class FilterQuestion:
    """Which of these nodes may take the pod; and if there are several, how good each is."""

    pod: Pod
    nodes: Mapping[str, NodeObject]
    filtering: tuple[Extender, ...]
    prioritizing: tuple[Extender, ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """What an extender said of a node."""

    reason: str
    unresolvable: bool = False


@dataclass(frozen=True, slots=True)
class FilterAnswer:
    """What all of them together said.

    feasible  the names of the nodes that are left
    refused   by name, why not; a node in neither is refused without a reason
    scores    by name, the weighted sum of what the extenders gave
    error     an extender that may not be ignored failed
    """

    feasible: frozenset[str] = frozenset()
    refused: Mapping[str, Refusal] = field(default_factory=dict)
    scores: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None


def _nobody(_: str) -> Sequence[Pod]:
    return ()


@dataclass(frozen=True, slots=True)
class VictimsQuestion:
    """Whether these preemptions would do, or others.

    pods_on   who stands on a node: extenders may choose among all of them
    """

    pod: Pod
    candidates: VictimsByNode
    extenders: tuple[Extender, ...]
    pods_on: Callable[[str], Sequence[Pod]] = field(default=_nobody, compare=False)


@dataclass(frozen=True, slots=True)
class VictimsAnswer:
    """By node name, the uids of the victims and how many of these break a budget."""

    candidates: Mapping[str, tuple[tuple[str, ...], int]] = field(default_factory=dict)
    error: str | None = None


NO_ANSWER = "no answer"

Question = FilterQuestion | VictimsQuestion


@dataclass(slots=True)
class Consultation:
    """What the extenders have said in the attempt under way; None where they were not asked yet."""

    nominated: FilterAnswer | None = None
    nodes: FilterAnswer | None = None
    victims: VictimsAnswer | None = None

    def note(self, question: Question, answer: Completed, *, about_nominated: bool) -> None:
        """Keep an answer where the next try looks for it."""
        said = answer.said
        if isinstance(question, VictimsQuestion):
            victims = (
                said if isinstance(said, VictimsAnswer) else VictimsAnswer(error=answer.error or NO_ANSWER)
            )
            self.victims = victims
            return
        filtered = said if isinstance(said, FilterAnswer) else FilterAnswer(error=answer.error or NO_ANSWER)
        if about_nominated:
            self.nominated = filtered
        else:
            self.nodes = filtered


class Extenders:
    """The extenders of a configuration; those that may be ignored come last, as upstream has them.

    Reproduces what pkg/scheduler/extender.go and buildExtenders (pkg/scheduler/scheduler.go), v1.37,
    say of the order of extenders and of who is interested in a pod.
    """

    def __init__(self, extenders: Iterable[Extender] = ()) -> None:
        self._all = tuple(sorted(extenders, key=lambda extender: extender.ignorable))

    def __bool__(self) -> bool:
        return bool(self._all)

    def filtering(self, pod: Pod) -> tuple[Extender, ...]:
        return self._concerned(pod, lambda extender: extender.filter_verb)

    def prioritizing(self, pod: Pod) -> tuple[Extender, ...]:
        return self._concerned(pod, lambda extender: extender.prioritize_verb)

    def preempting(self, pod: Pod) -> tuple[Extender, ...]:
        return self._concerned(pod, lambda extender: extender.preempt_verb)

    def binding(self, pod: Pod) -> tuple[Extender, ...]:
        return self._concerned(pod, lambda extender: extender.bind_verb)

    def _concerned(self, pod: Pod, verb: Callable[[Extender], str]) -> tuple[Extender, ...]:
        return tuple(each for each in self._all if verb(each) and is_interested(each, pod))


def is_interested(extender: Extender, pod: Pod) -> bool:
    """Whether the extender has a say in this pod: always, or because of a resource that it manages.

    Reproduces IsInterested and hasManagedResources (pkg/scheduler/extender.go, v1.37).
    """
    if not extender.managed_resources:
        return True
    managed = {resource.name for resource in extender.managed_resources}
    return not managed.isdisjoint(pod.memo("resources named by containers", _named_resources))


def _named_resources(shape: Shape) -> frozenset[str]:
    spec = shape.spec
    containers = (*spec.containers, *spec.init_containers)
    return frozenset(name for c in containers for name in (*c.resources.requests, *c.resources.limits))


def ignored_resources(extenders: Sequence[Extender]) -> tuple[str, ...]:
    """The resources that the scheduler's own filters are to leave to extenders."""
    managed = (resource for extender in extenders for resource in extender.managed_resources)
    return tuple(dict.fromkeys(resource.name for resource in managed if resource.ignored_by_scheduler))
