"""Coroutines of plugins, stepped by hand: whatever they wait for is an awaitable of ours."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import Any

from nominee.errors import NomineeError

Resume = Callable[[Any, Exception | None], None]
Ended = Callable[[Any, BaseException | None], None]


class CancelledWorkError(NomineeError):
    """Raised inside a plugin whose work is no longer wanted; its text is the cause."""


class Pause:
    """Something to wait for: `begin(resume)` starts it, and `resume(result, error)` is called later."""

    __slots__ = ("begin",)

    def __init__(self, begin: Callable[[Resume], object]) -> None:
        self.begin = begin

    def __await__(self) -> Generator[Pause, Any, Any]:
        return (yield self)


class Task:
    """One coroutine under way; `ended(result, error)` is called once, unless the task is dropped."""

    __slots__ = ("_coroutine", "_ended", "_pause")

    def __init__(self, coroutine: Coroutine[Any, Any, Any], ended: Ended) -> None:
        self._coroutine = coroutine
        self._ended: Ended | None = ended
        self._pause = 0

    def start(self) -> None:
        """Run up to the first thing it waits for."""
        if self._ended is not None:
            self._step(None, None)

    @property
    def over(self) -> bool:
        return self._ended is None

    def cancel(self, cause: str) -> None:
        """Raise `CancelledWorkError` where the coroutine waits; what it makes of that is its own affair."""
        if self._ended is not None:
            self._step(None, CancelledWorkError(cause))

    def drop(self) -> None:
        """End it without a word, as the end of its process would."""
        self._ended = None
        self._coroutine.close()

    def _step(self, value: Any, error: Exception | None) -> None:
        self._pause += 1
        try:
            waiting = self._coroutine.send(value) if error is None else self._coroutine.throw(error)
        except StopIteration as stop:
            self._end(stop.value, None)
        except KeyboardInterrupt:
            raise
        except BaseException as raised:  # noqa: BLE001 - whatever it raises costs the pod its attempt, no more
            self._end(None, raised)
        else:
            if isinstance(waiting, Pause):
                self._wait(waiting)
            else:
                message = f"waits for {waiting!r}; in a simulation only what `api` offers can be awaited"
                self._step(None, NomineeError(message))

    def _wait(self, pause: Pause) -> None:
        number = self._pause

        def resume(result: Any, error: Exception | None) -> None:
            if self._ended is not None and self._pause == number:  # else it was cancelled meanwhile
                self._step(result, error)

        pause.begin(resume)

    def _end(self, result: Any, error: BaseException | None) -> None:
        ended, self._ended = self._ended, None
        if ended is not None:
            ended(result, error)
