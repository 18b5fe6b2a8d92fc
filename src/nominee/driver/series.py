"""Events that come again: one object with a count instead of many."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from nominee.framework import Pod
from nominee.model.timestamps import format_micro_time
from nominee.scheduler.effects import RecordEvent

FINISHED_AFTER = 360.0
"""Seconds without another occurrence after which a series is over (client-go's finishTime)."""
REFRESHED_AFTER = 1800.0
"""Seconds after which the server is told how far a series has come (client-go's refreshTime)."""
_MOST_REMEMBERED = 10_000
_LONGEST_NAME = 253
_ONCE = frozenset({"Scheduled"})
"""Happens once to a pod: remembering it would cost memory and never help."""

Key = tuple[str, str, str, str, str, str]


class Recorded:
    """An event, how often it was observed, and how much of that the server knows."""

    __slots__ = ("count", "effect", "first", "in_line", "last", "name", "told", "told_at")

    def __init__(self, effect: RecordEvent, name: str, time: float) -> None:
        self.effect = effect
        self.name = name
        self.first = self.last = self.told_at = time
        self.count = 1
        self.told = 0  # the count that the server has been told; 0: it does not know the event
        self.in_line = False

    @property
    def namespace(self) -> str:
        return self.effect.regarding.namespace

    def series(self) -> dict[str, Any] | None:
        if self.count == 1:
            return None
        return {"count": self.count, "lastObservedTime": format_micro_time(self.last)}

    def body(self, host: str) -> dict[str, Any]:
        """The object to create; the recorder is the scheduler that decided, not the one that was evicted."""
        effect = self.effect
        decided_for = effect.related or effect.regarding
        controller = decided_for.scheduler_name
        body = {
            "apiVersion": "events.k8s.io/v1",
            "kind": "Event",
            "metadata": {"name": self.name, "namespace": self.namespace},
            "eventTime": format_micro_time(self.first),
            "reportingController": controller,
            "reportingInstance": f"{controller}-{host}",
            "action": effect.action,
            "reason": effect.reason,
            "regarding": _reference(effect.regarding),
            "note": effect.note,
            "type": effect.type,
        }
        if effect.related is not None:
            body["related"] = _reference(effect.related)
        if (series := self.series()) is not None:
            body["series"] = series
        return body


def _reference(pod: Pod) -> dict[str, str]:
    return {"kind": "Pod", "apiVersion": "v1", "namespace": pod.namespace, "name": pod.name, "uid": pod.uid}


class SeriesTable:
    """What was recorded lately, so that the same event is counted and not written again.

    Reproduces the aggregation of client-go's recorder (staging/src/k8s.io/client-go/tools/events/
    event_broadcaster.go, v1.37): the second occurrence begins a series, which the server is told at once;
    later ones are counted here and told when the series is refreshed or over. The note is part of what
    makes two events the same, so that people see the reason that holds now.
    """

    def __init__(self) -> None:
        self._known: OrderedDict[Key, Recorded] = OrderedDict()
        self._last_stamp = 0

    def __len__(self) -> int:
        return len(self._known)

    def observe(self, effect: RecordEvent, now: float) -> Recorded:
        """The event that this is an occurrence of."""
        if effect.reason in _ONCE:
            return Recorded(effect, self._name(effect, now), now)
        key = _key(effect)
        known = self._known.get(key)
        if known is None or now - known.last > FINISHED_AFTER:
            known = self._known[key] = Recorded(effect, self._name(effect, now), now)
            if len(self._known) > _MOST_REMEMBERED:
                self._known.popitem(last=False)
        else:
            known.count += 1
            known.last = now
        return known

    def sweep(self, now: float) -> Iterator[Recorded]:
        """Forget series that are over; those of which the server does not know everything come out."""
        for key, event in list(self._known.items()):
            over = now - event.last > FINISHED_AFTER
            if over:
                del self._known[key]
            if (
                event.count > 1
                and event.told < event.count
                and (over or now - event.told_at > REFRESHED_AFTER)
            ):
                yield event

    def _name(self, effect: RecordEvent, now: float) -> str:
        """The pod's name and a time that no other event has."""
        self._last_stamp = stamp = max(int(now * 1e9), self._last_stamp + 1)
        tail = f".{stamp:x}"
        return effect.regarding.name[: _LONGEST_NAME - len(tail)] + tail


def _key(effect: RecordEvent) -> Key:
    related = effect.related.uid if effect.related is not None else ""
    return (effect.type, effect.reason, effect.action, effect.note, effect.regarding.uid, related)
