from typing import Any

import pytest
import yaml

from nominee.model.kubernetes_yaml import KubernetesDumper, KubernetesLoader


def read(text: str) -> Any:
    return yaml.load(text, KubernetesLoader)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1e3", 1000),
        ("16.0", 16),
        ("0.5", 0.5),
        (".5", 0.5),
        ("0o17", 15),
        ("017", 15),
        ("08", 8),
        ("0x1F", 31),
        ("-0b11", -3),
        ("1_000", 1000),
        ("1:30", "1:30"),
        ("2026-01-02", "2026-01-02"),
        ("!!timestamp 2026-01-02", "2026-01-02"),
        ("=", "="),
        ("y", True),
        ("Off", False),
        ("~", None),
        ("1e40", 1e40),
        ("1.2.3", "1.2.3"),
    ],
)
def test_plain_scalars_are_what_go_takes_them_for(text: str, value: object) -> None:
    found = read(text)
    assert (found, type(found)) == (value, type(value))


@pytest.mark.parametrize("text", ["y", "1e3", "08", "=", "1:30", "2026-01-02", "~", "", "0b", "plain"])
def test_texts_are_written_so_that_they_stay_texts(text: str) -> None:
    written = yaml.dump({text: text}, Dumper=KubernetesDumper)
    assert read(written) == yaml.safe_load(written) == {text: text}


@pytest.mark.parametrize("text", ["!!bool x", "!!int ''", "!!float x", "9" * 5000])
def test_a_scalar_that_is_not_what_its_tag_says_is_a_fault_with_a_place(text: str) -> None:
    with pytest.raises(yaml.MarkedYAMLError, match="can not be read as"):
        read(text)
