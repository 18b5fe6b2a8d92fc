"""The kinds that are watched: those of the enabled plugins and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.framework import Action, EventHint, Resource
from nominee.live.kinds import kinds_for
from nominee.model.workload import Service
from nominee.scheduler.assembly import build_profiles, make_registry, with_plugins


@dataclass(frozen=True, slots=True, kw_only=True)
class Looking:
    watches: ClassVar[tuple[type, ...]] = (Service,)

    def events_to_register(self) -> list[EventHint]:
        return [EventHint(Resource.CSI_NODE, Action.ADD), EventHint(Resource.NODE, Action.ADD)]

    def filter_node(self, pod: Any, node: Any, cycle: Any) -> None: ...


def kinds(*given: type, only: str = "") -> list[str]:
    multi: dict[str, Any] = {}
    if only:
        names = ["PrioritySort", "DefaultBinder", *only.split()]
        multi = {"enabled": [{"name": name} for name in names], "disabled": [{"name": "*"}]}
    configuration = load_config({"profiles": [{"plugins": {"multiPoint": multi}}]}, require_kind=False)
    profiles = build_profiles(with_plugins(configuration, given), FeatureGates(), make_registry(given=given))
    return [kind.KIND for kind in kinds_for(profiles.values())]


def test_the_default_plugins_need_all_these() -> None:
    found = kinds()
    assert (found[0], found[-1]) == ("Node", "Pod")
    assert {"PersistentVolume", "ResourceSlice", "Namespace", "PodDisruptionBudget", "Service"} <= set(found)
    assert len(found) == len(set(found))


def test_few_plugins_need_few() -> None:
    assert kinds(only="NodeName TaintToleration") == ["Node", "Pod"]
    assert kinds(only="InterPodAffinity") == ["Node", "Namespace", "Pod"]


def test_other_plugins_say_what_they_need() -> None:
    assert kinds(Looking, only="NodeName") == ["Node", "CSINode", "Service", "Pod"]
