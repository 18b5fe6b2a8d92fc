"""Reloading: what can be used is used, what can not is refused, and looking costs a look a second."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any, cast

import pytest

from nominee.errors import UnknownPluginError
from nominee.live.reload import Reloader
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.model.workload import Service
from nominee.profile.profile import Profile

FILE = Path("rack.py")


class Files:
    def __init__(self, *changes: list[Path]) -> None:
        self.changes = list(changes)

    def changed(self) -> list[Path]:
        return self.changes.pop(0) if self.changes else []


class Looking:
    watches = (Service,)


class FakeProfile:
    def __init__(self, *plugins: object) -> None:
        self.plugins = {type(plugin).__name__: plugin for plugin in plugins}


def rig(
    files: Files, *plugins: object, error: BaseException | None = None
) -> tuple[Reloader, list[Any], list[float]]:
    used: list[Any] = []
    slept: list[float] = []

    def build() -> dict[str, Profile]:
        if error is not None:
            raise error
        return cast("dict[str, Profile]", {"default": FakeProfile(*plugins)})

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) > 3:
            raise asyncio.CancelledError

    return Reloader(files, build, used.append, (Node, Pod), sleep), used, slept


async def looked(reloader: Reloader) -> None:
    with contextlib.suppress(asyncio.CancelledError):
        await reloader.run()


async def test_it_builds_when_a_file_has_changed_and_only_then() -> None:
    reloader, used, slept = rig(Files([], [FILE], []))
    await looked(reloader)
    assert len(used) == 1
    assert slept == [1.0] * 4


async def test_what_does_not_load_is_refused_in_a_line(caplog: pytest.LogCaptureFixture) -> None:
    error = UnknownPluginError("it does not load: invalid syntax, line 3", source="--plugins rack.py")
    reloader, used, _ = rig(Files([FILE]), error=error)
    await looked(reloader)
    assert used == []
    (record,) = caplog.records
    assert "rack.py changed, and the plugins before stay in use" in record.message
    assert "invalid syntax, line 3" in record.message


async def test_what_looks_at_kinds_that_are_not_watched_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    reloader, used, _ = rig(Files([FILE]), Looking())
    await looked(reloader)
    assert used == []
    assert "they look at Service" in caplog.text


@pytest.mark.parametrize("error", [RuntimeError("boo"), asyncio.CancelledError("boo"), SystemExit("boo")])
async def test_a_plugin_that_raises_anything_is_refused_and_looking_goes_on(
    caplog: pytest.LogCaptureFixture, error: BaseException
) -> None:
    reloader, used, slept = rig(Files([FILE]), error=error)
    await looked(reloader)
    assert used == []
    assert f"the plugins before stay in use: {type(error).__name__}: boo" in caplog.text
    assert len(slept) == 4
