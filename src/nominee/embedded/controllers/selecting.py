"""Selectors of objects, compiled once for each of their generations."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping

import msgspec

from nominee.errors import InputError
from nominee.model.meta import LabelSelector
from nominee.model.selectors import NOTHING, Selector, label_selector, map_selector
from nominee.store.ports import JsonObject

REMEMBERED = 8192


class Selectors:
    """Remembers what was compiled."""

    def __init__(self) -> None:
        self._compiled: OrderedDict[tuple[str, int], Selector] = OrderedDict()

    def of(self, item: JsonObject) -> Selector:
        """What an object's `spec.selector` selects."""
        metadata = item["metadata"]
        place = (metadata["uid"], metadata.get("generation", 0))
        found = self._compiled.get(place)
        if found is None:
            found = self._compiled[place] = compile_selector(item["spec"].get("selector"))
            if len(self._compiled) > REMEMBERED:
                self._compiled.popitem(last=False)
        return found

    def owning(self, item: JsonObject) -> Selector:
        """The same, where the selected are owned: nobody means to own everything."""
        selector = self.of(item)
        return NOTHING if selector.empty else selector


def compile_selector(tree: JsonObject | None) -> Selector:
    """What a selector selects: nothing if there is none or it is malformed, everything if it is empty.

    A plain map of labels, as replication controllers have it, is a selector too.
    """
    try:
        if tree and not {"matchLabels", "matchExpressions"} & tree.keys():
            return map_selector(tree)
        return label_selector(None if tree is None else msgspec.convert(tree, LabelSelector))
    except (InputError, msgspec.ValidationError):
        return NOTHING


def labels_of(item: JsonObject) -> Mapping[str, str]:
    """An object's labels."""
    labels: Mapping[str, str] | None = item["metadata"].get("labels")
    return labels or {}
