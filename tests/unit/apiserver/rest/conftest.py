"""A Rest over a store in memory, with two kinds that have no rules of others."""

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.registry import Registry
from nominee.apiserver.rest import Rest, Rules
from nominee.apiserver.rest.identity import Identity
from nominee.store.memory import MemoryStore
from nominee.testing.clock import ManualClock


class GracefulKind(Kind):
    """Waits thirty seconds once it has a node, as pods do."""

    def grace_period(self, item: JsonObject, asked: int | None) -> int | None:
        if not item["spec"].get("nodeName"):
            return 0
        return 30 if asked is None else asked


THINGS = Kind(
    Names("Thing", "things", "thing", group="example.com", also=(("example.com", "v1beta1"),)),
    schema="",
    subresources=("status",),
    generation=True,
)
PODS = GracefulKind(Names("Pod", "pods", "pod"), schema="", subresources=("status",), generation=True)
ROOMS = Kind(Names("Room", "rooms", "room", namespaced=False), schema="", unconditional=False)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_000_000_000.0)


@pytest.fixture
def make_rest(clock: ManualClock) -> Callable[..., Rest]:
    def make(**rules: Any) -> Rest:
        return Rest(
            MemoryStore(),
            Registry((THINGS, PODS, ROOMS)),
            clock=clock,
            rules=Rules(**rules),
            identity=Identity(Random(7)),
        )

    return make


@pytest.fixture
def rest(make_rest: Callable[..., Rest]) -> Rest:
    return make_rest()


@pytest.fixture
def context(rest: Rest) -> Context:
    return rest.context("tester")
