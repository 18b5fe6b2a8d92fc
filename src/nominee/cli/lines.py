"""Lines of input, from files and standard input, packed or not."""

from __future__ import annotations

import errno
import gzip
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import click

from nominee.errors import InputError

_GZIP = b"\x1f\x8b"


class Line(NamedTuple):
    """A line of input and where it stands, or why there is none there."""

    source: str
    number: int | None
    text: bytes = b""
    problem: InputError | None = None

    @property
    def place(self) -> str:
        """`file:line`, or the file alone where there is no line."""
        return self.source if self.number is None else f"{self.source}:{self.number}"


def read_lines(files: tuple[str, ...]) -> Iterator[Line]:
    """The lines that are not blank; `-` or no file at all is standard input.

    A file that can not be read, breaks off, or holds nothing is a line with a problem, and the next
    file's turn comes.
    """
    for name in files or ("-",):
        source = "<stdin>" if name == "-" else name
        last: int | None = None
        try:
            with _open(name) as stream:
                for number, text in enumerate(stream, 1):
                    if text.strip():
                        last = number
                        yield Line(source, number, text)
        except (OSError, EOFError, zlib.error) as error:
            yield _unreadable(source, last, error)
            continue
        if last is None:
            yield Line(source, None, problem=InputError("no case in it: expected one JSON object a line"))


def _unreadable(source: str, last: int | None, error: Exception) -> Line:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    reason = reason[:1].lower() + reason[1:]
    after = "" if last is None else f" after line {last}"
    return Line(source, None, problem=InputError(f"can not be read{after}: {reason}"))


def standard_input() -> TextIO:
    """Standard input; where the caller closed it, the same error as for a file that is not there."""
    if sys.stdin is None:
        raise OSError(errno.EBADF, "standard input is closed")
    return sys.stdin


def read_standard_input() -> bytes:
    """All that comes through the pipe."""
    return standard_input().buffer.read()


@contextmanager
def _open(name: str) -> Iterator[Iterable[bytes]]:
    with ExitStack() as closing:
        if name == "-":
            raw: Any = standard_input().buffer
            if sys.stdin.isatty():
                click.echo("nominee: reading cases from the terminal, one a line; Ctrl-D ends", err=True)
        else:
            raw = closing.enter_context(Path(name).open("rb"))
        packed = raw.peek(2)[:2] == _GZIP
        yield closing.enter_context(gzip.open(raw)) if packed else raw
