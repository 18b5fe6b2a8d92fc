"""A scheduler on the bench: its effects are answered by hand, or all at once, in time that is moved by hand.

`Bench` plays the API server: what an effect writes comes back as the watch would show it.
"""

from __future__ import annotations

import itertools
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from nominee.config.features import FeatureGates
from nominee.config.load import load_config
from nominee.config.types import Extender
from nominee.framework import NodeObject, Reject, Skip
from nominee.model.meta import Condition
from nominee.model.pod import Pod as PodObject
from nominee.scheduler.assembly import build_profiles, make_registry
from nominee.scheduler.effects import (
    Answered,
    CancelPreBind,
    Effect,
    Evict,
    PatchPodStatus,
    RecordEvent,
    RunBind,
    RunErrand,
    RunPostBind,
    RunPreBind,
)
from nominee.scheduler.inputs import Completed, Gone, Seen
from nominee.scheduler.ports import Recorder
from nominee.scheduler.scheduler import Scheduler, Settings

E = TypeVar("E")
Built = Any  # a builder, or the object it builds
SOMETIME = "2026-01-01T00:00:00Z"
FOR_EVER = 10_000


class Bench:
    """A scheduler, a cluster, and everything in between.

    plugins   classes to enable beside the default ones
    without   names of plugins to disable
    gates     feature gates that differ from their defaults
    hold      kinds of effects that `run` leaves unanswered
    profiles  scheduler names, all with the same plugins
    """

    def __init__(
        self,
        nodes: Iterable[Built] = (),
        pods: Iterable[Built] = (),
        *,
        plugins: Sequence[type] = (),
        without: Iterable[str] = (),
        gates: Mapping[str, bool] | None = None,
        settings: Settings | None = None,
        recorder: Recorder | None = None,
        extenders: Iterable[Extender] = (),
        profiles: Sequence[str] = ("default-scheduler",),
    ) -> None:
        self._extenders, self._profiles = tuple(extenders), tuple(profiles)
        self._plugins, self._without = tuple(plugins), tuple(without)
        self._settings, self._recorder = settings, recorder
        self.gates = dict(gates or {})
        self.now = 1000.0
        self.world: dict[tuple[type, str], Any] = {}
        self.events: list[RecordEvent] = []
        self.past: list[Effect] = []
        self.open: list[Answered] = []
        self.held: set[type] = set()
        self.failing: dict[type, str] = {}
        self._version = itertools.count(1)
        self.start()
        for item in (*nodes, *pods):
            self.put(item)

    # -- the scheduler's life -----------------------------------------------------------------

    def start(self) -> None:
        """A new scheduler, which is told of everything there is."""
        features = FeatureGates.of(self.gates)
        multi = {
            "enabled": [{"name": p.__name__} for p in self._plugins],
            "disabled": [{"name": name} for name in self._without],
        }
        configuration = load_config(
            {
                "profiles": [
                    {"schedulerName": name, "plugins": {"multiPoint": multi}} for name in self._profiles
                ]
            },
            features=features,
            require_kind=False,
        )
        registry = make_registry(given=self._plugins)
        self.scheduler = Scheduler(
            build_profiles(configuration, features, registry),
            features=features,
            settings=self._settings,
            recorder=self._recorder,
            extenders=self._extenders,
        )
        self.open = []
        for item in self.world.values():
            self.scheduler.handle(Seen(item), self.now)

    def tell(self, happened: Seen | Gone) -> None:
        """The watch shows something."""
        self.scheduler.handle(happened, self.now)

    def restart(self, **gates: bool) -> None:
        """The scheduler dies with all it had under way; another one starts, perhaps with other gates."""
        self.gates.update(gates)
        self.start()

    def step(self) -> list[Effect]:
        """One step; what it wants done is noted."""
        effects = self.scheduler.step(self.now)
        for effect in effects:
            self.past.append(effect)
            if isinstance(effect, RecordEvent):
                self.events.append(effect)
            elif isinstance(effect, RunPostBind):
                for _, plugin in effect.plugins:
                    finished(plugin.post_bind(effect.pod, effect.node, effect.cycle, None))
            elif isinstance(effect, CancelPreBind):
                if CancelPreBind not in self.held:  # else its plugins take their time
                    self.cancelled(effect)
            else:
                self.open.append(effect)
        return effects

    def run(self) -> None:
        """Until nothing happens any more without time passing or somebody answering what is held."""
        for _ in range(FOR_EVER):
            due = [effect for effect in self.open if type(effect) not in self.held]
            if due:
                self.answer(due[0])
            elif self.scheduler.ready:
                self.step()
            else:
                return
        raise AssertionError("the scheduler does not come to rest")

    def pass_time(self, seconds: float) -> None:
        """Let time go by, stopping wherever a timer fires."""
        end = self.now + seconds
        self.run()
        for _ in range(FOR_EVER):
            wakeup = self.scheduler.next_wakeup()
            if wakeup is None or wakeup > end:
                break
            self.now = max(self.now, wakeup)
            self.step()
            self.run()
        else:
            raise AssertionError("timers never end")
        self.now = end
        self.step()
        self.run()

    # -- the cluster --------------------------------------------------------------------------

    def put(self, item: Built) -> None:
        """Create or replace an object."""
        made: Any = getattr(item, "obj", item)
        meta = msgspec.structs.replace(made.metadata, resource_version=str(next(self._version)))
        made = msgspec.structs.replace(made, metadata=meta)
        self.world[type(made), made.key] = made
        self.tell(Seen(made))

    def delete(self, name: str, *, graceful: bool = False) -> None:
        """Delete a pod; gracefully it stays, terminating, until it is deleted at once."""
        pod = self.pod(name)
        if graceful and pod.spec.node_name:
            meta = msgspec.structs.replace(pod.metadata, deletion_timestamp=SOMETIME)
            self.put(msgspec.structs.replace(pod, metadata=meta))
        else:
            del self.world[PodObject, pod.key]
            self.tell(Gone(pod))

    def delete_node(self, name: str) -> None:
        self.tell(Gone(self.world.pop((NodeObject, name))))

    def pod(self, name: str) -> Any:
        """The pod, as the API server has it."""
        return self.world[PodObject, f"default/{name}"]

    def exists(self, name: str) -> bool:
        return (PodObject, f"default/{name}") in self.world

    def change(self, name: str, **status: Any) -> None:
        """Change fields of a pod's status."""
        pod = self.pod(name)
        self.put(msgspec.structs.replace(pod, status=msgspec.structs.replace(pod.status, **status)))

    # -- answers ------------------------------------------------------------------------------

    def hold(self, *kinds: type) -> None:
        """Leave such effects unanswered."""
        self.held.update(kinds)

    def release(self, *kinds: type) -> None:
        """Answer them again, from the next `run` on."""
        self.held.difference_update(kinds)

    def fail(self, kind: type, error: str) -> None:
        """From now on such effects fail, until the error is ""."""
        self.failing[kind] = error

    def waiting_for(self, kind: type[E], name: str = "") -> list[E]:
        """The effects of this kind that are not answered yet, all or one pod's."""
        return [e for e in self.open if isinstance(e, kind) and (not name or _subject(e) == name)]

    def effects(self, kind: type[E]) -> list[E]:
        """All effects of this kind so far."""
        return [effect for effect in self.past if isinstance(effect, kind)]

    def answer(self, effect: Answered, error: str | None = None, **fields: Any) -> None:
        """Carry the effect out, or say why not, and report it."""
        self.open.remove(effect)
        error = error or self.failing.get(type(effect)) or None
        answer = Completed(effect.id, error, **fields) if error is not None else self.carry_out(effect)
        self.scheduler.handle(answer, self.now)

    def carry_out(self, effect: Answered) -> Completed:
        if isinstance(effect, PatchPodStatus):
            return self._patch(effect)
        if isinstance(effect, Evict):
            return self._evict(effect)
        if isinstance(effect, RunPreBind):
            return self._pre_bind(effect)
        if isinstance(effect, RunErrand):
            finished(effect.errand.work(self))
            return Completed(effect.id)
        assert isinstance(effect, RunBind), "extenders are answered by hand"
        return self._bind(effect)

    def _patch(self, effect: PatchPodStatus) -> Completed:
        name = effect.pod.name
        if not self._is(effect.pod):
            return Completed(effect.id, "not found", missing=True)
        fields: dict[str, Any] = {}
        if effect.nominated_node_name is not None:
            fields["nominated_node_name"] = effect.nominated_node_name
        if effect.condition is not None:
            fields["conditions"] = _with(self.pod(name).status.conditions, effect.condition)
        self.change(name, **fields)
        return Completed(effect.id)

    def _evict(self, effect: Evict) -> Completed:
        name = effect.victim.name
        if not self._is(effect.victim):
            return Completed(effect.id, "not found", missing=True)
        self.change(name, conditions=_with(self.pod(name).status.conditions, effect.condition))
        self.delete(name, graceful=bool(self.pod(name).spec.termination_grace_period_seconds))
        return Completed(effect.id)

    def _pre_bind(self, effect: RunPreBind) -> Completed:
        for name, plugin in effect.plugins:
            try:
                said = finished(plugin.pre_bind(effect.pod, effect.node, effect.cycle, None))
            except RuntimeError as error:
                return Completed(effect.id, f'running PreBind plugin "{name}": {error}')
            if isinstance(said, Reject):
                return Completed(effect.id, said.message, rejected=True)
        return Completed(effect.id)

    def _bind(self, effect: RunBind) -> Completed:
        if not self._is(effect.pod):
            return Completed(effect.id, "not found", missing=True)
        for name, plugin in effect.plugins:
            try:
                said = finished(plugin.bind(effect.pod, effect.node, effect.cycle, self))
            except RuntimeError as error:
                return Completed(effect.id, f'running Bind plugin "{name}": {error}')
            if not isinstance(said, Skip):
                return Completed(effect.id)
        return Completed(effect.id, "all plugins skipped")

    async def bind(self, pod: Any, node_name: str) -> None:
        """The API server's binding, for DefaultBinder and its like."""
        known = self.pod(pod.name)
        if known.spec.node_name:
            raise RuntimeError(f"pod {pod.name} is already assigned to node {known.spec.node_name!r}")
        if known.metadata.deletion_timestamp:
            raise RuntimeError(f"pod {pod.name} is being deleted, cannot be assigned to a host")
        nominated = "" if self.gates.get("ClearingNominatedNodeNameAfterBinding", True) else None
        status: dict[str, Any] = {"conditions": _with(known.status.conditions, SCHEDULED)}
        if nominated is not None:
            status["nominated_node_name"] = nominated
        spec = msgspec.structs.replace(known.spec, node_name=node_name)
        status = msgspec.structs.replace(known.status, **status)
        self.put(msgspec.structs.replace(known, spec=spec, status=status))

    def cancelled(self, cancel: CancelPreBind) -> None:
        """A PreBind that is under way ends with the cause."""
        for effect in self.waiting_for(RunPreBind):
            if effect.id == cancel.target:
                name = effect.plugins[0][0]
                self.answer(effect, f'running PreBind plugin "{name}": {cancel.cause}')

    def _is(self, pod: Any) -> bool:
        known = self.world.get((PodObject, pod.key))
        return known is not None and known.metadata.uid == pod.uid

    # -- expectations -------------------------------------------------------------------------

    def expect_nominated(self, name: str, node: str) -> None:
        """In memory and in the status alike; "" for none."""
        uid = self.pod(name).metadata.uid
        assert self.scheduler.cluster.nominations.node_of(uid) == node
        assert self.pod(name).status.nominated_node_name == node

    def expect_bound(self, name: str, node: str) -> None:
        assert self.pod(name).spec.node_name == node

    def expect_pending(self, name: str, where: str | None = None) -> None:
        """Without a node, and in this place of the queue."""
        pod = self.pod(name)
        assert pod.spec.node_name == ""
        if where is not None:
            assert self.scheduler.around.queue.where(pod.metadata.uid) == where

    def condition(self, name: str, kind: str = "PodScheduled") -> Condition:
        """The pod's condition of that type."""
        found = [c for c in self.pod(name).status.conditions if c.type == kind]
        assert found, f"{name} has no condition {kind}"
        condition: Condition = found[0]
        return condition

    def notes(self, reason: str) -> list[str]:
        """The notes of the events with this reason, in order."""
        return [event.note for event in self.events if event.reason == reason]


SCHEDULED = Condition(type="PodScheduled", status="True")


def finished(work: Awaitable[Any]) -> Any:
    """What a coroutine returns that never has to wait."""
    try:
        next(work.__await__())
    except StopIteration as end:
        return end.value
    raise AssertionError("it waits for something")


def plugin_class(name: str, **methods: Any) -> type:
    """A plugin of these methods, which need no `self`."""
    return type(name, (), {k: staticmethod(v) if callable(v) else v for k, v in methods.items()})


def raising(message: str = "boom") -> Callable[..., Any]:
    """A method that raises."""

    def method(*_arguments: Any) -> Any:
        raise RuntimeError(message)

    return method


def _with(conditions: tuple[Condition, ...], condition: Condition) -> tuple[Condition, ...]:
    return (*(c for c in conditions if c.type != condition.type), condition)


def _subject(effect: Any) -> str:
    name: str = (effect.victim if isinstance(effect, Evict) else effect.pod).name
    return name
