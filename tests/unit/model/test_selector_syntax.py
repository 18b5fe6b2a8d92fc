"""Selectors in query strings."""

import pytest

from nominee.errors import InputError
from nominee.model.selector_syntax import parse_field_selector, parse_label_selector
from nominee.model.selectors import EVERYTHING, requirement, selector_of


def test_every_operator_of_a_label_selector() -> None:
    assert parse_label_selector("a=b, c!=d ,e in (f, g),h notin (i),!j,k,l>1,m<2,n==o") == selector_of(
        [
            requirement("a", "In", ["b"]),
            requirement("c", "NotIn", ["d"]),
            requirement("e", "In", ["f", "g"]),
            requirement("h", "NotIn", ["i"]),
            requirement("j", "DoesNotExist"),
            requirement("k", "Exists"),
            requirement("l", "Gt", ["1"]),
            requirement("m", "Lt", ["2"]),
            requirement("n", "In", ["o"]),
        ]
    )


def test_an_empty_label_selector_selects_everything() -> None:
    assert parse_label_selector("  ") is EVERYTHING


@pytest.mark.parametrize(
    ("text", "values"), [("a=", [""]), ("a in (,b)", ["", "b"]), ("a in ()", [""]), ("in=notin", ["notin"])]
)
def test_empty_values_and_words_that_are_operators_too(text: str, values: list[str]) -> None:
    key = text[: 2 if text.startswith("in") else 1]
    assert parse_label_selector(text) == selector_of([requirement(key, "In", values)])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,,b", "found ',', expected: identifier after ','"),
        ("a,", "found '', expected: identifier after ','"),
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("=x", "found '=', expected: !, identifier, or 'end of string'"),
        ("a in x", "unable to parse requirement: found 'x' expected: '('"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("a in (b", "unable to parse requirement: found '', expected: ',' or ')'"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("a==(", "unable to parse requirement: found '(', expected: identifier"),
    ],
)
def test_what_is_wrong_with_a_label_selector(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_label_selector(text)
    assert error.value.message == message


def test_values_of_a_label_selector_are_checked() -> None:
    with pytest.raises(InputError, match="takes exactly one integer"):
        parse_label_selector("a>b")


def test_field_selector() -> None:
    selector = parse_field_selector("metadata.name=x,status.phase!=Succeeded,spec.nodeName==")
    assert selector.matches({"metadata.name": "x", "status.phase": "Running"})
    assert not selector.matches({"metadata.name": "x", "status.phase": "Succeeded"})
    assert not selector.matches({"metadata.name": "x", "spec.nodeName": "n1"})
    assert parse_field_selector("").matches({})


def test_field_selector_escapes() -> None:
    assert parse_field_selector(r"a=b\,c\=d\\").requirements[0].value == "b,c=d\\"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", "invalid selector: 'abc'; can't understand 'abc'"),
        ("a=b=c", "invalid field selector: unescaped character in value: ="),
        (r"a=\x", r"invalid field selector: invalid escape sequence: \x"),
    ],
)
def test_what_is_wrong_with_a_field_selector(text: str, message: str) -> None:
    with pytest.raises(InputError) as error:
        parse_field_selector(text)
    assert error.value.message == message
