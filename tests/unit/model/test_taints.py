"""Which tolerations cover which taints."""

import pytest

from nominee.model.node import Taint
from nominee.model.pod import Toleration
from nominee.model.taints import NO_SCHEDULE, PREFER_NO_SCHEDULE, find_untolerated, tolerates

TAINT = Taint(key="team", value="red", effect=NO_SCHEDULE)


@pytest.mark.parametrize(
    ("toleration", "expected"),
    [
        (Toleration(operator="Exists"), True),
        (Toleration(key="team", operator="Exists"), True),
        (Toleration(key="other", operator="Exists"), False),
        (Toleration(key="team", value="red"), True),
        (Toleration(key="team", operator="Equal", value="red"), True),
        (Toleration(key="team", operator="Equal", value="blue"), False),
        (Toleration(key="team", operator="Exists", effect="NoSchedule"), True),
        (Toleration(key="team", operator="Exists", effect="NoExecute"), False),
        (Toleration(key="team", operator="Unheard", value="red"), False),
    ],
)
def test_tolerates(toleration: Toleration, expected: bool) -> None:
    assert tolerates(toleration, TAINT) is expected


@pytest.mark.parametrize(
    ("operator", "bound", "actual", "expected"),
    [
        ("Lt", "10", "9", True),
        ("Lt", "10", "10", False),
        ("Gt", "-3", "-2", True),
        ("Gt", "10", "9", False),
        ("Gt", "10", "011", False),
        ("Gt", "ten", "11", False),
        ("Gt", "0", "9223372036854775808", False),
    ],
)
def test_comparison_operators(operator: str, bound: str, actual: str, expected: bool) -> None:
    toleration = Toleration(key="sla", operator=operator, value=bound)
    taint = Taint(key="sla", value=actual, effect=NO_SCHEDULE)
    assert tolerates(toleration, taint, comparison_operators=True) is expected


def test_comparison_operators_are_behind_a_gate() -> None:
    toleration = Toleration(key="sla", operator="Lt", value="10")
    assert not tolerates(toleration, Taint(key="sla", value="1", effect=NO_SCHEDULE))


def test_the_first_untolerated_taint_of_a_repelling_effect_is_found() -> None:
    preferred = Taint(key="a", effect=PREFER_NO_SCHEDULE)
    evicting = Taint(key="b", effect="NoExecute")
    assert find_untolerated([preferred, evicting, TAINT], []) is evicting
    assert find_untolerated([preferred, evicting], [Toleration(key="b", operator="Exists")]) is None
    assert find_untolerated([preferred, evicting], [], [PREFER_NO_SCHEDULE]) is preferred
