"""A plugin at one extension point, with what it promises about itself."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from nominee.framework import Cycle, Ints, NodeView, Pod, Rejection
from nominee.profile.per_node import FilterEachNode, ScoreEachNode


class Entry:
    """What holds at every point."""

    __slots__ = ("amounts_only", "each_node", "index", "name", "node_local", "plugin", "reads", "reads_pods")

    def __init__(self, index: int, name: str, plugin: Any) -> None:
        self.index = index
        self.name = name
        self.plugin = plugin
        self.node_local: bool = getattr(plugin, "node_local", False)
        self.reads_pods: bool = getattr(plugin, "reads_pods", True)
        self.amounts_only: bool = getattr(plugin, "amounts_only", False)
        self.reads: Callable[[Pod], Hashable] | None = getattr(plugin, "reads", None)

    def column_key(self, pod: Pod) -> Hashable:
        """Pods for which this is equal get the same answers."""
        key = (self.name, self.reads(pod) if self.reads is not None else pod.shape)
        hash(key)  # what can not be hashed shall raise here, where the plugin is asked
        return key


class FilterEntry(Entry):
    """A plugin at Filter. `each_node`: it is to be asked about no node that is rejected already."""

    __slots__ = ("filter",)

    filter: Callable[[Pod, NodeView, Cycle], Iterable[Rejection]]

    def __init__(self, index: int, name: str, plugin: Any) -> None:
        super().__init__(index, name, plugin)
        one_by_one = not hasattr(plugin, "filter")
        self.each_node = one_by_one or getattr(plugin, "sparing", False)
        self.filter = FilterEachNode(plugin).filter if one_by_one else plugin.filter

    def rejections(self, pod: Pod, nodes: NodeView, cycle: Cycle) -> list[Rejection]:
        return list(self.filter(pod, nodes, cycle))


class ScoreEntry(Entry):
    """A plugin at Score, with its weight. `normalize` is None where raw scores are final."""

    __slots__ = ("normalize", "score", "weight")

    score: Callable[[Pod, NodeView, Cycle], Ints]
    normalize: Callable[[Ints, int, int], Ints] | None

    def __init__(self, index: int, name: str, plugin: Any, weight: int) -> None:
        super().__init__(index, name, plugin)
        self.weight = weight
        one_by_one = not hasattr(plugin, "score")
        self.each_node = one_by_one or getattr(plugin, "sparing", False)
        self.score = ScoreEachNode(plugin).score if one_by_one else plugin.score
        self.normalize = getattr(plugin, "normalize", None)
