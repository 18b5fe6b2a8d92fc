"""The store against one that keeps every state of everything for ever, with restarts in between."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from nominee.errors import Expired
from nominee.store.history import Window
from nominee.store.memory import MemoryStore
from nominee.store.ports import Stored
from nominee.store.sqlite import SqliteStore

WINDOW = Window(changes=6)
RESOURCES = ("pods", "nodes")
KEYS = ("a/x", "a/y", "a-b/x", "b/x")

Step = tuple[str, str, str]
steps = st.lists(
    st.tuples(
        st.sampled_from(("create", "update", "update", "delete", "restart")),
        st.sampled_from(RESOURCES),
        st.sampled_from(KEYS),
    ),
    max_size=40,
)
State = dict[str, tuple[int, bytes]]


class Model:
    """Every state there ever was, and every change."""

    def __init__(self, version: int) -> None:
        self.version = version
        self.states: dict[int, dict[str, State]] = {version: {name: {} for name in RESOURCES}}
        self.changes: list[tuple[int, str, str, str]] = []

    def note(self, kind: str, stored: Stored) -> None:
        now = {name: dict(state) for name, state in self.states[self.version].items()}
        if kind == "DELETED":
            del now[stored.resource][stored.key]
        else:
            now[stored.resource][stored.key] = (stored.version, stored.json)
        assert stored.version == self.version + 1
        self.version = stored.version
        self.states[self.version] = now
        self.changes.append((self.version, kind, stored.resource, stored.key))


def act(store: MemoryStore, model: Model, step: Step) -> None:
    verb, resource, key = step
    item: dict[str, Any] = {"metadata": {}, "n": model.version}
    if (store.get(resource, key) is None) is not (verb == "create"):
        return
    if verb == "create":
        model.note("ADDED", store.create(resource, key, item))
    elif verb == "update":
        model.note("MODIFIED", store.update(resource, key, item))
    elif verb == "delete":
        model.note("DELETED", store.delete(resource, key))


def state_of(found: Sequence[Stored]) -> State:
    return {each.key: (each.version, each.json) for each in found}


def check_lists(store: MemoryStore, model: Model) -> None:
    for resource in RESOURCES:
        now = store.list(resource)
        assert [each.key for each in now] == sorted(model.states[model.version][resource])
        assert state_of(now) == model.states[model.version][resource]
        assert state_of(store.list(resource, "a")) == {
            key: state for key, state in model.states[model.version][resource].items() if key.startswith("a/")
        }
        for version, states in model.states.items():
            try:
                then = store.list_at(resource, "", version)
            except Expired:
                assert sum(c[0] > version and c[2] == resource for c in model.changes) > WINDOW.changes
            else:
                assert state_of(then) == states[resource]


async def check_watches(store: MemoryStore, model: Model) -> None:
    for resource in RESOURCES:
        for version in model.states:
            expected = [c for c in model.changes if c[0] > version and c[2] == resource]
            try:
                watch = store.watch(resource, since=version)
            except Expired:
                assert len(expected) > WINDOW.changes
                continue
            changes = await watch.next(0) if expected else []
            assert [(c.stored.version, c.type, c.stored.resource, c.stored.key) for c in changes] == expected
            assert watch.version == store.version
            for change in changes:
                before = model.states[change.stored.version - 1][resource].get(change.stored.key)
                kept = change.previous
                assert before == (None if kept is None else (kept.version, kept.json))


@settings(max_examples=60)
@given(steps)
def test_the_store_in_memory_equals_the_model(course: list[Step]) -> None:
    async def run() -> None:
        store = MemoryStore(window=WINDOW, trees=2)
        model = Model(store.version)
        for step in course:
            act(store, model, step)
        check_lists(store, model)
        await check_watches(store, model)

    asyncio.run(run())


@settings(max_examples=30)
@given(steps)
def test_the_store_on_disk_equals_the_model_across_restarts(course: list[Step]) -> None:
    async def run(directory: Path) -> None:
        store = SqliteStore(directory, window=WINDOW, trees=2)
        model = Model(store.version)
        for step in course:
            if step[0] == "restart":
                store.close()
                store = SqliteStore(directory, window=WINDOW, trees=2)
            act(store, model, step)
        await store.durable()
        check_lists(store, model)
        await check_watches(store, model)
        store.close()

    with TemporaryDirectory() as directory:
        asyncio.run(run(Path(directory)))
