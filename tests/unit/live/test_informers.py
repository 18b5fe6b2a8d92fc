"""What an informer makes of lists and events."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from nominee.client import Access, Client, Event, Listing, Undecodable
from nominee.live.informers import Informer
from nominee.model.meta import NamedObject, ObjectMeta
from nominee.model.node import Node
from nominee.model.pod import Pod
from nominee.scheduler.inputs import Gone, Input, Seen


class Told(list[Input]):
    @property
    def short(self) -> list[str]:
        signs = {Seen: "+", Gone: "-"}
        return [f"{signs[type(each)]}{each.item.name}" for each in self if isinstance(each, Seen | Gone)]

    def forget(self) -> None:
        self.clear()


def node(name: str, version: str = "1", uid: str = "") -> Node:
    return Node(metadata=ObjectMeta(name=name, uid=uid or f"uid-{name}", resource_version=version))


def pod(name: str, version: str = "1", uid: str = "") -> Pod:
    meta = ObjectMeta(name=name, namespace="ns", uid=uid or f"uid-{name}", resource_version=version)
    return Pod(metadata=meta)


def fault(name: str, problem: str = "spec: odd", change: Any = "MODIFIED", kind: str = "Node") -> Undecodable:
    return Undecodable(kind, name, f"uid-{name}", "9", problem, change)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def nodes(told: Told) -> Informer[Node]:
    return Informer(Client(Access(server="http://nowhere")), Node, told.append)


@pytest.fixture
def pods(told: Told) -> Informer[Pod]:
    return Informer(Client(Access(server="http://nowhere")), Pod, told.append)


def listed(informer: Informer[Any], *items: NamedObject, faults: tuple[Undecodable, ...] = ()) -> None:
    informer._replace(Listing("1", list(items), list(faults)))


def test_a_list_is_told(nodes: Informer[Node], told: Told) -> None:
    listed(nodes, node("a"), node("b"))
    assert told.short == ["+a", "+b"]


def test_events_are_told_and_bookmarks_are_not(nodes: Informer[Node], told: Told) -> None:
    changes = ("ADDED", "MODIFIED", "BOOKMARK", "DELETED")
    nodes._apply([Event(change, node("a", str(i))) for i, change in enumerate(changes)])  # type: ignore[arg-type]
    assert told.short == ["+a", "+a", "-a"]
    assert told[-1] == Gone(node("a", "3"))


def test_what_vanished_between_two_lists_is_gone_in_its_last_form(nodes: Informer[Node], told: Told) -> None:
    listed(nodes, node("a", "1"), node("b", "2"))
    told.forget()
    listed(nodes, node("b", "2"), node("c", "3"))
    assert told == [Gone(node("a", "1")), Seen(node("c", "3"))]


def test_of_a_vanished_pod_its_identity_is_told(pods: Informer[Pod], told: Told) -> None:
    listed(pods, pod("a"))
    told.forget()
    listed(pods)
    assert told == [Gone(Pod(metadata=ObjectMeta(name="a", namespace="ns", uid="uid-a")))]


@pytest.mark.parametrize("informer", ["nodes", "pods"])
def test_a_namesake_with_another_uid_is_another_object(
    informer: str, told: Told, request: pytest.FixtureRequest
) -> None:
    informed, make = request.getfixturevalue(informer), node if informer == "nodes" else pod
    listed(informed, make("a", "1", "first"))
    listed(informed, make("a", "2", "second"))
    assert told.short == ["+a", "-a", "+a"]
    gone = told[1]
    assert isinstance(gone, Gone)
    assert gone.item.uid == "first"


def test_an_unreadable_object_is_left_out_and_reported_once(
    nodes: Informer[Node], told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    listed(nodes, faults=(fault("a"),))
    nodes._apply([fault("a"), fault("a")])
    assert told == []
    assert [record.getMessage() for record in caplog.records] == [
        "can not read Node a, it is left out: spec: odd"
    ]


def test_a_known_object_that_became_unreadable_counts_in_its_last_form(
    nodes: Informer[Node], told: Told, caplog: pytest.LogCaptureFixture
) -> None:
    listed(nodes, node("a"))
    nodes._apply([fault("a")])
    listed(nodes, faults=(fault("a"),))
    assert told.short == ["+a"]
    assert [record.getMessage() for record in caplog.records] == [
        "can not read Node a, its last readable form counts: spec: odd"
    ]
    nodes._apply([fault("a", change="DELETED")])
    assert told.short == ["+a", "-a"]


def test_an_object_that_is_readable_again_may_be_reported_again(
    nodes: Informer[Node], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    nodes._apply([fault("a"), Event("MODIFIED", node("a", "2")), fault("a")])
    assert len(caplog.records) == 2


def test_deleting_what_was_never_readable_tells_nothing(nodes: Informer[Node], told: Told) -> None:
    nodes._apply([fault("a"), fault("a", change="DELETED")])
    assert told == []
