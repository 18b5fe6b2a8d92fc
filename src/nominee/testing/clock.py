"""A clock that stands still until a test moves it."""

from __future__ import annotations


class ManualClock:
    """Satisfies `nominee.clock.Clock`; its time never goes back."""

    def __init__(self, now: float = 0.0) -> None:
        self._now = now

    def now(self) -> float:
        """The seconds since the epoch that the test last set."""
        return self._now

    def advance(self, seconds: float) -> float:
        """Let so much time pass; returns the new time."""
        return self.set(self._now + seconds)

    def set(self, now: float) -> float:
        """Jump to a time that is not in the past."""
        if now < self._now:
            msg = f"a clock does not go back: it is {self._now!r}, not {now!r}"
            raise ValueError(msg)
        self._now = now
        return now
