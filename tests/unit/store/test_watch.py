import asyncio
from collections.abc import Sequence

import pytest

from nominee.errors import Expired
from nominee.store.history import Window
from nominee.store.memory import MemoryStore
from nominee.store.ports import Change


def thing() -> dict[str, object]:
    return {"metadata": {}}


def seen(changes: Sequence[Change]) -> list[tuple[str, str]]:
    return [(change.type, change.stored.key) for change in changes]


async def test_a_watch_begins_after_its_version() -> None:
    store = MemoryStore()
    first = store.create("pods", "n/a", thing())
    store.update("pods", "n/a", thing())
    store.delete("pods", "n/a")
    watch = store.watch("pods", since=first.version)
    assert seen(await watch.next()) == [("MODIFIED", "n/a"), ("DELETED", "n/a")]


async def test_a_watch_without_a_version_begins_now() -> None:
    store = MemoryStore()
    store.create("pods", "n/a", thing())
    watch = store.watch("pods")
    store.create("pods", "n/b", thing())
    assert seen(await watch.next()) == [("ADDED", "n/b")]


async def test_a_watch_waits_for_the_next_change() -> None:
    store = MemoryStore()
    watch = store.watch("pods")
    reading = asyncio.ensure_future(watch.next())
    await asyncio.sleep(0)
    assert not reading.done()
    store.create("pods", "n/a", thing())
    assert seen(await reading) == [("ADDED", "n/a")]


async def test_a_watch_of_a_namespace_waits_on_while_others_change() -> None:
    store = MemoryStore()
    watch = store.watch("pods", "n")
    reading = asyncio.ensure_future(watch.next(60))
    await asyncio.sleep(0)
    store.create("pods", "m/a", thing())
    await asyncio.sleep(0)
    store.create("pods", "n/b", thing())
    assert seen(await reading) == [("ADDED", "n/b")]


async def test_a_watch_is_patient_only_so_long() -> None:
    assert await MemoryStore().watch("pods").next(0.001) == []


async def test_a_watch_that_waits_can_be_closed() -> None:
    watch = MemoryStore().watch("pods")
    reading = asyncio.ensure_future(watch.next())
    await asyncio.sleep(0)
    watch.close()
    assert await reading == []


async def test_a_reader_that_gave_up_leaves_nothing_behind() -> None:
    store = MemoryStore()
    watch = store.watch("pods")
    reading = asyncio.ensure_future(watch.next())
    await asyncio.sleep(0)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    store.create("pods", "n/a", thing())
    assert seen(await watch.next()) == [("ADDED", "n/a")]


async def test_a_watcher_that_does_not_read_is_cut_off_and_others_are_not() -> None:
    store = MemoryStore(window=Window(changes=8))
    asleep, awake = store.watch("nodes"), store.watch("nodes")
    read = 0
    for number in range(100):
        store.create("nodes", str(number), thing())
        read += len(await awake.next())
    assert read == 100
    with pytest.raises(Expired, match="fell behind"):
        await asleep.next()


async def test_the_window_is_bounded_in_bytes_too() -> None:
    store = MemoryStore(window=Window(bytes=10_000))
    watch = store.watch("secrets")
    store.create("secrets", "n/a", {**thing(), "data": "x" * 4_000})
    for _ in range(5):
        store.update("secrets", "n/a", {**thing(), "data": "x" * 4_000})
    with pytest.raises(Expired):
        await watch.next()


async def test_one_change_of_any_size_is_kept() -> None:
    store = MemoryStore(window=Window(bytes=10))
    store.create("secrets", "n/a", thing())
    before = store.update("secrets", "n/a", {**thing(), "data": "x" * 4_000})
    watch = store.watch("secrets", since=before.version)
    store.update("secrets", "n/a", {**thing(), "data": "x" * 4_000})
    assert seen(await watch.next()) == [("MODIFIED", "n/a")]


async def test_a_watch_from_before_the_window_is_refused() -> None:
    store = MemoryStore(window=Window(changes=4))
    for number in range(10):
        store.create("nodes", str(number), thing())
    with pytest.raises(Expired, match="too old resource version: 2 "):
        store.watch("nodes", since=2)


async def test_the_changes_of_one_resource_do_not_age_those_of_another() -> None:
    store = MemoryStore(window=Window(changes=4))
    for number in range(10):
        store.create("pods", f"n/{number}", thing())
    store.create("nodes", "a", thing())
    assert seen(await store.watch("nodes", since=1).next()) == [("ADDED", "a")]


async def test_a_bookmark_follows_what_does_not_concern_the_watch() -> None:
    store = MemoryStore()
    watch = store.watch("nodes")
    store.create("pods", "n/a", thing())
    assert watch.version == store.version
    node = store.create("nodes", "a", thing())
    assert watch.version < node.version
    await watch.next()
    assert watch.version == node.version
    assert store.watch("nodes", since=2).version == 2


async def test_a_watch_hands_out_a_long_past_in_parts() -> None:
    store = MemoryStore()
    for number in range(3_000):
        store.create("pods", f"n/{number}", thing())
    watch = store.watch("pods", since=1)
    parts = [len(await watch.next()) for _ in range(3)]
    assert parts == [1024, 1024, 952]
