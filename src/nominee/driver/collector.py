"""What Python's garbage collector is told in a process that holds a cluster in memory."""

from __future__ import annotations

import gc


def let_be(*, young: int, middle: int) -> None:
    """What has been loaded so far stays: the collector need not look at it again and again.

    It looks at new objects after `young` of them, and at those that outlived that after `middle` such looks.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, middle, 100)
