"""Which pods are of one shape."""

from __future__ import annotations

from typing import Any

import pytest

from nominee.model.codec import decode
from nominee.model.pod import Pod
from nominee.state.intern import ResourceIndex
from nominee.state.shapes import Shape, ShapeTable


@pytest.fixture
def table() -> ShapeTable:
    return ShapeTable(ResourceIndex())


def shape(table: ShapeTable, **status: Any) -> Shape:
    """That of a pod that asks for one cpu."""
    container = {"name": "c", "image": "app", "resources": {"requests": {"cpu": "1"}}}
    pod = {"metadata": {"name": "a"}, "spec": {"containers": [container]}, "status": status}
    return table.shape_of(decode(Pod, pod))


def holding(cpu: str) -> list[dict[str, Any]]:
    requests = {"cpu": cpu}
    return [{"name": "c", "resources": {"requests": requests}, "allocatedResources": requests}]


def test_a_pod_that_holds_what_it_asks_for_is_of_the_shape_that_it_was_scheduled_with(
    table: ShapeTable,
) -> None:
    pending = shape(table)
    assert shape(table, containerStatuses=holding("1")) is pending


def test_a_pod_that_holds_more_than_it_asks_for_counts_for_more(table: ShapeTable) -> None:
    pending, shrinking = shape(table), shape(table, containerStatuses=holding("2"))
    assert (pending.placed_requests["cpu"], shrinking.placed_requests["cpu"]) == (1000, 2000)


def test_a_resize_that_waits_makes_a_shape_of_its_own(table: ShapeTable) -> None:
    pending = shape(table)
    waits = {"type": "PodResizePending", "status": "True", "reason": "Deferred"}
    assert shape(table, containerStatuses=holding("1"), conditions=[waits]) is not pending
