"""Regular expressions in RE2's syntax."""

from __future__ import annotations

import pytest

from nominee.model.cel import CelError
from nominee.model.cel.regex import compile_regex


@pytest.mark.parametrize(
    ("pattern", "text", "found"),
    [
        ("a+", "baab", (1, 3)),
        ("a+?", "baab", (1, 2)),
        ("^b|b$", "ab", (1, 2)),
        ("(ab|a)(bc)?", "abc", (0, 2)),
        ("[^a-c]+", "abxyc", (2, 4)),
        (r"\d{2,3}", "a12345", (1, 4)),
        (r"\bfoo\b", "a foo b", (2, 5)),
        ("(?i)GPU", "a gpu", (2, 5)),
        ("(?i:A)b", "ab", (0, 2)),
        ("[[:upper:]]+", "abCD", (2, 4)),
        (r"\Qa.b\E", "axb a.b", (4, 7)),
        ("(?s).", "\n", (0, 1)),
        ("x*", "aaa", (0, 0)),
        (r"\pL+", "1é2", (1, 2)),
        (r"[\p{Lu}\d]+", "abC3", (2, 4)),
        (r"\P{Lu}+\p{^L}", "Ab1", (1, 3)),
        (r"\p{Any}", "x", (0, 1)),
        (r"\123\0", "S\0", (0, 2)),
        ("(?P<1st>a)", "a", (0, 1)),
        ("z", "abc", None),
    ],
)
def test_finds_the_leftmost_match(pattern: str, text: str, found: tuple[int, int] | None) -> None:
    assert compile_regex(pattern).search(text) == found


@pytest.mark.parametrize(
    "pattern", ["(", ")", "[a", "*a", "a**", "(?=a)", r"(a)\1", "a{1001}", "[[:what:]]", r"\y", r"\p{Greek}"]
)
def test_what_re2_has_not_is_refused(pattern: str) -> None:
    with pytest.raises(CelError, match="illegal regex"):
        compile_regex(pattern)


def test_no_pattern_takes_exponential_time() -> None:
    assert compile_regex("(a+)+$").search("a" * 300 + "b") is None
