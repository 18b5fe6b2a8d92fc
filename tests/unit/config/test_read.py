import pytest

from nominee.config.read import read_text
from nominee.errors import ConfigError


def fault(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read_text(text, "file.yaml")
    return str(caught.value)


def test_a_date_stays_text() -> None:
    assert read_text("since: 2026-01-02") == {"since": "2026-01-02"}


def test_empty_documents_may_follow() -> None:
    assert read_text("---\na: 1\n---\n# nothing\n---\n") == {"a": 1}


def test_merge_keys_are_not_duplicates() -> None:
    text = "base: &base {a: 1}\none: {<<: *base, a: 2}\n"
    assert read_text(text)["one"] == {"a": 2}


def test_flow_style_yaml_that_is_not_json_is_read_too() -> None:
    assert read_text("{a: 1}") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "a: 1\nb:\n- c: 1\n  c: 2\n",
            "b[0].c: Duplicate value: c: the key is given twice (again in line 4)",
        ),
        ('{"b": [{"c": 1, "c": 2}]}', "b[0].c: Duplicate value: c: the key is given twice"),
        ("? [a]\n: 1", "?: the key must be a string"),
        ("a: {1: x}", "a.1: the key must be a string"),
        ("a: &a [*a]", "a[0]: the alias contains itself"),
        ("- a", "expected a YAML or JSON mapping with apiVersion and kind"),
        ("", "expected a YAML or JSON mapping with apiVersion and kind"),
        ("a: b: c", "not valid YAML: line 1, column 5: mapping values are not allowed in this context"),
        ("a: 1\n---\nb: 1\n", "line 3: a second document begins, and only one is allowed in a file"),
        (
            "a: " + "[" * 201,
            "not valid YAML: line 1, column 203: nested too deeply: at most 200 levels are allowed",
        ),
        ("a: !!bool x", "not valid YAML: line 1, column 4: 'x' can not be read as bool"),
    ],
)
def test_a_fault_says_where_it_is(text: str, expected: str) -> None:
    assert fault(text) == f"file.yaml: {expected}"


@pytest.mark.parametrize("text", ['{"a": ' + "[" * 9999 + "]" * 9999 + "}", "a: " + "[" * 99999])
def test_bottomless_files_are_refused(text: str) -> None:
    assert fault(text).startswith("file.yaml: ")


def test_bytes_that_are_not_text_are_refused() -> None:
    with pytest.raises(ConfigError, match="not valid YAML"):
        read_text(b"a: \xff\xfe")
