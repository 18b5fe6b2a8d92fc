"""What the store promises, in memory; the durable one is the same with a journal."""

import pytest

from nominee.errors import Conflict, Expired, NotFound
from nominee.store.history import Window
from nominee.store.memory import MemoryStore
from nominee.store.ports import Change


def thing(name: str = "a", **fields: object) -> dict[str, object]:
    return {"metadata": {"name": name}, **fields}


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


def test_an_empty_store_has_a_version_that_does_not_mean_any(store: MemoryStore) -> None:
    assert store.version == 1


def test_a_new_object_carries_its_version(store: MemoryStore) -> None:
    stored = store.create("pods", "default/a", thing())
    assert (stored.version, store.version) == (2, 2)
    assert stored.object["metadata"]["resourceVersion"] == "2"
    assert b'"resourceVersion":"2"' in stored.json
    assert store.get("pods", "default/a") is stored


def test_a_key_is_created_once(store: MemoryStore) -> None:
    store.create("pods", "default/a", thing())
    with pytest.raises(KeyError):
        store.create("pods", "default/a", thing())
    assert store.version == 2


def test_a_key_belongs_to_its_resource(store: MemoryStore) -> None:
    store.create("pods", "default/a", thing())
    store.create("secrets", "default/a", thing())
    assert sorted(store.resources()) == ["pods", "secrets"]


def test_an_update_replaces_the_expected_version_only(store: MemoryStore) -> None:
    first = store.create("pods", "default/a", thing())
    second = store.update("pods", "default/a", thing(x=1), first.version)
    with pytest.raises(Conflict, match="the object has been modified"):
        store.update("pods", "default/a", thing(x=2), first.version)
    assert store.get("pods", "default/a") is second


def test_an_update_leaves_the_state_before_as_it_was(store: MemoryStore) -> None:
    first = store.create("pods", "default/a", thing())
    store.update("pods", "default/a", {**first.object, "x": 1})
    assert first.object == {"metadata": {"name": "a", "resourceVersion": "2"}}


def test_what_is_not_there_can_not_be_changed(store: MemoryStore) -> None:
    with pytest.raises(NotFound, match='pods "a" not found'):
        store.update("pods", "default/a", thing())
    with pytest.raises(NotFound):
        store.delete("pods", "default/a")


def test_a_deletion_has_a_version_of_its_own(store: MemoryStore) -> None:
    store.create("pods", "default/a", thing(x=1))
    gone = store.delete("pods", "default/a", 2)
    assert (gone.version, gone.object["metadata"]["resourceVersion"], gone.object["x"]) == (3, "3", 1)
    assert store.get("pods", "default/a") is None
    assert list(store.resources()) == []


def test_what_can_not_be_encoded_changes_nothing(store: MemoryStore) -> None:
    with pytest.raises(TypeError):
        store.create("pods", "default/a", thing(x=object()))
    assert store.version == 1


def test_lists_are_in_the_order_of_keys(store: MemoryStore) -> None:
    for key in ("b/z", "a/y", "a-b/x", "a/x"):
        store.create("pods", key, thing(key))
    assert [each.key for each in store.list("pods")] == ["a-b/x", "a/x", "a/y", "b/z"]
    assert [each.key for each in store.list("pods", "a")] == ["a/x", "a/y"]
    assert store.list("pods", "c") == store.list("nodes") == []


def test_lists_follow_what_comes_and_goes(store: MemoryStore) -> None:
    store.create("nodes", "b", thing("b"))
    store.list("nodes")
    store.create("nodes", "a", thing("a"))
    assert [each.key for each in store.list("nodes")] == ["a", "b"]
    store.delete("nodes", "a")
    store.create("nodes", "c", thing("c"))
    assert [each.key for each in store.list("nodes")] == ["b", "c"]


def test_a_list_can_be_had_as_it_was(store: MemoryStore) -> None:
    store.create("pods", "n/a", thing("a"))
    before = store.create("pods", "n/b", thing("b"))
    store.delete("pods", "n/a")
    store.update("pods", "n/b", thing("b", x=1))
    store.create("pods", "n/c", thing("c"))
    then = store.list_at("pods", "n", before.version)
    assert [(each.key, each.version) for each in then] == [("n/a", 2), ("n/b", 3)]
    assert store.list_at("pods", "n", store.version) == store.list("pods", "n")


def test_a_list_from_before_the_window_has_expired() -> None:
    store = MemoryStore(window=Window(changes=4))
    for number in range(10):
        store.create("nodes", str(number), thing())
    with pytest.raises(Expired, match="too old resource version: 2 "):
        store.list_at("nodes", "", 2)


def test_listeners_hear_of_every_write_of_their_resources(store: MemoryStore) -> None:
    heard: list[Change] = []
    leave = store.listen(heard.append, ["pods"])
    first = store.create("pods", "n/a", thing())
    store.create("nodes", "a", thing())
    gone = store.delete("pods", "n/a")
    leave()
    store.create("pods", "n/b", thing())
    assert heard == [Change("ADDED", first, None), Change("DELETED", gone, first)]


def test_what_a_listener_writes_is_told_after_what_it_was_told(store: MemoryStore) -> None:
    def answer(change: Change) -> None:
        if change.type == "ADDED":
            store.update("pods", change.stored.key, thing(x=1))

    heard: list[str] = []
    store.listen(answer)
    store.listen(lambda change: heard.append(change.type))
    store.create("pods", "n/a", thing())
    assert heard == ["ADDED", "MODIFIED"]


def test_trees_of_what_was_not_used_lately_are_made_again_from_bytes() -> None:
    store = MemoryStore(trees=2)
    first = store.create("pods", "n/a", thing("a", x=[1]))
    tree = first.object
    for name in "bcd":
        store.create("pods", f"n/{name}", thing(name))
    assert first.object == tree
    assert first.object is not tree
    assert first.object is first.object
