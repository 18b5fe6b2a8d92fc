"""JSONPath as far as columns of tables, scales and selectable fields go: `.spec.a['b'][0]`, filters.

client-go/util/jsonpath, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

_STEP = re.compile(
    r"""
    \.(?P<child>(?:[^.\[\]\\'"]|\\.)+)
    | \[\s*'(?P<quoted>[^']*)'\s*\]
    | \[\s*"(?P<double>[^"]*)"\s*\]
    | \[\s*(?P<index>-?[0-9]{1,9})\s*\]
    | (?P<all>\[\s*\*\s*\]|\.\*)
    | \[\?\(\s*@(?P<path>[^=!<>]*?)\s*(?:(?P<operator>==|!=|<=|>=|<|>)\s*(?P<value>[^)]*?)\s*)?\)\]
    """,
    re.VERBOSE,
)

_LONGEST = 1000

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda a, b: bool(a == b),
    "!=": lambda a, b: bool(a != b),
    "<": lambda a, b: bool(a < b),
    ">": lambda a, b: bool(a > b),
    "<=": lambda a, b: bool(a <= b),
    ">=": lambda a, b: bool(a >= b),
}

Step = Callable[[Any], Iterator[Any]]


@dataclass(frozen=True, slots=True)
class JsonPath:
    """A path that has been understood."""

    steps: tuple[Step, ...]

    def find(self, tree: Any) -> list[Any]:
        """Everything that is there; nothing where the path leads nowhere."""
        found = [tree]
        for step in self.steps:
            found = [each for node in found for each in step(node)]
        return found

    def first(self, tree: Any) -> Any:
        """The first of them, or None."""
        found = self.find(tree)
        return found[0] if found else None


def json_path(text: str) -> JsonPath:
    """Understand a path; raises `ValueError`."""
    if len(text) > _LONGEST:
        raise ValueError("the path is too long")
    text = text.strip().removeprefix("{").removesuffix("}").removeprefix("$")
    if text and text[0] not in ".[":
        text = f".{text}"
    steps: list[Step] = []
    at = 0
    while at < len(text):
        match = _STEP.match(text, at)
        if match is None:
            raise ValueError(f"unrecognized path at {text[at:]!r}")
        steps.append(_step(match))
        at = match.end()
    return JsonPath(tuple(steps))


def _step(match: re.Match[str]) -> Step:
    if match["child"] is not None:
        return _child(re.sub(r"\\(.)", r"\1", match["child"]).strip())
    for name in ("quoted", "double"):
        if match[name] is not None:
            return _child(match[name])
    if match["index"] is not None:
        return _index(int(match["index"]))
    if match["all"] is not None:
        return _all
    return _filter(match["path"], match["operator"], match["value"])


def _child(name: str) -> Step:
    def step(node: Any) -> Iterator[Any]:
        if isinstance(node, dict) and name in node:
            yield node[name]

    return step


def _index(index: int) -> Step:
    def step(node: Any) -> Iterator[Any]:
        if isinstance(node, list) and -len(node) <= index < len(node):
            yield node[index]

    return step


def _all(node: Any) -> Iterator[Any]:
    if isinstance(node, dict):
        yield from node.values()
    elif isinstance(node, list):
        yield from node


def _filter(path: str, operator: str | None, value: str | None) -> Step:
    inner = json_path(path)
    wanted = _literal(value or "")

    def holds(node: Any) -> bool:
        found = inner.find(node)
        if operator is None:
            return bool(found)
        if not found or type(found[0]) is not type(wanted):
            return False
        return _COMPARE[operator](found[0], wanted)

    def step(node: Any) -> Iterator[Any]:
        if isinstance(node, list):
            yield from (each for each in node if holds(each))

    return step


def _literal(text: str) -> Any:
    if len(text) >= 2 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    if text in ("true", "false"):
        return text == "true"
    try:
        return int(text)
    except ValueError:
        return text
