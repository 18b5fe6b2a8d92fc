"""The invariants are looked at: each of these is broken on purpose."""

from collections.abc import Callable

import pytest

from nominee.errors import InternalError
from nominee.queue.check import check
from tests.unit.queue.rig import Rig


def _rig() -> Rig:
    rig = Rig().add("flying")
    rig.pop()
    rig.rejected("aside")
    rig.rejected("failed", by=[])
    return rig.add("active", "active2")


def _two_places(rig: Rig) -> None:
    rig.queue.parts()[0].active.push("default/flying", (0, 0.0), rig.popped["flying"])


def _gated_and_active(rig: Rig) -> None:
    rig.get("active").gating_plugin = "Gate"


def _rejected_and_failed(rig: Rig) -> None:
    rig.get("failed").blame(["Fit"])


def _rejectors_changed(rig: Rig) -> None:
    rig.get("aside").blame(["Other"])


def _heap_order(rig: Rig) -> None:
    rig.queue.parts()[0].active._entries.reverse()


def _lost_event(rig: Rig) -> None:
    rig.queue.parts()[1]._first += 1


BREAKS = [
    (_two_places, "'default/flying' is in 2 places"),
    (_gated_and_active, "is gated and yet may go on"),
    (_rejected_and_failed, "was rejected and yet waits with the failed"),
    (_rejectors_changed, "is filed under"),
    (_heap_order, "comes before its parent"),
    (_lost_event, "a pod began outside of the list of events"),
]


def test_a_sound_queue_passes() -> None:
    check(_rig().queue)


@pytest.mark.parametrize(("break_it", "message"), BREAKS)
def test_a_broken_invariant_is_named(break_it: Callable[[Rig], None], message: str) -> None:
    rig = _rig()
    break_it(rig)
    with pytest.raises(InternalError, match=message):
        check(rig.queue)
