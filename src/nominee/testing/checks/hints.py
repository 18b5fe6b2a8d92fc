"""Queueing hints: they bear whatever happens, and answer with True or False."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nominee.framework.events import Action, EventHint, Resource
from nominee.testing.checks.case import Case

_POD_RESOURCES = (Resource.ASSIGNED_POD, Resource.UNSCHEDULED_POD, Resource.TARGET_POD, Resource.POD)


def check_hints(case: Case) -> None:
    """Ask every hint about every sort of change that it is registered for."""
    if not hasattr(case.plugin, "events_to_register"):
        return
    with case.asking("events_to_register"):
        events = list(case.plugin.events_to_register())
    good = all(isinstance(event, EventHint) for event in events)
    case.need(good, f"events_to_register must give EventHints, not {events!r}")
    for event in events:
        if event.hint is not None:
            for happened, old, new in _changes(event, case):
                _ask(case, event, happened, old, new)


def _ask(case: Case, event: EventHint, happened: str, old: Any, new: Any) -> None:
    hint = event.hint
    assert hint is not None  # noqa: S101 - whoever calls has looked
    name = f"the hint for {event.resource.value}"
    answers = []
    for _ in range(2):
        with case.asking(f"{name}, asked about one that was {happened},"):
            answers.append(hint(case.pod, old, new, case.cluster.view))
    good = isinstance(answers[0], bool | np.bool_)
    case.need(good, f"{name} must answer with True or False, not {answers[0]!r}")
    text = f"{name}, asked twice about one that was {happened}, answered {answers[0]!r} and {answers[1]!r}"
    case.need(answers[0] == answers[1], text)


def _changes(event: EventHint, case: Case) -> Iterator[tuple[str, Any, Any]]:
    """What may happen: how it is called, the object before, the object after."""
    for item in _objects(event.resource, case):
        if event.actions & Action.ADD:
            yield "added", None, item
        if event.actions & Action.UPDATE:
            yield "updated", item, item
        if event.actions & Action.DELETE:
            yield "deleted", item, None


def _objects(resource: Resource, case: Case) -> Sequence[Any]:
    """Up to two objects of the cluster, as hints get them. Of other kinds there are none in it."""
    if resource is Resource.NODE:
        return [node for node in case.cluster.nodes.objects if node is not None][:2]
    if resource in _POD_RESOURCES:
        placed = [pod for name in case.cluster.nodes.row_of for pod in case.cluster.pods_on(name)]
        return [case.pod, *placed[:1]]
    return []
