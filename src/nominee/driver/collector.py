"""What Python's garbage collector is told in a process that holds a cluster in memory."""

from __future__ import annotations

import gc


def look_rarely(*, young: int = 50_000, middle: int = 20) -> None:
    """Look at new objects after `young` of them, at those that outlived that after `middle` such looks.

    What is there now stays, as good as all of it, and is not looked at again and again.
    """
    gc.freeze()
    gc.set_threshold(young, middle, 100)


def let_be() -> None:
    """All that is there now stays, but for what is garbage already."""
    gc.collect()
    gc.freeze()
