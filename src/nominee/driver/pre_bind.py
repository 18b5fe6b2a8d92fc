"""PreBind plugins of one pod, side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from nominee.errors import ApiError, shown, words_of
from nominee.framework import Api, Reject
from nominee.scheduler.effects import RunPreBind
from nominee.scheduler.inputs import Completed


def message_of(error: BaseException) -> str:
    """What went wrong in words: the server's own where there are any."""
    if isinstance(error, ApiError):
        return error.reason
    return words_of(error)


class PreBindGroup:
    """Runs all plugins of a RunPreBind; the first failure ends the others and is the answer.

    The answer is given when all have ended, so that no plugin works on for a pod that is somewhere else
    by then.
    """

    def __init__(self, effect: RunPreBind, api: Api, answer: Callable[[Completed], None]) -> None:
        self._effect = effect
        self._api = api
        self._answer = answer
        self._open: set[asyncio.Task[None]] = set()
        self._failure: Completed | None = None
        self._cause: str | None = None

    def start(self) -> None:
        """Begin, unless it was cancelled before its turn came."""
        plugins = self._effect.plugins
        if self._cause is not None or not plugins:
            self._end()
            return
        for name, plugin in plugins:
            task = asyncio.create_task(self._run(name, plugin))
            self._open.add(task)
            task.add_done_callback(self._ended)

    def cancel(self, cause: str) -> None:
        """End the plugins that are at work; their answer is this cause."""
        self._cause = cause
        self._cancel_open()

    def drop(self) -> None:
        """End them without an answer."""
        self._answer = _nobody
        self._cancel_open()

    def _cancel_open(self) -> None:
        for task in self._open:
            task.cancel()

    async def _run(self, name: str, plugin: object) -> None:
        effect = self._effect
        try:
            said = await plugin.pre_bind(effect.pod, effect.node, effect.cycle, self._api)  # type: ignore[attr-defined]
        except asyncio.CancelledError:
            self._fail(name, self._cause or "context canceled")
        except BaseException as error:  # noqa: BLE001 - whatever it raises costs the pod its attempt, no more
            self._fail(name, message_of(error))
        else:
            if isinstance(said, Reject):
                self._settle(Completed(effect.id, said.message, rejected=True))
            elif said is not None:
                self._fail(name, f"must answer with None or a Reject, not {shown(said)}")

    def _fail(self, name: str, message: str) -> None:
        self._settle(Completed(self._effect.id, f'running PreBind plugin "{name}": {message}'))

    def _settle(self, failure: Completed) -> None:
        if self._failure is None:
            self._failure = failure
            self._cancel_open()

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._open.discard(task)
        if not self._open:
            self._end()

    def _end(self) -> None:
        answer, self._answer = self._answer, _nobody
        answer(self._failure or Completed(self._effect.id, self._cause))


def _nobody(answer: Completed) -> None:
    """The process ends."""
