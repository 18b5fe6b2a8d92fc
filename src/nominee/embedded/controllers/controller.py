"""What a controller is to the runner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from nominee.store.ports import Change

Keys = Callable[[Change], Iterable[str]]
"""Which keys of a controller a change concerns."""


class Controller(Protocol):
    """One idea of how the cluster follows what objects ask for.

    name      what it is called in logs and metrics
    """

    @property
    def name(self) -> str: ...

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Which resources it looks at, and what their changes mean to it."""
        ...

    def reconcile(self, key: str) -> float | None:
        """Do the next thing for a key; answers in how many seconds it wants to be asked again, if at all."""
        ...


def own_key(change: Change) -> tuple[str, ...]:
    """A change of an object that is itself what the controller looks after."""
    return (change.stored.key,)
