"""Events about objects, told once and counted afterwards.

Reproduces the recorder of client-go tools/record, v1.37: what is said again is counted; more than ten
different messages of one reason within ten minutes are told as one; and of one object no more than 25
at once and one in five minutes are told at all.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, TypeVar

from nominee.apiserver.rest import Rest
from nominee.clock import Clock
from nominee.errors import ApiError
from nominee.model.timestamps import format_time
from nominee.store.ports import JsonObject

REMEMBERED = 4096
SIMILAR_LIMIT = 10
SIMILAR_SECONDS = 600.0
BURST = 25.0
REFILL_PER_SECOND = 1.0 / 300.0
MANAGER = "kube-controller-manager"

ValueT = TypeVar("ValueT")


@dataclass(slots=True)
class _Similar:
    """What was said of one object for one reason."""

    messages: set[str] = field(default_factory=set)
    last: float = 0.0


@dataclass(slots=True)
class _Allowance:
    """How many more events an object may have."""

    tokens: float
    at: float


@dataclass(frozen=True, slots=True)
class Subject:
    """The kind of the objects that events are about: trees in the store need not say it."""

    api_version: str
    kind: str


class EventRecorder:
    """Tells of objects on behalf of one component."""

    def __init__(self, rest: Rest, clock: Clock, component: str) -> None:
        self._rest = rest
        self._clock = clock
        self._component = component
        self._told: OrderedDict[tuple[str, ...], str] = OrderedDict()
        self._similar: OrderedDict[tuple[str, ...], _Similar] = OrderedDict()
        self._allowances: OrderedDict[str, _Allowance] = OrderedDict()

    def normal(self, subject: Subject, item: JsonObject, reason: str, message: str) -> None:
        """Something went its usual way."""
        self._tell(subject, item, "Normal", reason, message)

    def warning(self, subject: Subject, item: JsonObject, reason: str, message: str) -> None:
        """Somebody may have to do something."""
        self._tell(subject, item, "Warning", reason, message)

    def _tell(self, subject: Subject, item: JsonObject, kind: str, reason: str, message: str) -> None:
        uid = item["metadata"].get("uid", "")
        if not self._allowed(uid):
            return
        place: tuple[str, ...] = (uid, kind, reason, message)
        if self._too_many(place[:3], message):
            message, place = f"(combined from similar events): {message}", place[:3]
        try:
            if not self._count(place, message):
                self._create(place, subject, item, (kind, reason, message))
        except ApiError:
            # A namespace on its way out takes no events; that is no reason not to go on.
            self._told.pop(place, None)

    def _allowed(self, uid: str) -> bool:
        now = self._clock.now()
        allowance = _remember(self._allowances, uid, _Allowance(BURST, now))
        allowance.tokens = min(BURST, allowance.tokens + (now - allowance.at) * REFILL_PER_SECOND)
        allowance.at = now
        if allowance.tokens < 1.0:
            return False
        allowance.tokens -= 1.0
        return True

    def _too_many(self, group: tuple[str, ...], message: str) -> bool:
        similar = _remember(self._similar, group, _Similar())
        now = self._clock.now()
        if now - similar.last > SIMILAR_SECONDS:
            similar.messages = set()
        similar.last = now
        similar.messages.add(message)
        return len(similar.messages) >= SIMILAR_LIMIT

    def _count(self, place: tuple[str, ...], message: str) -> bool:
        key = self._told.get(place)
        stored = None if key is None else self._rest.store.get("events", key)
        if key is None or stored is None:
            return False
        event = {
            **stored.object,
            "message": message,
            "count": stored.object.get("count", 1) + 1,
            "lastTimestamp": format_time(self._clock.now()),
        }
        self._rest.update("events", key, event, self._rest.context(MANAGER))
        return True

    def _create(
        self, place: tuple[str, ...], subject: Subject, item: JsonObject, said: tuple[str, str, str]
    ) -> None:
        metadata = item["metadata"]
        namespace = metadata.get("namespace") or "default"
        event = self._event(subject, metadata, said)
        stored = self._rest.create("events", namespace, event, self._rest.context(MANAGER))
        _remember(self._told, place, stored.key)

    def _event(self, subject: Subject, metadata: dict[str, Any], said: tuple[str, str, str]) -> JsonObject:
        kind, reason, message = said
        seconds = self._clock.now()
        now = format_time(seconds)
        involved = {
            "kind": subject.kind,
            "namespace": metadata.get("namespace"),
            "name": metadata["name"],
            "uid": metadata.get("uid"),
            "apiVersion": subject.api_version,
            "resourceVersion": metadata.get("resourceVersion"),
        }
        return {
            "apiVersion": "v1",
            "kind": "Event",
            "metadata": {
                # Upstream's suffix is the time in nanoseconds; the version tells two within one apart.
                "name": f"{metadata['name']}.{int(seconds * 1e9) + self._rest.store.version % 1000:x}",
                "namespace": metadata.get("namespace") or "default",
            },
            "involvedObject": {name: value for name, value in involved.items() if value},
            "type": kind,
            "reason": reason,
            "message": message,
            "source": {"component": self._component},
            "reportingComponent": self._component,
            "reportingInstance": "",
            "firstTimestamp": now,
            "lastTimestamp": now,
            "eventTime": None,
            "count": 1,
        }


def _remember(memory: OrderedDict[Any, ValueT], key: Any, value: ValueT) -> ValueT:
    """What is remembered of a key, or this; the least recent is forgotten."""
    found = memory.setdefault(key, value)
    memory.move_to_end(key)
    if len(memory) > REMEMBERED:
        memory.popitem(last=False)
    return found
