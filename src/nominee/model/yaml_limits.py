"""What a YAML text may not be: nested deeper than anybody nests, or growing without end through its aliases.

PyYAML composes nodes in C, where depth ends the process instead of raising; and what it composes may be
small while whoever walks it along its aliases does not come to an end. So both are found in the events.
"""

from __future__ import annotations

from typing import Final

import yaml

from nominee.model.kubernetes_yaml import KubernetesLoader

DEEPEST: Final = 200
_NODES: Final = 10_000


def check_limits(text: str | bytes) -> None:
    """Raise yaml.MarkedYAMLError where the text is too deep, or grows too large."""
    loader = KubernetesLoader(text)
    try:
        growth = _Growth(_NODES + len(text))
        while (event := loader.get_event()) is not None:
            growth.take(event)
    finally:
        loader.dispose()


class _Growth:
    """Counts nodes with every alias followed: `sizes` of what has an anchor, `open` of what surrounds us."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._sizes: dict[str, int] = {}
        self._open: list[tuple[str | None, int]] = []
        self._nodes = 0

    def take(self, event: yaml.Event) -> None:
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = self._open.pop()
            self._remember(anchor, before)
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open.append((event.anchor, self._nodes))
            self._add(1, event)
            if len(self._open) > DEEPEST:
                raise _refused(event, f"nested too deeply: at most {DEEPEST} levels are allowed")
        elif isinstance(event, yaml.ScalarEvent):
            self._add(1, event)
            self._remember(event.anchor, self._nodes - 1)
        elif isinstance(event, yaml.AliasEvent):
            self._add(self._sizes.get(event.anchor or "", 1), event)

    def _remember(self, anchor: str | None, before: int) -> None:
        if anchor is not None:
            self._sizes[anchor] = self._nodes - before

    def _add(self, nodes: int, event: yaml.Event) -> None:
        self._nodes += nodes
        if self._nodes > self._most:
            raise _refused(event, "grows too large when its aliases are followed")


def _refused(event: yaml.Event, problem: str) -> yaml.MarkedYAMLError:
    return yaml.MarkedYAMLError(problem=problem, problem_mark=event.start_mark)  # type: ignore[arg-type]  # its stub knows no mark from C
