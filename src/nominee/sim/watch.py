"""What a scheduler sees of the world, and when."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from nominee.model.event import Event
from nominee.model.meta import NamedObject
from nominee.scheduler.inputs import Gone, Seen
from nominee.sim.agenda import Agenda


class Watch:
    """Changes on their way to one scheduler, in order, `delay` seconds after they happened."""

    def __init__(self, agenda: Agenda, delay: float) -> None:
        self.delay = delay
        self._agenda = agenda
        self._coming: deque[tuple[float, Seen | Gone]] = deque()

    def changed(self, old: NamedObject | None, new: NamedObject | None) -> None:
        """A write: to be a listener of the world."""
        if isinstance(new, Event):
            return
        due = self._agenda.now + self.delay
        if self._coming and self._coming[-1][0] > due:
            due = self._coming[-1][0]  # nothing overtakes what was before it
        if new is not None:
            self._coming.append((due, Seen(new)))
        elif old is not None:
            self._coming.append((due, Gone(old)))

    def next_time(self) -> float | None:
        return self._coming[0][0] if self._coming else None

    @property
    def due(self) -> bool:
        return bool(self._coming) and self._coming[0][0] <= self._agenda.now

    def take_due(self) -> Iterator[Seen | Gone]:
        """The changes that are seen by now."""
        coming, now = self._coming, self._agenda.now
        while coming and coming[0][0] <= now:
            yield coming.popleft()[1]
