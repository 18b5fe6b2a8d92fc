"""A process is killed with -9 under writes, time and again on the same data.

Ten times in the usual tests; `make test-durability` does it a hundred times.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import NamedTuple

from nominee.store.history import Window
from nominee.store.sqlite import SqliteStore

KILLS = int(os.environ.get("NOMINEE_KILLS", "10"))
WINDOW = Window(changes=1_000_000, bytes=2**30)
WRITER = Path(__file__).with_name("writer.py")


class Acknowledged(NamedTuple):
    version: int
    kind: str
    key: str


def run_and_kill(directory: Path, seed: int, after: int) -> list[Acknowledged]:
    """Let a writer run until it has told of so many writes; the first line is the version it began at."""
    with subprocess.Popen([sys.executable, WRITER, directory, str(seed)], stdout=subprocess.PIPE) as writer:
        assert writer.stdout is not None
        lines = [writer.stdout.readline() for _ in range(after)]
        writer.kill()
        lines += writer.stdout.readlines()  # acknowledged before it died, too
    told = [line.decode().split() for line in lines if line.endswith(b"\n")]
    return [Acknowledged(int(version), kind, key) for version, kind, key in told]


async def changes_since(directory: Path, version: int) -> tuple[int, list[Acknowledged]]:
    """What a watch that goes on from a version sees after the restart, and the version it ends at."""
    store = SqliteStore(directory, window=WINDOW)
    watch = store.watch("things", since=version)
    seen: list[Acknowledged] = []
    while watch.version < store.version:
        for change in await watch.next():
            seen.append(Acknowledged(change.stored.version, change.type, change.stored.key))
            if change.type != "DELETED":
                assert change.stored.object["is"] == change.stored.version
    for stored in store.list("things"):
        assert stored.object["is"] == stored.version
    end = store.version
    store.close()
    return end, seen


async def test_no_acknowledged_write_is_missing_however_often_it_is_killed(tmp_path: Path) -> None:
    dice = Random(0)
    version, everything = 1, []
    for kill in range(KILLS):
        ready, *told = run_and_kill(tmp_path, kill, dice.randrange(2, 400))
        assert ready.version == version  # nothing more, nothing less than what was there
        version, seen = await changes_since(tmp_path, version)
        everything += seen
        assert set(told) <= set(seen)
    assert [each.version for each in everything] == list(range(2, version + 1))
