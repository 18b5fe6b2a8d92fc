"""Racks belong to teams: keep pods on the racks of their own team."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nominee.framework import Action, Cycle, EventHint, Node, Pod, Resource, Unresolvable

__all__ = ["RackOwner"]

NOT_ON_A_RACK = "node(s) were not on a rack"
ANOTHER_TEAMS_RACK = "node(s) were on another team's rack"


@dataclass(frozen=True, slots=True, kw_only=True)
class RackOwner:
    """Rejects nodes without a rack, and nodes on a rack of another team.

    The fields are the plugin's arguments in the configuration (`pluginConfig.args`).
    """

    rack_label: str = "example.com/rack"
    owner_label: str = "example.com/team"
    team_label: str = "team"

    # What it says of a node depends on that node and the pod's labels alone, never on other nodes.
    # So nominee remembers its answers per pod shape and asks again only about nodes that changed.
    node_local: ClassVar[bool] = True
    # It does not look at the pods on the node either: answers outlive every placement.
    reads_pods: ClassVar[bool] = False

    def reads(self, pod: Pod) -> Hashable:
        """Pods of one team share one column of answers, whatever else differs."""
        return pod.labels.get(self.team_label)

    def filter_node(self, pod: Pod, node: Node, cycle: Cycle) -> Unresolvable | None:
        """Evicting pods changes no label, so preemption need not try: `Unresolvable`."""
        if self.rack_label not in node.labels:
            return Unresolvable(NOT_ON_A_RACK)
        if node.labels.get(self.owner_label) != pod.labels.get(self.team_label):
            return Unresolvable(ANOTHER_TEAMS_RACK)
        return None

    def events_to_register(self) -> Sequence[EventHint]:
        """A rejected pod may fit when a node comes or a node's or its own labels change."""
        return (
            EventHint(Resource.NODE, Action.ADD | Action.UPDATE_NODE_LABEL),
            EventHint(Resource.TARGET_POD, Action.UPDATE_POD_LABEL),
        )
