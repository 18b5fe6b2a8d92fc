"""JSON pointers (RFC 6901) into a tree, and changes behind them that copy only the path.

The corners are those of github.com/evanphx/json-patch v4.13: an index may be negative, and a field
that does not exist reads as null.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

_INDEX = re.compile(r"[+-]?[0-9]{1,18}\Z")

Container = dict[str, Any] | list[Any]


class PatchError(Exception):
    """An operation does not apply; the message is the one that its library gives."""


def steps_of(pointer: str) -> list[str] | None:
    """The steps of a pointer; None if it points to the whole document, or nowhere."""
    if "/" not in pointer:
        return None
    return [step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]]


def container_of(document: Any, steps: list[str] | None) -> Container | None:
    """What holds the value that is pointed at; None if a step on the way there is missing."""
    if steps is None:
        return None
    here = document
    for step in steps[:-1]:
        try:
            here = read(here, step)
        except PatchError:
            return None
        if not isinstance(here, dict | list):
            return None
    return here if isinstance(here, dict | list) else None


def read(container: Container, step: str) -> Any:
    """The value of a field or of an element; a missing field reads as null."""
    if isinstance(container, dict):
        return container.get(step)
    return container[index_of(container, step)]


def index_of(elements: list[Any], step: str) -> int:
    """The position that a step names in a list."""
    position = _integer(step)
    if not -len(elements) <= position < len(elements):
        raise PatchError(f"Unable to access invalid index: {position}: invalid index referenced")
    return position % len(elements)


def _integer(step: str) -> int:
    if not _INDEX.match(step):
        raise PatchError(f'strconv.Atoi: parsing "{step}": invalid syntax')
    return int(step)


def insertion_index(elements: list[Any], step: str) -> int:
    """Where an addition goes: before the element of this index, or at the end for `-`."""
    if step == "-":
        return len(elements)
    try:
        position = _integer(step)
    except PatchError as error:
        raise PatchError(f"value was not a proper array index: '{step}': {error}") from error
    size = len(elements) + 1
    if not -size <= position < size:
        raise PatchError(f"Unable to access invalid index: {position}: invalid index referenced")
    return position % size


def changed(document: Any, steps: list[str], change: Callable[[Any, str], None]) -> Any:
    """The document with `change(container, last step)` made in a copy of what leads there.

    The path must exist: `container_of` has been asked.
    """
    root = here = document.copy()
    for step in steps[:-1]:
        key: Any = step if isinstance(here, dict) else index_of(here, step)
        here[key] = here[key].copy()
        here = here[key]
    change(here, steps[-1])
    return root


def add(container: Any, step: str, value: Any) -> None:
    """Set a field, or insert an element."""
    if isinstance(container, dict):
        container[step] = value
    else:
        container.insert(insertion_index(container, step), value)


def remove(container: Any, step: str) -> None:
    """Take a field or an element out."""
    if isinstance(container, dict):
        if step not in container:
            raise PatchError(f"Unable to remove nonexistent key: {step}: missing value")
        del container[step]
    else:
        del container[index_of(container, step)]


def replace(container: Any, step: str, value: Any) -> None:
    """Set a field, whether or not it is there, or an element that is there."""
    if isinstance(container, dict):
        container[step] = value
    else:
        container[index_of(container, step)] = value
