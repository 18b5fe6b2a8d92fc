"""Which plugins of a point to ask in this cycle: those that look across nodes and are not asleep."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

from nominee.framework import Skip, SkipWhile
from nominee.profile.ask import ask

Named = tuple[str, Any]


class Rota:
    """The plugins of one point under one plan.

    Asking costs more than anything else in a cycle, and most pods have nothing to do with most
    plugins: one that says so for good, or for as long as something does not change, is left alone.
    """

    __slots__ = ("_asleep", "_awake", "_plugins", "_point", "for_good", "off")

    def __init__(self, point: str, plugins: Iterable[Named]) -> None:
        self._point = point
        self._plugins = list(plugins)
        self._awake = list(self._plugins)
        self._asleep: dict[str, tuple[Callable[[], Hashable], Hashable]] = {}
        self.off: set[str] = set()  # whoever is not to be asked
        self.for_good: set[str] = set()  # of these, the ones that have nothing to do with such pods at all

    def due(self) -> list[Named]:
        """The plugins to ask now, in order."""
        for name, (unchanged, value) in self._asleep.items():
            if ask(name, self._point, unchanged) != value:
                self._wake()
                break
        return self._awake

    def heard(self, name: str, answer: Skip | SkipWhile) -> None:
        """Remember how long a plugin wants to be left alone."""
        if answer is Skip.THIS_CYCLE:
            return
        if answer is Skip.THIS_SHAPE:
            self.for_good.add(name)
        elif isinstance(answer, SkipWhile):
            self._asleep[name] = answer.unchanged, ask(name, self._point, answer.unchanged)
        self.off.add(name)
        self._awake = [p for p in self._plugins if p[0] not in self.off]

    def _wake(self) -> None:
        changed = [
            name
            for name, (unchanged, value) in self._asleep.items()
            if ask(name, self._point, unchanged) != value
        ]
        for name in changed:
            del self._asleep[name]
            self.off.discard(name)
        self._awake = [p for p in self._plugins if p[0] not in self.off]
