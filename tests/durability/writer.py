"""Writes to a store as fast as it can and tells on standard output what has been acknowledged.

A line is `version type key`. It is run by the durability tests, which kill it.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from random import Random
from typing import Any

from nominee.store.history import Window
from nominee.store.sqlite import SqliteStore

WRITERS = 16
WINDOW = Window(changes=1_000_000, bytes=2**30)


def tell(text: str) -> None:
    os.write(1, f"{text}\n".encode())


async def write(store: SqliteStore, number: int, dice: Random) -> None:
    """One writer, with keys of its own; what it stores says which version it is."""
    while True:
        key = f"n{number}/{dice.randrange(8)}"
        item: dict[str, Any] = {"metadata": {}, "is": store.version + 1, "pad": "x" * dice.randrange(3_000)}
        if store.get("things", key) is None:
            kind, stored = "ADDED", store.create("things", key, item)
        elif dice.random() < 0.7:
            kind, stored = "MODIFIED", store.update("things", key, item)
        else:
            kind, stored = "DELETED", store.delete("things", key)
        await store.durable(stored.version)
        tell(f"{stored.version} {kind} {key}")


async def main(directory: str, seed: str) -> None:
    dice = Random(int(seed))
    store = SqliteStore(Path(directory), window=WINDOW)
    tell(f"{store.version} READY -")
    await asyncio.gather(*(write(store, number, dice) for number in range(WRITERS)))


asyncio.run(main(*sys.argv[1:]))
