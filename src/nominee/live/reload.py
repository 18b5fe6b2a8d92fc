"""Plugins given on the command line are loaded again when their file changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from pathlib import Path
from typing import Protocol

from nominee.errors import ConfigError, NomineeError, words_of
from nominee.live.kinds import kinds_for
from nominee.model.meta import NamedObject
from nominee.profile.profile import Profile

log = logging.getLogger(__name__)

LOOK_EVERY = 1.0


class Watched(Protocol):
    """Files that may change."""

    def changed(self) -> list[Path]: ...


class Reloader:
    """Looks at the files now and then; what is new is used if it can be used.

    build    the profiles as the files have them now
    use      lets the scheduler decide by them
    known    the kinds of objects that the scheduler is told of
    """

    def __init__(
        self,
        files: Watched,
        build: Callable[[], dict[str, Profile]],
        use: Callable[[dict[str, Profile]], None],
        known: Collection[type[NamedObject]],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._files = files
        self._build = build
        self._use = use
        self._known = known
        self._sleep = sleep

    async def run(self) -> None:
        """Look, for ever."""
        while True:
            await self._sleep(LOOK_EVERY)
            if changed := self._files.changed():
                self.reload(changed)

    def reload(self, changed: list[Path]) -> None:
        """Use what the files hold now, or say why not and go on with what there was."""
        names = ", ".join(map(str, changed))
        try:
            self._use(self._built())
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever a plugin does, the one before goes on
            why = error if isinstance(error, NomineeError) else f"{type(error).__name__}: {words_of(error)}"
            log.error("%s changed, and the plugins before stay in use: %s", names, why)  # noqa: TRY400 - one line
        else:
            log.info("%s changed: its plugins are in use", names)

    def _built(self) -> dict[str, Profile]:
        profiles = self._build()
        if unknown := set(kinds_for(profiles.values())) - set(self._known):
            raise ConfigError(f"they look at {_names(unknown)}, for which this process must be restarted")
        return profiles


def _names(kinds: set[type[NamedObject]]) -> str:
    return ", ".join(sorted(kind.KIND for kind in kinds))
