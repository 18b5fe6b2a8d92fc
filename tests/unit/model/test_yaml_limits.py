from itertools import pairwise

import pytest
import yaml

from nominee.model.yaml_limits import DEEPEST, check_limits


def doubling(steps: int, item: str) -> str:
    """Each line says the one before it twice."""
    names = [f"a{i}" for i in range(steps)]
    lines = [f"{new}: &{new} " + item.format(old) for old, new in pairwise(names)]
    return "\n".join(["a0: &a0 {k: v}", *lines])


@pytest.mark.parametrize("item", ["[*{0}, *{0}]", "{{<<: [*{0}, *{0}]}}", "{{x: *{0}, y: *{0}}}"])
def test_aliases_may_be_followed_only_so_far(item: str) -> None:
    check_limits(doubling(8, item))
    with pytest.raises(yaml.MarkedYAMLError, match="grows too large") as refused:
        check_limits(doubling(80, item))
    mark = refused.value.problem_mark
    assert mark is not None
    assert mark.line < 20


@pytest.mark.parametrize("begin", ["[", "- ", "{a: "])
def test_depth_is_bounded_whatever_makes_it(begin: str) -> None:
    with pytest.raises(yaml.MarkedYAMLError, match="nested too deeply"):
        check_limits(begin * 99_999)


def test_what_is_just_within_the_bounds_is_let_through() -> None:
    check_limits("[" * DEEPEST + "]" * DEEPEST)
    check_limits("- x\n" * 50_000)
    check_limits("a: &a [x]\nb: [*a]\n---\na: &a [y]\nb: [*a]\n")
    check_limits("")
