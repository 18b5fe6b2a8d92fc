"""Regular expressions in RE2's syntax, matched in time linear in the text.

Whoever may create a claim may put a pattern into it, and Python's own engine needs exponential time
for some. Here a pattern becomes a program whose threads all walk through the text side by side
(Thompson, Pike), so that no pattern takes longer than its length times the text's.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from nominee.model.cel.regex_syntax import (
    Alternatives,
    Assertion,
    Characters,
    Pattern,
    Repeat,
    Sequence,
    parse_regex,
)
from nominee.model.cel.values import CelError

MAX_PROGRAM = 5000

Span: TypeAlias = tuple[int, int]


class _Step(NamedTuple):
    """One instruction: eat a character, check the position, or go on at other places, best first."""

    eats: Callable[[str], bool] | None = None
    holds: Callable[[str, int], bool] | None = None
    goes: tuple[int, ...] = ()


class Regex:
    """A compiled pattern; what is found is the leftmost match, by the pattern's own preferences."""

    def __init__(self, pattern: Pattern) -> None:
        self._steps: list[_Step] = []
        self._emit(pattern)
        self._end = len(self._steps)

    def search(self, text: str, start: int = 0) -> Span | None:
        """Where the first match at or after `start` begins and ends."""
        found: Span | None = None
        threads: dict[int, int] = {}  # instruction to where its match began, the preferred one first
        for position in range(start, len(text) + 1):
            following: dict[int, int] = {}
            if found is None:
                self._follow(0, position, text, position, threads)
            for step, began in threads.items():
                if step == self._end:
                    found = began, position
                    break
                eats = self._steps[step].eats
                if position < len(text) and eats is not None and eats(text[position]):
                    self._follow(step + 1, began, text, position + 1, following)
            threads = following
            if not threads and found is not None:
                break
        return found

    def search_all(self, text: str) -> list[Span]:
        """All matches that do not overlap; an empty one must not stand right after another."""
        spans: list[Span] = []
        position = 0
        while position <= len(text) and (span := self.search(text, position)) is not None:
            if span[0] != span[1] or not spans or spans[-1][1] != span[0]:
                spans.append(span)
            position = span[1] + (span[0] == span[1])
        return spans

    def _follow(self, step: int, began: int, text: str, position: int, threads: dict[int, int]) -> None:
        """Add what can be reached without eating a character."""
        pending, seen = [step], set(threads)
        while pending:
            step = pending.pop()
            if step in seen:
                continue
            seen.add(step)
            if step == self._end or self._steps[step].eats is not None:
                threads[step] = began
                continue
            _, holds, goes = self._steps[step]
            if holds is None:
                pending.extend(reversed(goes))
            elif holds(text, position):
                pending.append(step + 1)

    # -- compiling ------------------------------------------------------------------------------

    def _emit(self, node: Pattern) -> None:
        if len(self._steps) > MAX_PROGRAM:
            raise CelError("regular expression is too large")
        match node:
            case Characters(eats):
                self._steps.append(_Step(eats=eats))
            case Assertion(holds):
                self._steps.append(_Step(holds=holds))
            case Sequence(parts):
                for part in parts:
                    self._emit(part)
            case Alternatives(branches):
                self._emit_alternatives(branches)
            case Repeat():
                self._emit_repeat(node)

    def _emit_alternatives(self, branches: tuple[Pattern, ...]) -> None:
        exits = []
        for branch in branches[:-1]:
            fork = self._reserve()
            self._emit(branch)
            exits.append(self._reserve())
            self._steps[fork] = _Step(goes=(fork + 1, len(self._steps)))
        self._emit(branches[-1])
        for place in exits:
            self._steps[place] = _Step(goes=(len(self._steps),))

    def _emit_repeat(self, node: Repeat) -> None:
        for _ in range(node.least):
            self._emit(node.part)
        if node.most is None:
            fork = self._reserve()
            self._emit(node.part)
            self._steps.append(_Step(goes=(fork,)))
            self._steps[fork] = _fork(fork + 1, len(self._steps), lazy=node.lazy)
            return
        forks = []
        for _ in range(node.most - node.least):
            forks.append(self._reserve())
            self._emit(node.part)
        for fork in forks:
            self._steps[fork] = _fork(fork + 1, len(self._steps), lazy=node.lazy)

    def _reserve(self) -> int:
        self._steps.append(_Step())
        return len(self._steps) - 1


def _fork(inside: int, after: int, *, lazy: bool) -> _Step:
    return _Step(goes=(after, inside) if lazy else (inside, after))


@lru_cache(maxsize=256)
def compile_regex(pattern: str) -> Regex:
    """Compile a pattern; raises CelError when it is not one."""
    return Regex(parse_regex(pattern))
