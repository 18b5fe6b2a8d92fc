"""What is wrong with a text that is no JSON, in the words of Go's decoder."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nominee.apiserver.http.json_syntax import syntax_fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "unexpected end of JSON input"),
        ('{"a": 1', "unexpected end of JSON input"),
        ('{"a', "unexpected end of JSON input"),
        ("{a: 1}", "invalid character 'a' looking for beginning of object key string"),
        ('{"a" 1}', "invalid character '1' after object key"),
        ('{"a": 1 "b"}', "invalid character '\"' after object key:value pair"),
        ('{"a": 1,}', "invalid character '}' looking for beginning of object key string"),
        ("[1 2]", "invalid character '2' after array element"),
        ("[1,]", "invalid character ']' looking for beginning of value"),
        ("{} x", "invalid character 'x' after top-level value"),
        ("'a'", "invalid character '\\'' looking for beginning of value"),
        ("trve", "invalid character 'v' in literal true (expecting 'u')"),
        ("-a", "invalid character 'a' in numeric literal"),
        ("1.a", "invalid character 'a' after decimal point in numeric literal"),
        ("1e+a", "invalid character 'a' in exponent of numeric literal"),
        ("01", "invalid character '1' after top-level value"),
        ('"\n"', "invalid character '\\n' in string literal"),
        (r'"\q"', "invalid character 'q' in string escape code"),
        (r'"\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"),
        ("[" * 20_000, "invalid character '[' exceeded max depth"),
    ],
)
def test_what_is_wrong(text: str, fault: str) -> None:
    assert syntax_fault(text.encode()) == fault


def test_bytes_that_are_no_text_are_shown_as_go_shows_them() -> None:
    assert syntax_fault(b"\xff") == "invalid character 'ÿ' looking for beginning of value"
    assert syntax_fault(b"\x00") == "invalid character '\\x00' looking for beginning of value"


_TREES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(_TREES, st.sampled_from([None, 2]))
def test_nothing_is_wrong_with_json(tree: object, indent: int | None) -> None:
    assert syntax_fault(json.dumps(tree, indent=indent).encode()) == ""


@given(st.text(alphabet='{}[]",:\\ue1-. tf'))
def test_it_finds_a_fault_exactly_where_there_is_one(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        assert syntax_fault(text.encode())
    else:
        assert not syntax_fault(text.encode())
