"""Virtual times as objects carry them; formatting is dear, so the present second is kept."""

from __future__ import annotations

from msgspec.structs import replace

from nominee.model.meta import Condition
from nominee.model.timestamps import format_time
from nominee.sim.agenda import Agenda


class Stamps:
    """Writes times of the virtual clock."""

    def __init__(self, agenda: Agenda) -> None:
        self._agenda = agenda
        self._second = -1
        self._text = ""
        self._day = -1
        self._date = ""
        self._scheduled = Condition()

    def now(self) -> str:
        """The present time, to the second."""
        second = int(self._agenda.now)
        if second != self._second:
            self._second, self._text = second, self._written(second)
            self._scheduled = Condition(type="PodScheduled", status="True", last_transition_time=self._text)
        return self._text

    def at(self, time: float) -> str:
        return format_time(time)

    def _written(self, second: int) -> str:
        """As `format_time` writes it; a date is formatted once a day."""
        day, rest = divmod(second, 86400)
        if day != self._day:
            self._day, self._date = day, format_time(second)[:11]
        hour, rest = divmod(rest, 3600)
        minute, rest = divmod(rest, 60)
        return f"{self._date}{hour:02}:{minute:02}:{rest:02}Z"

    def scheduled(self) -> Condition:
        """The condition of a pod that is bound now."""
        self.now()
        return self._scheduled

    def stamped(self, condition: Condition, among: tuple[Condition, ...]) -> Condition:
        """The condition with the time at which it came to have this status."""
        for known in among:
            if known.type == condition.type and known.status == condition.status:
                return replace(condition, last_transition_time=known.last_transition_time)
        return replace(condition, last_transition_time=self.now())
