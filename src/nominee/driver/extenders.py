"""Asks extenders, in their order: who is asked after whom, and which failures matter.

Reproduces findNodesThatPassExtenders, prioritizeNodes, extendersBinding
(pkg/scheduler/schedule_one.go) and callExtenders (pkg/scheduler/framework/preemption/preemption.go), v1.37.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from nominee.config.types import Extender
from nominee.errors import NomineeError
from nominee.framework import NodeObject, Pod, VictimsByNode
from nominee.preemption.messages import no_victim_on
from nominee.scheduler.extenders import (
    FilterAnswer,
    FilterQuestion,
    Question,
    Refusal,
    VictimsAnswer,
    VictimsQuestion,
)

log = logging.getLogger(__name__)
SCORE_FACTOR = 10
"""An extender's scores end at 10, those of plugins at 100."""

Json = dict[str, Any]
Nodes = Mapping[str, NodeObject]
Uids = Mapping[str, tuple[tuple[str, ...], int]]


class ExtenderCalls(Protocol):
    """One call to one extender. Raises NomineeError when the extender fails or says that it failed."""

    async def filter(
        self, extender: Extender, pod: Json, nodes: Nodes
    ) -> tuple[Sequence[str], Mapping[str, Refusal]]:
        """The names of the nodes that will do, and what is said of others."""
        ...

    async def prioritize(self, extender: Extender, pod: Json, nodes: Nodes) -> Mapping[str, int]:
        """A score by node name, from 0 to 10 if the extender keeps to the rules."""
        ...

    async def preempt(
        self, extender: Extender, pod: Json, candidates: Mapping[str, tuple[tuple[Pod, ...], int]]
    ) -> Uids:
        """The candidates that are left: by node, the victims' uids and how many break a budget."""
        ...

    async def bind(self, extender: Extender, pod: Pod, node_name: str) -> None:
        """Bind the pod in the scheduler's stead."""
        ...


class ExtenderChain:
    """Puts questions to extenders, and binds through them."""

    def __init__(self, calls: ExtenderCalls) -> None:
        self._calls = calls

    async def answer(self, question: Question, pod: Json) -> FilterAnswer | VictimsAnswer:
        """What all of them say; `pod` is the pod as the API server has it."""
        if isinstance(question, VictimsQuestion):
            return await self._victims(question, pod)
        return await self._nodes(question, pod)

    async def bind(self, extenders: Sequence[Extender], pod: Pod, node_name: str) -> bool:
        """Let the first extender bind that does not fail ignorably; False if none did."""
        for extender in extenders:
            try:
                await self._calls.bind(extender, pod, node_name)
            except NomineeError as error:
                if not extender.ignorable:
                    raise
                _ignored(extender, pod, error)
            else:
                return True
        return False

    # -- nodes ----------------------------------------------------------------------------------

    async def _nodes(self, question: FilterQuestion, pod: Json) -> FilterAnswer:
        left, refused = dict(question.nodes), dict[str, Refusal]()
        for extender in question.filtering:
            if not left:
                break
            try:
                names, said = await self._calls.filter(extender, pod, left)
            except NomineeError as error:
                if not extender.ignorable:
                    return FilterAnswer(error=str(error))
                _ignored(extender, question.pod, error)
                continue
            refused.update(said)
            left = {name: left[name] for name in names if name in left}
        scores = await self._scores(question, pod, left) if len(left) > 1 else {}
        return FilterAnswer(frozenset(left), refused, scores)

    async def _scores(self, question: FilterQuestion, pod: Json, nodes: Nodes) -> dict[str, int]:
        """All at once; whoever fails gives nothing."""
        asked = [self._weighted(extender, question.pod, pod, nodes) for extender in question.prioritizing]
        total: dict[str, int] = {}
        for scores in await asyncio.gather(*asked):
            for name, score in scores.items():
                total[name] = total.get(name, 0) + score
        return total

    async def _weighted(self, extender: Extender, about: Pod, pod: Json, nodes: Nodes) -> dict[str, int]:
        try:
            scores = await self._calls.prioritize(extender, pod, nodes)
        except NomineeError as error:
            _ignored(extender, about, error)
            return {}
        factor = extender.weight * SCORE_FACTOR
        return {name: score * factor for name, score in scores.items() if name in nodes}

    # -- victims --------------------------------------------------------------------------------

    async def _victims(self, question: VictimsQuestion, pod: Json) -> VictimsAnswer:
        candidates = question.candidates
        for extender in question.extenders:
            if not candidates:
                break
            try:
                said = await self._calls.preempt(extender, pod, candidates)
                candidates = _with_victims(_found(said, question, candidates, extender), extender)
            except NomineeError as error:
                if not extender.ignorable:
                    return VictimsAnswer(error=str(error))
                _ignored(extender, question.pod, error)
        return VictimsAnswer(
            {name: (tuple(v.uid for v in victims), n) for name, (victims, n) in candidates.items()}
        )


def _found(
    said: Uids, question: VictimsQuestion, candidates: VictimsByNode, extender: Extender
) -> VictimsByNode:
    """The victims that an extender names, which may be any pods of the node.

    Reproduces convertToVictims (pkg/scheduler/extender.go, v1.37).
    """
    found = {}
    for name, (uids, violations) in said.items():
        asked, _ = candidates.get(name, ((), 0))
        there = {pod.uid: pod for pod in (*question.pods_on(name), *asked)}
        for uid in uids:
            if uid not in there:
                claim = f"claims to preempt pod (UID: &{{{uid}}}) on node: {name}"
                text = f"extender: {extender.url_prefix} {claim}, but the pod is not found on that node"
                raise NomineeError(text)
        found[name] = tuple(there[uid] for uid in uids), violations
    return found


def _with_victims(found: VictimsByNode, extender: Extender) -> VictimsByNode:
    """A node without victims is no candidate; only an extender that may be ignored may name one."""
    for name, (victims, _) in found.items():
        if not victims and not extender.ignorable:
            raise NomineeError(no_victim_on(name))
    return {name: entry for name, entry in found.items() if entry[0]}


def _ignored(extender: Extender, pod: Pod, error: NomineeError) -> None:
    log.warning("extender %s failed and is left out: %s", extender.url_prefix, error, extra={"pod": pod.key})
