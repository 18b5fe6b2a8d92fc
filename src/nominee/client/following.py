"""Following a selection for ever: list, watch, resume where it broke off, list again where that is due."""

from __future__ import annotations

import logging
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from nominee.client.client import LONGEST_RETRY_AFTER, Client
from nominee.client.listing import SILENCE_SECONDS, Listing, Selection, list_objects, watch_objects
from nominee.client.objects import Event, Undecodable
from nominee.client.pace import Backoff
from nominee.errors import ApiError, Expired, Forbidden, TooManyRequests, TransportError, Unauthorized
from nominee.model.meta import NamedObject

T = TypeVar("T", bound=NamedObject)

ERRORS = 5
"""After so many errors of the server in a row it may be our version that it can not go on from."""
SHORT_WATCH_SECONDS = 1.0
"""A watch that ends sooner and has brought nothing counts as a failure, or we would ask without end."""
_log = logging.getLogger(__name__)


def _never(_: ApiError | TransportError) -> bool:
    return False


@dataclass(slots=True, kw_only=True)
class Follower(Generic[T]):
    """Follows a selection and never gives up.

    fatal      judges a failure: True if it shall be raised rather than tried again
    backoff    the pauses between failures
    version    the last version heard of, from which a broken watch is resumed; empty: list
    """

    client: Client
    selection: Selection[T]
    fatal: Callable[[ApiError | TransportError], bool] = _never
    backoff: Backoff = field(default_factory=Backoff)
    silence: float = SILENCE_SECONDS
    monotonic: Callable[[], float] = time.monotonic
    version: str = ""
    _listed_before: bool = False
    _failing: bool = False
    _errors: int = 0

    async def updates(self) -> AsyncGenerator[Listing[T] | list[Event[T] | Undecodable]]:
        """Yield all there is, which replaces what was known before, then what happens; bookmarks too."""
        while True:
            try:
                if not self.version:
                    yield await self._list()
                async with aclosing(self._watch()) as batches:
                    async for batch in batches:
                        yield batch
            except (ApiError, TransportError) as error:
                if self.fatal(error):
                    raise
                await self._recover(error)

    async def _list(self) -> Listing[T]:
        # At first any recent state will do, the watch brings the rest. Later that might be a step back.
        listing = await list_objects(self.client, self.selection, "" if self._listed_before else "0")
        self.version = listing.version
        self._listed_before = True
        self._well()
        return listing

    async def _watch(self) -> AsyncGenerator[list[Event[T] | Undecodable]]:
        began, silent = self.monotonic(), True
        watch = watch_objects(self.client, self.selection, self.version, silence=self.silence)
        async with aclosing(watch) as batches:
            async for batch in batches:
                if silent:
                    self._well()
                    silent = False
                self.version = _version_of(batch[-1]) or self.version
                yield batch
        if silent and self.monotonic() - began < SHORT_WATCH_SECONDS:
            raise TransportError("the server ended the watch at once")

    async def _recover(self, error: ApiError | TransportError) -> None:
        kind = self.selection.struct.KIND
        if isinstance(error, Expired):
            _log.info("listing %s again: %s", kind, error)
        elif not self._failing and not self._is_refused_at_first(error):
            _log.warning("can not follow %s, trying again: %s", kind, error)
        if self._is_hopeless(error):
            self.version = ""
        self._failing = True
        await self.client.sleep(self._pause(error))

    def _is_refused_at_first(self, error: ApiError | TransportError) -> bool:
        """Whether the judge will speak of it: one line at the end is better than two for each kind."""
        judged = self.fatal is not _never and not self._listed_before
        return judged and isinstance(error, Forbidden | Unauthorized)

    def _is_hopeless(self, error: ApiError | TransportError) -> bool:
        """Whether a watch from the same version would end like this again.

        So does a reflector list again after most errors (client-go/tools/cache/reflector.go, v1.37); one that
        a server in trouble answers with may pass, and a list costs it more than a watch.
        """
        if not isinstance(error, ApiError) or isinstance(error, TooManyRequests):
            return False
        self._errors += 1
        return error.status < 500 or self._errors >= ERRORS

    def _pause(self, error: ApiError | TransportError) -> float:
        asked = error.retry_after if isinstance(error, TooManyRequests) else None
        return max(self.backoff.pause(), min(asked or 0.0, LONGEST_RETRY_AFTER))

    def _well(self) -> None:
        if self._failing:
            _log.info("following %s again", self.selection.struct.KIND)
        self._failing = False
        self._errors = 0
        self.backoff.reset()


def _version_of(event: Event[T] | Undecodable) -> str:
    return event.version if isinstance(event, Undecodable) else event.object.metadata.resource_version
