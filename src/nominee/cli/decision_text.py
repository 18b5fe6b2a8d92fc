"""A decision for people: where the pod goes and why there, or why nowhere and who would have to go."""

from __future__ import annotations

import io
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TextIO

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from nominee.errors import NomineeError
from nominee.scheduler.decision import Decision, Preemption

_BEST = 10  # nodes shown in the table of scores
_NAMES = 5  # names shown of a group
_UNBROKEN = 10_000  # columns where nobody looks at the width: a pipe gets whole lines


class Writer:
    """Writes decisions to a stream: in colour and wrapped on a terminal, else plain and unbroken."""

    def __init__(self, stream: TextIO, *, width: int | None = None, color: bool | None = None) -> None:
        on_terminal = stream.isatty() if color is None else color
        if width is None and not on_terminal:
            width = _UNBROKEN
        self._console = Console(
            file=stream, width=width, force_terminal=on_terminal, highlight=False, soft_wrap=False
        )
        self._said = False

    def write(self, name: str, answer: Decision | NomineeError) -> None:
        """Write one case, with an empty line between it and the one before."""
        if self._said:
            self._console.print()
        self._said = True
        for line in self._lines(name, answer):
            self._console.file.write(line + "\n")
        self._console.file.flush()

    def _lines(self, name: str, answer: Decision | NomineeError) -> Iterator[str]:
        with self._console.capture() as capture:
            for part in _parts(name, answer):
                self._console.print(part)
        for line in capture.get().splitlines():
            yield line.rstrip()


def render(name: str, answer: Decision | NomineeError, *, width: int | None = None) -> str:
    """One case as plain text, ending without a newline."""
    stream = io.StringIO()
    Writer(stream, width=width, color=False).write(name, answer)
    return stream.getvalue().rstrip("\n")


def _parts(name: str, answer: Decision | NomineeError) -> Iterator[RenderableType]:
    if isinstance(answer, NomineeError):
        yield Text.assemble(_shown(name), ": ", ("error", "bold red"), ": ", _shown(str(answer)))
        return
    head = Text.assemble((_shown(name), "dim"), ": pod ", (_shown(answer.pod.key), "bold"))
    if answer.node is not None:
        many = len(answer.feasible)
        others = "the only node that can take it" if many == 1 else f"one of {many} nodes that can take it"
        yield head.append(" goes to ").append(_shown(answer.node), "bold green").append(f", {others}")
        yield _indented(_Scores(answer))
    else:
        yield head.append(" fits nowhere", "bold red")
        yield _indented(Text(_shown(answer.message or "")))
    yield from map(_indented, _rejections(answer))
    if answer.preemption is not None:
        yield from map(_indented, _preemption(answer.preemption))


class _Scores:
    """The best nodes, with what each plugin gave them: a column a plugin, if the width allows it."""

    def __init__(self, decision: Decision) -> None:
        self._decision = decision
        self._plugins = [plugin for plugin, scores in decision.scores.items() if any(scores.values())]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = self._in_columns()
        needed = Measurement.get(console, options.update(width=_UNBROKEN), table).minimum
        yield table if needed <= options.max_width else self._in_lines()

    def _in_columns(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column(Text("node"), vertical="bottom", no_wrap=True)
        for header in ("total", *map(_stacked, self._plugins)):
            table.add_column(Text(header), justify="right", no_wrap=True, vertical="bottom")
        return self._filled(table, lambda scores: map(str, scores.values()))

    def _in_lines(self) -> Table:
        table = Table(box=None, pad_edge=False, header_style="dim")
        table.add_column(Text("node"), overflow="fold")
        table.add_column(Text("total"), justify="right", no_wrap=True)
        table.add_column(Text("of which"), overflow="fold")
        named = "{} {}".format
        return self._filled(table, lambda scores: [", ".join(named(*score) for score in scores.items())])

    def _filled(self, table: Table, cells: Callable[[dict[str, int]], Iterable[str]]) -> Table:
        totals, chosen = self._decision.totals, self._decision.node
        best = sorted(totals, key=lambda node: (-totals[node], node != chosen, node))
        for node in best[:_BEST]:
            scores = {_shown(plugin): self._decision.scores[plugin][node] for plugin in self._plugins}
            mark, style = ("* ", "bold green") if node == chosen else ("  ", "")
            table.add_row(Text(mark + _shown(node), style), str(totals[node]), *map(Text, cells(scores)))
        if len(best) > _BEST:
            table.add_row(Text(f"  and {len(best) - _BEST} more", "dim"))
        return table


def _stacked(plugin: str) -> str:
    """A plugin's name, a word a line, so that its column is no wider than a word."""
    return "\n".join(re.findall(r"[A-Z]+(?![a-z])|[A-Z][^A-Z]*|[^A-Z]+", _shown(plugin)))


def _rejections(decision: Decision) -> Iterator[RenderableType]:
    """Each group of nodes that was rejected for the same reasons by the same plugin."""
    groups = defaultdict(list)
    for node, status in decision.rejected.items():
        groups[status].append(node)
    if decision.rejection is not None:
        plugin, reject = decision.rejection
        hope = "" if reject.unresolvable else "; eviction may help"
        yield Text(_shown(f"all nodes rejected by {plugin or 'PreFilter'}: {reject.message}{hope}"))
    if groups:
        table = Table(box=None, pad_edge=False, header_style="dim")
        for header in ("nodes", "rejected by", "because", "eviction", "which"):
            justify = "right" if header == "nodes" else "left"
            table.add_column(header, justify=justify, overflow="fold")  # type: ignore[arg-type]
        for status, nodes in sorted(groups.items(), key=lambda group: (-len(group[1]), group[0].reasons)):
            hope = "no help" if status.unresolvable else "may help"
            reasons = _shown("; ".join(status.reasons))
            row = (str(len(nodes)), _shown(status.plugin), reasons, hope, _some(sorted(nodes)))
            table.add_row(*map(Text, row))
        yield table
    if decision.narrowed_to is not None:
        only = _some(decision.narrowed_to) or "no node at all"
        yield Text(f"the pod allows only: {only}")


def _preemption(preemption: Preemption) -> Iterator[RenderableType]:
    if not preemption.candidates:
        why = preemption.reason or preemption.message
        if why:
            yield Text(_shown(why if why.startswith("preemption:") else f"preemption: {why}"))
        return
    pick = preemption.picks[0]
    victims = preemption.candidates[pick]
    yield Text.assemble(
        "preemption would evict from ", (_shown(pick), "bold yellow"), _broken(victims.pdb_violations), ":"
    )
    for pod in victims.pods:
        yield _indented(Text(f"{_shown(pod.key)} (priority {pod.priority})"))
    others = [node for node in sorted(preemption.candidates) if node != pick]
    if others:
        yield _indented(Text(f"other nodes where eviction helps: {_some(others)}", "dim"))


def _broken(violations: int) -> str:
    if not violations:
        return ""
    return f" ({violations} against a disruption budget)"


def _some(names: Sequence[str]) -> str:
    shown = ", ".join(map(_shown, names[:_NAMES]))
    return shown if len(names) <= _NAMES else f"{shown} and {len(names) - _NAMES} more"


def _shown(text: str) -> str:
    """Text that came from a file, with no control character that a terminal would obey."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def _indented(part: RenderableType) -> RenderableType:
    return Padding(part, (0, 0, 0, 2), expand=False)
