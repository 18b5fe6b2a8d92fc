"""The order of a list after a strategic merge patch.

Elements of the patch stand in the order that the patch gives them; those that only the server knows
keep theirs, and are put among the others where the old list had them.
apimachinery/pkg/util/strategicpatch/patch.go, normalizeElementOrder and mergeSortedSlice, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

Key = Callable[[Any], Any]


def ordered(merged: Sequence[Any], wanted: Sequence[Any], old: Sequence[Any], key: Key) -> list[Any]:
    """The elements of `merged`: those of `wanted` in its order, the others in that of `old`."""
    wanted_at, old_at = _positions(wanted, key), _positions(old, key)
    of_patch = [element for element in merged if key(element) in wanted_at]
    of_server = [element for element in merged if key(element) not in wanted_at]
    of_patch.sort(key=lambda element: wanted_at[key(element)])
    of_server.sort(key=lambda element: old_at.get(key(element), len(old)))
    return _interleaved(of_server, of_patch, lambda element: old_at.get(key(element)))


def _positions(elements: Sequence[Any], key: Key) -> dict[Any, int]:
    positions: dict[Any, int] = {}
    for position, element in enumerate(elements):
        positions.setdefault(key(element), position)
    return positions


def _interleaved(
    of_server: list[Any], of_patch: list[Any], old_position: Callable[[Any], int | None]
) -> list[Any]:
    """Each of the server's elements goes before the first of the patch's that stood behind it."""
    result: list[Any] = []
    waiting = iter(of_server)
    server = next(waiting, None)
    for element in of_patch:
        behind = old_position(element)
        while server is not None and behind is not None:
            before = old_position(server)
            if before is None or before >= behind:
                break
            result.append(server)
            server = next(waiting, None)
        result.append(element)
    if server is not None:
        result.extend([server, *waiting])
    return result
