"""Events, by which the scheduler tells people what it did."""

from __future__ import annotations

from typing import ClassVar

from nominee.model.base import ApiStruct
from nominee.model.meta import NamedObject, ObjectReference


class EventSeries(ApiStruct, frozen=True, kw_only=True):
    """How often an event came again."""

    count: int = 0
    last_observed_time: str = ""


class Event(NamedObject, frozen=True, kw_only=True):
    """Something that happened to an object."""

    API_VERSION: ClassVar[str] = "events.k8s.io/v1"
    KIND: ClassVar[str] = "Event"

    event_time: str = ""
    series: EventSeries | None = None
    reporting_controller: str = ""
    reporting_instance: str = ""
    action: str = ""
    reason: str = ""
    regarding: ObjectReference = ObjectReference()
    related: ObjectReference | None = None
    note: str = ""
    type: str = ""
