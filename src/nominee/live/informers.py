"""Keeps the scheduler told of the cluster: one informer per kind, which never gives up.

An object that can not be decoded is reported once and left out. If it was known before, in a form that
could be read, that form goes on counting until the object is deleted or readable again: a pod whose
status nominee does not understand still fills its place.

A pod that leaves the selection (it has succeeded or failed) appears as deleted, in the last form that was
still part of it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from contextlib import aclosing
from typing import Any, Generic, TypeVar, cast

from nominee.client import Backoff, Client, Event, Follower, Listing, Selection, Undecodable
from nominee.errors import ApiError, Forbidden, TransportError, Unauthorized
from nominee.live.known import Known, KnownObjects, KnownPods, identity
from nominee.model.meta import NamedObject
from nominee.model.pod import Pod
from nominee.scheduler.inputs import Gone, Input, Seen

T = TypeVar("T", bound=NamedObject)
Tell = Callable[[Input], None]

LIVING_PODS = "status.phase!=Succeeded,status.phase!=Failed"
"""The pods that count (pkg/scheduler/scheduler.go, NewInformerFactory, v1.37)."""
REFUSALS = 4
"""So many refusals in a row at the start end it: a server that has just started refuses at first."""
log = logging.getLogger(__name__)


class Informer(Generic[T]):
    """Tells of all objects of a kind: of those that there are, then of each change.

    synced     set when all that there was at the start has been told
    """

    def __init__(self, client: Client, struct: type[T], tell: Tell) -> None:
        self.struct = struct
        self.synced = asyncio.Event()
        self._client = client
        self._tell = tell
        self._known = cast("Known[T]", KnownPods() if struct is Pod else KnownObjects())
        self._reported: dict[str, str] = {}
        self._refusals = 0

    async def run(self) -> None:
        """Tell, for ever. Raises only if the server does not let us read at the very start."""
        backoff = Backoff()
        selection = Selection(self.struct, fields=LIVING_PODS if self.struct is Pod else "")
        follower = Follower(client=self._client, selection=selection, fatal=self._is_fatal)
        while True:
            try:
                await self._follow(follower)
            except (ApiError, TransportError):
                raise  # judged hopeless by `_is_fatal`
            except Exception:
                log.exception("following %s broke: listing it again", self.struct.KIND)
            follower.version = ""
            await self._client.sleep(backoff.pause())

    async def _follow(self, follower: Follower[T]) -> None:
        async with aclosing(follower.updates()) as updates:
            async for update in updates:
                if isinstance(update, Listing):
                    self._replace(update)
                    self.synced.set()
                else:
                    self._apply(update)

    def _is_fatal(self, error: ApiError | TransportError) -> bool:
        self._refusals += isinstance(error, Forbidden | Unauthorized)
        return self._refusals >= REFUSALS and not self.synced.is_set()

    # -- telling --------------------------------------------------------------------------------

    def _replace(self, listing: Listing[T]) -> None:
        """What is not in the list is gone; first of all, as its name may be in use again."""
        there = {identity(item) for item in listing.items}
        there.update(fault.uid or fault.key for fault in listing.undecodable)
        for ident in [ident for ident in self._known if ident not in there]:
            self._gone(ident, None)
        for item in listing.items:
            self._seen(item)
        for fault in listing.undecodable:
            self._report(fault)

    def _apply(self, events: list[Event[T] | Undecodable]) -> None:
        for event in events:
            if isinstance(event, Undecodable):
                self._apply_undecodable(event)
            elif event.type == "DELETED":
                self._gone(identity(event.object), event.object)
            elif event.type != "BOOKMARK":
                self._seen(event.object)

    def _apply_undecodable(self, fault: Undecodable) -> None:
        if fault.change == "DELETED":
            self._gone(fault.uid or fault.key, None)
        elif fault.change != "BOOKMARK":
            self._report(fault)

    def _seen(self, item: T) -> None:
        if self._known.put(item):
            self._tell(Seen(item))
        if self._reported:
            self._reported.pop(identity(item), None)

    def _gone(self, ident: str, item: T | None) -> None:
        known = self._known.take(ident)
        self._reported.pop(ident, None)
        last = item if item is not None else known
        if last is not None:
            self._tell(Gone(last))

    def _report(self, fault: Undecodable) -> None:
        ident = fault.uid or fault.key
        if self._reported.get(ident) == fault.problem:
            return
        self._reported[ident] = fault.problem
        stays = "its last readable form counts" if ident in self._known else "it is left out"
        log.error("can not read %s %s, %s: %s", fault.kind, fault.key or "?", stays, fault.problem)


class Informers:
    """The informers of several kinds; `run` them, and wait until they are `synced`."""

    def __init__(self, client: Client, kinds: Iterable[type[NamedObject]], tell: Tell) -> None:
        self._informers: list[Informer[Any]] = [Informer(client, kind, tell) for kind in kinds]

    @property
    def is_synced(self) -> bool:
        """Whether all that there was at the start has been told."""
        return all(informer.synced.is_set() for informer in self._informers)

    @property
    def behind(self) -> list[str]:
        """The kinds that have not been listed yet."""
        return [each.struct.KIND for each in self._informers if not each.synced.is_set()]

    async def synced(self) -> None:
        """Wait until all that there was at the start has been told."""
        await asyncio.gather(*(informer.synced.wait() for informer in self._informers))

    async def run(self) -> None:
        """Tell, for ever. Raises the first error that an informer raises."""
        tasks = [
            asyncio.create_task(each.run(), name=f"informer {each.struct.KIND}") for each in self._informers
        ]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
