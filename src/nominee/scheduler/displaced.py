"""Pods whose promised room somebody of higher priority has taken, and promises that fell vacant."""

from __future__ import annotations

from nominee.errors import PluginError
from nominee.framework import Pod
from nominee.scheduler.binding import Placement
from nominee.scheduler.selection import could_fit
from nominee.scheduler.surroundings import Surroundings


class Displaced:
    """Settles the nominations that a new placement concerns.

    Upstream lets displaced pods find out by themselves; here they lose the nomination at once and
    look for another place. And where the placed pod had been promised another node, those who kept
    off that one for its sake hear of it.
    """

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._spare_foreign = around.features.enabled("NominatedNodeNameFromOthers")

    def look_after(self, placement: Placement, now: float) -> None:
        """Call it once the pod is assumed and its promise used up."""
        around, pod, node = self._around, placement.pod, placement.node
        if not placement.promised and not around.cluster.nominations:
            return
        if placement.promised not in {"", node.name}:
            around.promise_became_void(pod, placement.promised, now)
        for lower in around.cluster.nominations.on_node(node.name):
            if lower.priority >= pod.priority or self._is_spared(lower):
                continue
            if not self._would_fit(lower, node.row, now):
                around.withdraw_nomination(lower, now)
                around.queue.activate([lower], now)

    def _is_spared(self, pod: Pod) -> bool:
        latest = self._around.pods.get(pod.uid)
        return self._spare_foreign and latest is not None and self._around.pods.is_foreign(latest)

    def _would_fit(self, pod: Pod, row: int, now: float) -> bool:
        """Whether the node could take the pod once everything of lower priority had left it.

        Where a plugin raises nobody knows; the pod keeps its promise and finds out in its own attempt.
        """
        around = self._around
        profile = around.profiles.get(pod.scheduler_name)
        try:
            return profile is None or could_fit(profile, around.cluster, pod, row, now)
        except PluginError as failure:
            around.recorder.plugin_failed(pod, failure)
            return True
