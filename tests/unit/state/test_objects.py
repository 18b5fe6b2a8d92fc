"""The table of other objects: versions, what is assumed, groups, the log of changes."""

import pytest
from msgspec import structs

from nominee.errors import InternalError
from nominee.model.storage import PersistentVolume, PersistentVolumeClaim
from nominee.state.objects import ObjectTable
from tests.volume_objects import claim, volume

V = PersistentVolume
FREE = volume("v")
TAKEN = volume("v", claim="c")


def newer(item: PersistentVolume, version: str = "2") -> PersistentVolume:
    return structs.replace(item, metadata=structs.replace(item.metadata, resource_version=version))


def owner(item: PersistentVolume) -> str:
    return item.spec.claim_ref.name if item.spec.claim_ref else ""


@pytest.fixture
def table() -> ObjectTable:
    table = ObjectTable()
    table.put(FREE)
    return table


def names(table: ObjectTable, group: str) -> list[str]:
    return [item.name for item in table.grouped(V, owner, group)]


def test_an_assumed_object_stands_in_for_the_stored_one(table: ObjectTable) -> None:
    before = table.version(V)
    table.assume(TAKEN)
    assert table.get(V, "v") is TAKEN
    assert list(table.all(V)) == [TAKEN]
    assert table.stored(V, "v") is FREE
    assert table.version(V) > before


def test_a_restored_object_is_the_stored_one_again(table: ObjectTable) -> None:
    table.assume(TAKEN)
    table.restore(TAKEN)
    assert table.get(V, "v") is FREE


def test_any_news_of_an_object_end_what_is_assumed_of_it(table: ObjectTable) -> None:
    table.assume(TAKEN)
    before = table.version(V)
    table.put(newer(FREE))
    assert table.get(V, "v") == newer(FREE)
    assert table.version(V) > before


def test_hearing_the_same_again_is_no_news(table: ObjectTable) -> None:
    table.assume(TAKEN)
    table.put(volume("v"))
    assert table.get(V, "v") is TAKEN


def test_what_was_superseded_is_not_restored(table: ObjectTable) -> None:
    table.assume(TAKEN)
    table.put(newer(TAKEN))
    table.restore(TAKEN)
    assert table.get(V, "v") == newer(TAKEN)


def test_a_later_assumption_is_not_undone_by_an_earlier_one(table: ObjectTable) -> None:
    other = volume("v", claim="d")
    table.assume(TAKEN)
    table.assume(other)
    table.restore(TAKEN)
    assert table.get(V, "v") is other


def test_an_assumed_object_goes_with_the_stored_one(table: ObjectTable) -> None:
    table.assume(TAKEN)
    table.drop(FREE)
    assert table.get(V, "v") is None
    assert list(table.all(V)) == []


def test_nothing_is_assumed_of_what_nobody_knows(table: ObjectTable) -> None:
    with pytest.raises(InternalError, match="'default/c' is assumed but not known"):
        table.assume(claim("c"))


def test_groups_follow_every_change(table: ObjectTable) -> None:
    assert names(table, "") == ["v"]
    table.assume(TAKEN)
    assert (names(table, ""), names(table, "c")) == ([], ["v"])
    table.restore(TAKEN)
    assert (names(table, ""), names(table, "c")) == (["v"], [])
    table.put(volume("w", claim="c"))
    assert names(table, "c") == ["w"]
    table.drop(volume("w"))
    assert names(table, "c") == []


def test_grouped_objects_are_the_newest(table: ObjectTable) -> None:
    table.grouped(V, owner, "")
    table.put(newer(FREE))  # alike: no change that a decision could depend on
    assert table.grouped(V, owner, "") == [newer(FREE)]


def test_the_log_names_what_changed_since(table: ObjectTable) -> None:
    before = table.version(V)
    table.put(volume("w"))
    table.assume(TAKEN)
    assert table.changes_since(V, before) == ["w", "v"]
    assert table.changes_since(V, table.version(V)) == []


def test_a_forgotten_past_is_admitted(table: ObjectTable) -> None:
    assert table.changes_since(V, -1) is None
    for i in range(5000):
        table.put(volume("v", f"{i}Gi"))
    assert table.changes_since(V, 1) is None


def test_kinds_nobody_has_seen_have_no_history(table: ObjectTable) -> None:
    assert table.version(PersistentVolumeClaim) == 0
    assert table.changes_since(PersistentVolumeClaim, 0) == []
