"""Progress of long work: on standard error when that is a terminal, and nowhere else."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import Progress


@contextmanager
def progress_bar(about: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar of `total` steps; the function handed out says how many more are done."""
    console = Console(stderr=True)
    with Progress(console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task(about, total=total)
        yield lambda steps: progress.advance(task, steps)


@contextmanager
def counter(done: str) -> Iterator[Callable[[], None]]:
    """Count what is done; silent also where the answers themselves go to the terminal."""
    console = Console(stderr=True)
    if sys.stdout.isatty() or not console.is_terminal:
        yield lambda: None
        return
    count = 0
    with console.status(f"0 {done}") as status:

        def advance() -> None:
            nonlocal count
            count += 1
            status.update(f"{count} {done}")

        yield advance
