import pytest

from nominee.config.names import is_extended_resource_name, label_value_faults, qualified_name_faults


@pytest.mark.parametrize("name", ["cpu", "MyName", "my.name", "123-abc", "example.com/gpu", "a" * 63])
def test_qualified_names(name: str) -> None:
    assert qualified_name_faults(name) == []


@pytest.mark.parametrize(
    ("name", "starts"),
    [
        ("", ["name part must be non-empty", "name part must consist of"]),
        ("/x", ["prefix part must be non-empty"]),
        ("a/b/c", ["a valid label key must consist of"]),
        ("Example.com/x", ["prefix part a lowercase RFC 1123 subdomain must consist of"]),
        ("-x", ["name part must consist of"]),
        ("x\n", ["name part must consist of"]),
        ("a" * 64, ["name part must be no more than 63 bytes"]),
        ("a" * 254 + "/x", ["prefix part must be no more than 253 bytes"]),
    ],
)
def test_what_is_wrong_with_other_names(name: str, starts: list[str]) -> None:
    faults = qualified_name_faults(name)
    assert [fault[: len(start)] for fault, start in zip(faults, starts, strict=True)] == starts


@pytest.mark.parametrize(("value", "sound"), [("", True), ("a", True), ("a b", False), ("a" * 64, False)])
def test_label_values(value: str, sound: bool) -> None:
    assert (label_value_faults(value) == []) is sound


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("example.com/gpu", True),
        ("cpu", False),
        ("kubernetes.io/x", False),
        ("requests.example.com/gpu", False),
    ],
)
def test_extended_resources(name: str, expected: bool) -> None:
    assert is_extended_resource_name(name) is expected
