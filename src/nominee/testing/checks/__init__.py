"""Checks that plugin authors run on their own plugins, in a test: `check_plugin(MyPlugin(limit=3))`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from nominee.state.cluster import ClusterState
from nominee.testing.checks.answers import check_filter, check_score, check_what_ifs
from nominee.testing.checks.case import Case, PluginCheckError
from nominee.testing.checks.declaration import check_declaration
from nominee.testing.checks.hands_off import Unchanged, check_lookups
from nominee.testing.checks.hints import check_hints
from nominee.testing.checks.local import SkippedShapes, check_promises, check_reads
from nominee.testing.checks.others import check_order, check_others
from nominee.testing.clusters import AnyPod, pod_of
from nominee.testing.samples import sample_clusters, sample_pods, words_of

__all__ = ["Checked", "PluginCheckError", "check_plugin"]


@dataclass(slots=True)
class Checked:
    """How much a check has seen: nodes asked about and nodes rejected, over all pods and clusters.

    A filter that rejected nothing, or everything, was shown too little: pass pods and clusters that
    matter to it.
    """

    asked: int = 0
    rejected: int = 0


def check_plugin(
    plugin: Any,
    pods: Iterable[AnyPod] | None = None,
    clusters: Iterable[ClusterState] | None = None,
    *,
    seed: int = 0,
) -> Checked:
    """Raise PluginCheckError, which says what is wrong and where it was seen, or say what was seen.

    `plugin` is an instance, or a class whose arguments all have defaults. `pods` and `clusters` are
    tried besides the generated ones, which are the same for the same `seed` and use the texts among
    the plugin's arguments as labels.
    """
    if isinstance(plugin, type):
        plugin = plugin()
    check_declaration(plugin)
    words, checked, skipped = words_of(plugin), Checked(), SkippedShapes()
    every_pod = [*(pods or ()), *sample_pods(seed, words)]
    for cluster in [*(clusters or ()), *sample_clusters(seed, words)]:
        cases = [Case(plugin, pod_of(cluster, pod), cluster) for pod in every_pod]
        check_order(cases)
        for case in cases:
            before = Unchanged(case)
            checked.asked += len(cluster.nodes)
            checked.rejected += check_filter(case)
            check_score(case)
            check_promises(case)
            check_what_ifs(case)
            skipped.check(case)
            check_hints(case)
            check_lookups(case)
            check_others(case)
            before.check(case)
        check_reads(cases)
    return checked
