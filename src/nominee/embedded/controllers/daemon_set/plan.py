"""What is to be done on which node: where a pod is missing, which pods are too much, which are old.

Reproduces podsShouldBeOnNode of daemon_controller.go and rollingUpdate of update.go in
pkg/controller/daemon, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from nominee.embedded.controllers.amounts import amount
from nominee.embedded.controllers.daemon_set.fit import Fit, fit_of, pinned_to
from nominee.embedded.controllers.history import HASH
from nominee.embedded.controllers.ownership import being_deleted
from nominee.embedded.controllers.pods import available, node_of, phase, ready
from nominee.store.ports import JsonObject

TEMPLATE_GENERATION = "pod-template-generation"


@dataclass(slots=True)
class Round:
    """A daemon set, the nodes, and its pods by node at one time."""

    owner: JsonObject
    nodes: list[JsonObject]
    pods: dict[str, list[JsonObject]]
    hash: str
    now: float
    fit: Fit = field(init=False)

    def __post_init__(self) -> None:
        self.fit = fit_of(self.owner["spec"]["template"])

    def available(self, pod: JsonObject) -> bool:
        """Whether a pod has been ready for long enough."""
        return available(pod, self.owner["spec"].get("minReadySeconds", 0), self.now)

    def new(self, pod: JsonObject) -> bool:
        """Whether a pod is of the template as it is now."""
        return bool((pod["metadata"].get("labels") or {}).get(HASH) == self.hash)

    @property
    def desired(self) -> list[str]:
        """The nodes on which there should be a pod."""
        return [node["metadata"]["name"] for node in self.nodes if self.fit.wanted(node)[0]]

    @property
    def rolling(self) -> JsonObject | None:
        """How pods are replaced; None if only when somebody deletes them."""
        strategy = self.owner["spec"]["updateStrategy"]
        return (strategy.get("rollingUpdate") or {}) if strategy["type"] == "RollingUpdate" else None

    @property
    def surge(self) -> int:
        """How many nodes may have an old and a new pod at a time."""
        rolling = self.rolling
        return 0 if rolling is None else amount(rolling.get("maxSurge", 0), len(self.desired), up=True)


@dataclass(slots=True)
class Plan:
    """What to do next."""

    create_on: list[str] = field(default_factory=list)
    delete: list[JsonObject] = field(default_factory=list)


def by_node(pods: list[JsonObject]) -> dict[str, list[JsonObject]]:
    """Pods by the nodes on which they are or will be, the oldest first, bound before unbound."""
    found: dict[str, list[JsonObject]] = {}
    for pod in pods:
        found.setdefault(pinned_to(pod), []).append(pod)
    found.pop("", None)
    for items in found.values():
        items.sort(key=lambda pod: (not node_of(pod), pod["metadata"].get("creationTimestamp", "")))
    return found


def manage(turn: Round) -> Plan:
    """See to it that there is one pod where there should be, and none where there should not."""
    plan = Plan()
    for node in turn.nodes:
        name = node["metadata"]["name"]
        should_run, may_stay = turn.fit.wanted(node)
        pods = turn.pods.get(name) or []
        if should_run and not pods:
            plan.create_on.append(name)
        elif may_stay:
            _tidy(turn, name, should_run=should_run, plan=plan)
        else:
            plan.delete += [pod for pod in pods if not being_deleted(pod)]
    there = {node["metadata"]["name"] for node in turn.nodes}
    for name in turn.pods.keys() - there:
        # Nobody will ever bind these; bound ones are for who collects pods of vanished nodes.
        waiting = (pod for pod in turn.pods[name] if not node_of(pod))
        plan.delete += [pod for pod in waiting if not being_deleted(pod)]
    return plan


def over(pod: JsonObject) -> bool:
    """Whether a daemon's pod has ended, which it never should."""
    return phase(pod) in ("Failed", "Succeeded")


def _tidy(turn: Round, name: str, *, should_run: bool, plan: Plan) -> None:
    pods = [pod for pod in turn.pods.get(name) or () if not being_deleted(pod)]
    plan.delete += [pod for pod in pods if over(pod)]
    running = [pod for pod in pods if not over(pod)]
    if not turn.surge:
        plan.delete += running[1:]
        return
    if not running and should_run:
        plan.create_on.append(name)
    new = [pod for pod in running if turn.new(pod)]
    old = [pod for pod in running if not turn.new(pod)]
    plan.delete += new[1:] + old[1:]
    if new and old and (not ready(old[0]) or turn.available(new[0])):
        plan.delete.append(old[0])


def replace(turn: Round) -> Plan:
    """The next old pods to replace by new ones."""
    if turn.rolling is None:
        return Plan()
    return _surging(turn) if turn.surge else _sparing(turn)


def _old_and_new(turn: Round, name: str) -> tuple[JsonObject | None, JsonObject | None] | None:
    """The old and the new pod of a node; None if there are more, which is for `manage` to settle."""
    pods = [pod for pod in turn.pods.get(name) or () if not being_deleted(pod)]
    new = [pod for pod in pods if turn.new(pod)]
    old = [pod for pod in pods if not turn.new(pod)]
    if len(new) > 1 or len(old) > 1:
        return None
    return (old[0] if old else None), (new[0] if new else None)


def _names(turn: Round) -> list[str]:
    return list(dict.fromkeys([*turn.desired, *turn.pods]))


def _sparing(turn: Round) -> Plan:
    """Without surge: no more nodes without an available pod than may be."""
    rolling = turn.rolling or {}
    may_miss = amount(rolling.get("maxUnavailable", 1), len(turn.desired), up=True) or 1
    missing, free, candidates = 0, [], []
    for name in _names(turn):
        pair = _old_and_new(turn, name)
        if pair is None or (pair[0] is None) == (pair[1] is None):
            missing += 1
            continue
        old, new = pair
        if new is not None:
            missing += not turn.available(new)
        elif old is not None and not turn.available(old):
            free.append(old)
            missing += 1
        elif old is not None:
            candidates.append(old)
    return Plan(delete=[*free, *candidates[: max(0, may_miss - missing)]])


def _surging(turn: Round) -> Plan:
    """With surge: the new pod is made beside the old one, which goes once the new one is available."""
    surging, plan, candidates = 0, Plan(), []
    wanted = set(turn.desired)
    for name in _names(turn):
        pair = _old_and_new(turn, name)
        if pair is None:
            surging += 1
            continue
        old, new = pair
        if old is None:
            continue
        if new is not None:
            if turn.available(new):
                plan.delete.append(old)
            else:
                surging += 1
        elif name not in wanted:
            plan.delete.append(old)
        elif not turn.available(old):
            plan.create_on.append(name)
        else:
            candidates.append(name)
    plan.create_on += candidates[: max(0, turn.surge - surging)]
    return plan
