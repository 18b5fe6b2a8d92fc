import asyncio
import sqlite3
from pathlib import Path

import pytest

from nominee.errors import Expired, StorageError
from nominee.store.database import NAME, Database
from nominee.store.history import Window
from nominee.store.ports import Stored
from nominee.store.sqlite import SqliteStore

SMALL = Window(changes=8)


def thing(**fields: object) -> dict[str, object]:
    return {"metadata": {}, **fields}


def states(found: list[Stored] | tuple[Stored, ...]) -> list[tuple[str, int, bytes]]:
    return [(each.key, each.version, each.json) for each in found]


async def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.create("pods", "n/a", thing(x="ä"))
    store.update("pods", "n/a", thing(x=2))
    store.create("pods", "n/b", thing())
    store.delete("pods", "n/b")
    before = states(list(store.list("pods")))
    store.close()
    again = SqliteStore(tmp_path)
    assert states(list(again.list("pods"))) == before
    assert again.version == 5
    again.close()


async def test_durable_waits_for_the_disk(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    stored = store.create("pods", "n/a", thing())
    await store.durable()
    with sqlite3.connect(tmp_path / NAME) as other:
        assert other.execute("select version from change").fetchall() == [(stored.version,)]
    other.close()
    store.close()


async def test_watches_see_what_is_durable_only(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    watch = store.watch("pods")
    stored = store.create("pods", "n/a", thing())
    assert watch.version < stored.version
    assert [each.stored for each in await watch.next()] == [stored]
    with sqlite3.connect(tmp_path / NAME) as other:
        assert other.execute("select count(*) from change").fetchone() == (1,)
    other.close()
    store.close()


async def test_versions_do_not_go_back_after_deletions(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, window=SMALL)
    for number in range(50):
        store.create("pods", f"n/{number}", thing())
        store.delete("pods", f"n/{number}")
    version = store.version
    store.close()
    again = SqliteStore(tmp_path, window=SMALL)
    assert again.version == version
    assert again.create("pods", "n/a", thing()).version == version + 1
    again.close()


async def test_a_watch_resumes_after_a_restart(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    first = store.create("pods", "n/a", thing(x=1))
    store.update("pods", "n/a", thing(x=2))
    store.delete("pods", "n/a")
    store.close()
    again = SqliteStore(tmp_path)
    changes = await again.watch("pods", since=first.version).next()
    assert [each.type for each in changes] == ["MODIFIED", "DELETED"]
    assert changes[0].previous is not None
    assert changes[0].previous.object["x"] == 1
    assert changes[1].stored.object == {"metadata": {"resourceVersion": "4"}, "x": 2}
    again.close()


async def test_an_earlier_list_can_be_had_after_a_restart(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    store.create("pods", "n/a", thing())
    second = store.create("pods", "n/b", thing())
    store.delete("pods", "n/a")
    store.update("pods", "n/b", thing(x=1))
    store.close()
    again = SqliteStore(tmp_path)
    then = again.list_at("pods", "", second.version)
    assert [(each.key, each.version) for each in then] == [("n/a", 2), ("n/b", 3)]
    again.close()


async def test_the_past_that_is_forgotten_is_removed_and_stays_forgotten(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, window=SMALL)
    store.create("nodes", "a", thing())
    for number in range(200):
        store.update("nodes", "a", thing(x=number))
        await store.durable()
    store.close()
    with sqlite3.connect(tmp_path / NAME) as other:
        assert other.execute("select count(*) from change").fetchone()[0] <= 12
    other.close()
    again = SqliteStore(tmp_path, window=SMALL)
    assert again.list("nodes")[0].object["x"] == 199
    with pytest.raises(Expired):
        again.watch("nodes", since=2)
    again.close()


async def test_rows_that_a_crash_left_behind_are_removed_later(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path, window=SMALL)
    store.create("nodes", "a", thing())
    store.update("nodes", "a", thing(x=1))
    store.close()
    database = Database(tmp_path)
    database.write([], [], {"nodes": 3})  # the floor, and then the end of the process
    database.close()
    again = SqliteStore(tmp_path, window=SMALL)
    again.update("nodes", "a", thing(x=2))
    again.close()
    with sqlite3.connect(tmp_path / NAME) as other:
        assert other.execute("select version from change").fetchall() == [(3,), (4,)]
    other.close()


async def test_a_second_process_is_refused(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path)
    with pytest.raises(StorageError, match=r"in use by process \d+"):
        SqliteStore(tmp_path)
    store.close()
    SqliteStore(tmp_path).close()


async def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    SqliteStore(tmp_path).close()
    with sqlite3.connect(tmp_path / NAME) as other:
        other.execute("pragma user_version=99")
    other.close()
    with pytest.raises(StorageError, match="written by a newer nominee"):
        SqliteStore(tmp_path)


async def test_another_database_is_refused(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / NAME) as other:
        other.execute("create table mine (x)")
    other.close()
    with pytest.raises(StorageError, match="not a database of nominee"):
        SqliteStore(tmp_path)


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / NAME).write_bytes(b"x" * 5_000)
    with pytest.raises(StorageError, match="not a database"):
        SqliteStore(tmp_path)


async def test_a_directory_that_can_not_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="name another --data"):
        SqliteStore(tmp_path / "file" / "data")


async def test_nobody_else_may_read_the_data(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "data")
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "data" / NAME).stat().st_mode & 0o777 == 0o600
    store.close()


async def test_an_error_of_the_disk_refuses_all_that_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[StorageError] = []
    store = SqliteStore(tmp_path, on_failure=told.append)
    acknowledged = store.create("pods", "n/a", thing())
    await store.durable()

    def full(*_: object) -> None:
        raise sqlite3.OperationalError("database or disk is full")

    monkeypatch.setattr(Database, "write", full)
    watch = store.watch("pods", since=acknowledged.version)
    store.create("pods", "n/b", thing())
    with pytest.raises(StorageError, match="disk is full"):
        await store.durable()
    with pytest.raises(StorageError):
        store.create("pods", "n/c", thing())
    with pytest.raises(StorageError):
        await store.durable()
    await store.durable(acknowledged.version)
    assert await watch.next(0.001) == []
    assert [str(error) for error in told] == [f"{tmp_path / NAME}: database or disk is full"]
    store.close()
    monkeypatch.undo()
    again = SqliteStore(tmp_path)
    assert [each.key for each in again.list("pods")] == ["n/a"]
    again.close()


async def test_many_writers_share_a_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commits = []
    write = Database.write

    def counted(*arguments: object) -> None:
        commits.append(1)
        write(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Database, "write", counted)
    store = SqliteStore(tmp_path)

    async def one(number: int) -> None:
        store.create("pods", f"n/{number}", thing())
        await store.durable()

    await asyncio.gather(*(one(number) for number in range(200)))
    assert len(commits) == 1
    store.close()
