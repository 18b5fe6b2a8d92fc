"""Codes of what a filter said stay readable, however many reasons it comes up with."""

from __future__ import annotations

import numpy as np
import pytest

from nominee.framework import Ints, Rejection
from nominee.profile.codes import StatusCodes

N = 80


def one_each(reasons: list[str]) -> list[Rejection]:
    """Node i is rejected for reason i; every other one for good."""
    return [Rejection(np.arange(N) == i, reason, i % 2 == 1) for i, reason in enumerate(reasons)]


def encoded(codes: StatusCodes, rejections: list[Rejection]) -> Ints:
    found = codes.encode(rejections, N)
    assert found is not None
    return found


def read(codes: StatusCodes, found: Ints) -> list[tuple[tuple[str, ...], bool]]:
    return [codes.decode(code) for code in found.tolist() if code]


def expected(reasons: list[str]) -> list[tuple[tuple[str, ...], bool]]:
    return [((reason,), i % 2 == 1) for i, reason in enumerate(reasons)]


@pytest.mark.parametrize("count", [1, 60, 61, 62, 80])
def test_every_reason_is_read_back(count: int) -> None:
    reasons = [f"reason {i}" for i in range(count)]
    codes = StatusCodes()
    assert read(codes, encoded(codes, one_each(reasons))) == expected(reasons)
    assert codes.wide == (count > 61)


def test_codes_from_before_there_were_too_many_reasons_keep_their_meaning() -> None:
    few, many = [f"few {i}" for i in range(40)], [f"many {i}" for i in range(40)]
    codes = StatusCodes()
    before = encoded(codes, one_each(few))
    after = encoded(codes, one_each(many))
    assert codes.wide
    assert (read(codes, before), read(codes, after)) == (expected(few), expected(many))


def test_hopeless_ones_are_known_among_old_and_new_codes() -> None:
    codes = StatusCodes()
    before = encoded(codes, one_each([f"few {i}" for i in range(40)]))[:40]
    after = encoded(codes, one_each([f"many {i}" for i in range(80)]))
    mixed = np.concatenate((before, [0], after))
    hopeless = codes.unresolvable(mixed) != 0
    assert hopeless.tolist() == [i % 2 == 1 for i in range(40)] + [False] + [i % 2 == 1 for i in range(80)]


def test_several_reasons_of_a_node_are_told_together() -> None:
    everywhere = np.ones(N, np.bool_)
    for others in (0, 70):
        codes = StatusCodes()
        codes.encode(one_each([f"other {i}" for i in range(others)]), N)
        found = encoded(codes, [Rejection(everywhere, "a"), Rejection(everywhere, "b", unresolvable=True)])
        assert codes.decode(int(found[3])) == (("a", "b"), True)
