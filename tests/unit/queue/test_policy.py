from collections.abc import Sequence
from typing import Any

import pytest

from nominee.errors import ConfigError
from nominee.framework import Action, ClusterEvent, EventHint, Pod, Resource
from nominee.queue.policy import EVERYTHING, EXTENDER, policy_of


class Silent:
    def filter_node(self, pod: Pod, node: object, cycle: object) -> None: ...


class Choosy:
    def pre_enqueue(self, pod: Pod) -> str | None: ...

    def events_to_register(self) -> Sequence[EventHint]:
        return [EventHint(Resource.NODE, Action.ADD)]


class Deaf:
    def permit(self) -> None: ...

    def events_to_register(self) -> Sequence[EventHint]:
        return ()


class OnlyScores:
    def score_node(self) -> int:
        return 0


def _is_heard(resource: Resource, action: Action) -> bool:
    return any(ClusterEvent(resource, action).reaches(each.event) for each in EVERYTHING)


def test_a_plugin_that_registers_nothing_in_particular_hears_nearly_everything() -> None:
    assert policy_of({"Silent": Silent()}).hints == {"Silent": EVERYTHING}
    assert _is_heard(Resource.NODE, Action.UPDATE_NODE_LABEL)
    assert _is_heard(Resource.TARGET_POD, Action.UPDATE)
    assert _is_heard(Resource.DEVICE_CLASS, Action.DELETE)


def test_but_not_of_attachments_nor_of_slices() -> None:
    assert not _is_heard(Resource.VOLUME_ATTACHMENT, Action.DELETE)
    assert not _is_heard(Resource.RESOURCE_SLICE, Action.ADD)


def test_what_a_plugin_registers_is_what_it_hears_be_it_nothing() -> None:
    hints = policy_of({"Choosy": Choosy(), "Deaf": Deaf()}).hints
    assert [len(hints[name]) for name in ("Choosy", "Deaf")] == [1, 0]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([1], "plugin 'Odd' must register EventHints, not 1"),
        (None, "plugin 'Odd' can not say which events it registers for"),
    ],
)
def test_what_is_no_event_is_refused_before_anything_runs(given: Any, message: str) -> None:
    class Odd(Deaf):
        def events_to_register(self) -> Sequence[EventHint]:
            return given  # type: ignore[no-any-return]

    with pytest.raises(ConfigError, match=message):
        policy_of({"Odd": Odd()})


def test_a_plugin_that_cannot_reject_hears_nothing() -> None:
    assert policy_of({"OnlyScores": OnlyScores()}).hints == {}


def test_extenders_hear_like_a_plugin_that_does_not_say() -> None:
    assert policy_of({}, extenders=True).hints == {EXTENDER: EVERYTHING}


def test_pre_enqueue_plugins_come_in_the_given_order() -> None:
    plugins = {"A": Choosy(), "B": Choosy(), "C": Silent()}
    assert [name for name, _ in policy_of(plugins).pre_enqueue] == ["A", "B"]
    assert [name for name, _ in policy_of(plugins, pre_enqueue=["B"]).pre_enqueue] == ["B"]
