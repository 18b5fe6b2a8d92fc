"""Other profiles in the middle of the work: nothing is lost, and all that waits is tried again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.errors import ConfigError
from nominee.framework import Cycle, Node, Pod, Queued
from nominee.profile.profile import Profile
from nominee.queue.check import check
from nominee.scheduler.assembly import build_profiles, make_registry, with_plugins
from nominee.scheduler.effects import RunBind
from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench

NODE = make_node("n").capacity(cpu="4", memory="8Gi", pods="32")


@dataclass(frozen=True, slots=True, kw_only=True)
class Strict:
    """Lets nobody in."""

    def filter_node(self, pod: Pod, node: Node, cycle: Cycle) -> str | None:
        return "node(s) were not good enough"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doorkeeper:
    def pre_enqueue(self, pod: Pod) -> str | None:
        return "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    def filter_node(self, pod: Pod, node: Node, cycle: Cycle) -> str | None:
        return "never"

    def events_to_register(self) -> Any:
        raise RuntimeError("boo")


class Unmakeable:
    def __init__(self) -> None:
        raise RuntimeError("boo")

    def pre_enqueue(self, pod: Pod) -> str | None:
        return "closed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Alphabetical:
    def sort_key(self, queued: Queued) -> tuple[str]:
        return (queued.pod.name,)


def profiles(*plugins: type, without: str = "") -> dict[str, Profile]:
    disabled = [{"name": without}] if without else []
    plain = {"profiles": [{"plugins": {"multiPoint": {"disabled": disabled}}}]}
    configuration = load_config(plain, require_kind=False)
    return build_profiles(with_plugins(configuration, plugins), FeatureGates(), make_registry(given=plugins))


def replace(bench: Bench, new: dict[str, Profile]) -> None:
    bench.scheduler.replace_profiles(new, bench.now)
    check(bench.scheduler.around.queue)


def bound(bench: Bench) -> list[str]:
    return [effect.pod.name for effect in bench.past if isinstance(effect, RunBind)]


def test_a_pod_that_was_rejected_is_tried_by_the_new_plugins() -> None:
    bench = Bench([NODE], [make_pod("p")], plugins=[Strict])
    bench.run()
    assert bound(bench) == []
    replace(bench, profiles())
    bench.run()
    assert bound(bench) == ["p"]


def test_profiles_that_can_not_be_used_change_nothing() -> None:
    bench = Bench([NODE], [make_pod("p")])
    with pytest.raises(ConfigError, match="can not say which events"):
        replace(bench, profiles(Broken))
    bench.run()
    assert bound(bench) == ["p"]


def test_a_plugin_that_can_not_be_made_is_named() -> None:
    with pytest.raises(ConfigError, match="plugin 'Unmakeable' can not be made: RuntimeError: boo"):
        profiles(Unmakeable)


def test_a_pod_that_was_gated_comes_in() -> None:
    bench = Bench([NODE], [make_pod("p")], plugins=[Doorkeeper])
    bench.run()
    replace(bench, profiles())
    bench.run()
    assert bound(bench) == ["p"]


def test_a_new_gate_holds_pods_that_were_ready() -> None:
    bench = Bench([NODE], [make_pod("p")])
    replace(bench, profiles(Doorkeeper))
    bench.run()
    assert bound(bench) == []


def test_a_binding_under_way_ends_as_it_began() -> None:
    bench = Bench([NODE], [make_pod("p")])
    bench.held.add(RunBind)
    bench.run()
    replace(bench, profiles(Strict))
    bench.held.clear()
    bench.run()
    assert bench.scheduler.cluster.is_placed("default/p")
    assert bench.scheduler.bindings == {}


def test_a_new_order_holds_for_those_that_wait_already() -> None:
    bench = Bench([NODE], [make_pod("b"), make_pod("a")])
    replace(bench, profiles(Alphabetical, without="PrioritySort"))
    bench.run()
    assert bound(bench) == ["a", "b"]
