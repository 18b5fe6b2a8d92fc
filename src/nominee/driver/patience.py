"""Which failed calls are worth another try, and how to be certain whether a pod was bound."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Iterator, Sequence
from typing import TypeVar

from nominee.driver.ports import Cluster
from nominee.errors import ApiError, Conflict, NomineeError, NotFound, TooManyRequests, TransportError
from nominee.framework import Pod

T = TypeVar("T")

REFUSED_FOR_NOW = (0.01, 0.05, 0.25)
"""Four tries from 10 ms, five times longer each: retry of pkg/scheduler/util/utils.go, v1.37."""
NO_ANSWER = (0.05, 0.25, 1.0, 2.0, *(5.0,) * 20)
"""While the server is away: the pod keeps its place meanwhile, and nobody else can bind either."""
LONGEST_PAUSE = 30.0
"""No pod waits longer for its answer, however much later the server would like to be asked again."""
_JITTER = 0.1


class Patience:
    """How often to ask again after which error, and how long to wait before."""

    def __init__(
        self, refused: Sequence[float] = REFUSED_FOR_NOW, unanswered: Sequence[float] = REFUSED_FOR_NOW
    ) -> None:
        self._refused: Iterator[float] = iter(refused)
        self._unanswered: Iterator[float] = iter(unanswered)

    async def wait(self, error: NomineeError) -> bool:
        """Wait until it is time to ask again; False at once if it is no use."""
        delay = self._delay(error)
        if delay is None:
            return False
        await asyncio.sleep(delay * (1 + _JITTER * random.random()))  # noqa: S311 - jitter is no secret
        return True

    def _delay(self, error: NomineeError) -> float | None:
        if isinstance(error, TransportError):
            return next(self._unanswered, None)
        if isinstance(error, TooManyRequests):
            delay = next(self._refused, None)
            asked = min(error.retry_after or 0.0, LONGEST_PAUSE)
            return max(delay, asked) if delay is not None else None
        if isinstance(error, Conflict) or (isinstance(error, ApiError) and error.status >= 500):
            return next(self._refused, None)
        return None


async def patiently(call: Callable[[], Awaitable[T]], unanswered: Sequence[float] = REFUSED_FOR_NOW) -> T:
    """The result of an idempotent call, asked again after errors that may pass."""
    patience: Patience | None = None
    while True:
        try:
            return await call()
        except NomineeError as error:
            patience = patience or Patience(unanswered=unanswered)
            if not await patience.wait(error):
                raise


async def bind_for_certain(cluster: Cluster, pod: Pod, node_name: str) -> None:
    """Bind the pod, and leave no doubt whether it was bound.

    A server that did not answer, or answered that something broke, may have bound the pod all the same.
    To forget the pod's place then could fill it twice. So the same binding is asked for again, which
    can do no harm, and a conflict is looked into: the pod may stand where it should.
    """
    patience: Patience | None = None
    while True:
        try:
            await cluster.bind(pod, node_name)
            return
        except Conflict:
            if await _stands_there(cluster, pod, node_name):
                return
            raise
        except NomineeError as error:
            patience = patience or Patience(unanswered=NO_ANSWER)
            if await patience.wait(error):
                continue
            if isinstance(error, ApiError) and error.status < 500:
                raise
            if await _stands_there(cluster, pod, node_name):
                return
            raise


async def raise_if_gone(cluster: Cluster, pod: Pod) -> None:
    """Raise NotFound if the pod does not exist any more, also if another one has its name."""
    found = await patiently(lambda: cluster.get("Pod", pod.key))
    if found.get("metadata", {}).get("uid") != pod.uid:
        raise NotFound(404, f"pod {pod.key!r} is another one by now")


async def _stands_there(cluster: Cluster, pod: Pod, node_name: str) -> bool:
    """Whether the pod that was meant is on this node; not knowing counts as no."""
    try:
        found = await patiently(lambda: cluster.get("Pod", pod.key), NO_ANSWER)
    except NomineeError:
        return False
    uid, node = found.get("metadata", {}).get("uid"), found.get("spec", {}).get("nodeName")
    return (uid, node) == (pod.uid, node_name)
