from typing import Any

import pytest

from nominee.apiserver.crd.json_path import json_path

TREE = {
    "spec": {"a.b": 1, "name": "x", "list": [{"n": 1, "t": "a"}, {"n": 2, "t": "b"}]},
    "metadata": {"annotations": {"example.com/note": "hi"}},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Ok", "status": "False"}]},
}


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (".spec.name", ["x"]),
        ("{.spec.name}", ["x"]),
        ("$.spec['name']", ["x"]),
        (".spec.nothing.more", []),
        (".spec.a\\.b", [1]),
        (".metadata.annotations.example\\.com/note", ["hi"]),
        (".spec.list[1].n", [2]),
        (".spec.list[-1].n", [2]),
        (".spec.list[7].n", []),
        (".spec.list[*].n", [1, 2]),
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.type != 'Ready')].status", ["False"]),
        (".spec.list[?(@.n>1)].t", ["b"]),
        (".spec.list[?(@.n>'x')].t", []),
        (".spec.list[?(@.missing)].t", []),
    ],
)
def test_paths_lead_to_values(path: str, found: list[Any]) -> None:
    assert json_path(path).find(TREE) == found


@pytest.mark.parametrize("path", [".a[", ".a]", "..", ".a[x]", ".a[?(b)]", "." + "a." * 1000])
def test_paths_that_are_none(path: str) -> None:
    with pytest.raises(ValueError, match="path"):
        json_path(path)
