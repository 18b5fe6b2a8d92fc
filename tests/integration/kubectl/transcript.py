"""Sessions at a shell as text: what is typed stands behind `$`, what is printed below it.

    # a remark
    $ kubectl get pods web
    NAME  READY  STATUS   RESTARTS  AGE
    web   1/1    Running  0         AGE

    $ kubectl get pods nothing
    Error from server (NotFound): pods "nothing" not found
    [exit 1]

Lines that begin with `> ` go on with a command. `[from 1.33]`, `[before 1.33]` or `[from 1.33 before 1.35]`
introduces lines that only kubectls of these versions print; `[any]` ends them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

Version = tuple[int, int]
_MARK = re.compile(r"\[(?:from 1\.(\d+))?(?: ?before 1\.(\d+))?\]|\[any\]")


@dataclass(frozen=True)
class Step:
    """A command, the remarks above it, and what it is to print."""

    command: str
    remarks: tuple[str, ...] = ()
    expected: list[str] = field(default_factory=list)

    def shown(self, printed: Sequence[str]) -> list[str]:
        first, *more = self.command.split("\n")
        return [*self.remarks, f"$ {first}", *(f"> {line}" for line in more), *printed, ""]

    def expected_of(self, version: Version) -> list[str]:
        """What a kubectl of this version is to print."""
        return list(_for_version(self.expected, version))


def _for_version(lines: Sequence[str], version: Version) -> Iterator[str]:
    applies = True
    for line in lines:
        mark = _MARK.fullmatch(line)
        if mark is not None:
            applies = int(mark[1] or 0) <= version[1] < int(mark[2] or 1000)
        elif applies:
            yield line


def read(path: Path) -> list[Step]:
    steps: list[Step] = []
    remarks: list[str] = []
    above = ""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("# ") and not above:
            remarks.append(line)
        elif line.startswith("$ "):
            steps.append(Step(line[2:], tuple(remarks)))
            remarks = []
        elif line.startswith("> ") or line == ">":
            steps[-1] = Step(f"{steps[-1].command}\n{line[2:]}", steps[-1].remarks)
        elif steps:
            steps[-1].expected.append(line)
        above = line
    for step in steps:
        while step.expected and not step.expected[-1]:
            step.expected.pop()
    return steps
