"""What extenders make of the candidates: their answer replaces them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from nominee.framework import Pod, Slot
from nominee.preemption.candidates import Candidates, from_victims
from nominee.state.cluster import ClusterState


@dataclass(frozen=True, slots=True)
class Advice:
    """In the cycle if extenders take part in preemption.

    answer  by node name, the uids of the victims and how many of these break a budget; None until they
            have been asked
    error   asking them failed
    """

    answer: Mapping[str, tuple[tuple[str, ...], int]] | None = None
    error: str | None = None

    @property
    def given(self) -> bool:
        return self.answer is not None or self.error is not None


ADVICE: Slot[Advice] = Slot("advice of extenders")


def advised(cluster: ClusterState, advice: Advice) -> Candidates:
    """The candidates that are left; a node or a victim that is gone by now is none.

    Reproduces convertToVictims (pkg/scheduler/extender.go, v1.37), which looks for the pods on the
    node that is named.
    """
    victims: dict[int, tuple[list[Pod], int]] = {}
    for name, (uids, violations) in (advice.answer or {}).items():
        row = cluster.nodes.row_of.get(name)
        found = [pod for uid in uids if (pod := cluster.placed(uid)) is not None and pod.node_name == name]
        if row is not None and found:
            victims[row] = found, violations
    return from_victims(cluster, victims)
