"""YAML that knows on which line everything stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec
import yaml

from nominee.errors import ConfigError, InputError
from nominee.model.kubernetes_yaml import KubernetesLoader
from nominee.sim.scenario.types import Scenario, Seconds, Span, read_seconds, read_span

_PLACE = re.compile(r"(?P<problem>.*) - at `\$\.?(?P<path>.*)`", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(?P<field>.*)`")
E = TypeVar("E", bound=ConfigError | InputError)
_STEP = re.compile(r"\[[^\]]*\]|[^.\[]+")


class Document(NamedTuple):
    """One YAML document: its data, and its nodes, which know their lines."""

    data: Any
    node: yaml.Node
    source: str

    def line(self, field: str) -> int:
        """The line of the innermost part of a field's path that exists."""
        node: Any = self.node
        for step in _STEP.findall(field):
            below = _below(node, step)
            if below is None:
                break
            node = below
        return int(node.start_mark.line) + 1


def blamed(error: E, document: Document | None, field: str) -> E:
    """The error, with the field in front of its own and with file and line; unless it has a place already."""
    if error.source is not None:
        return error
    error.at(field=field)
    if document is not None:
        error.at(source=document.source, line=document.line(error.field or ""))
    return error


def read_documents(text: bytes, source: str) -> Iterator[Document]:
    """All documents of a file; a key that comes twice is an error."""
    loader = KubernetesLoader(text)
    try:
        while loader.check_node():
            node = loader.get_node()
            _refuse_duplicates(node, source)
            data = loader.construct_document(node)
            if node is not None and data is not None:
                yield Document(data, node, source)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise _not_yaml(error, source) from None
    finally:
        loader.dispose()


def read_scenario(document: Document) -> Scenario:
    """Decode a scenario; raises InputError with file, line and field."""
    try:
        return msgspec.convert(document.data, Scenario, dec_hook=_decode)
    except msgspec.ValidationError as error:
        problem, field = _located(str(error))
        raise InputError(problem, source=document.source, line=document.line(field), field=field) from None


def _decode(kind: type, value: Any) -> Any:
    if kind is Seconds:
        return read_seconds(value)
    if kind is Span:
        return read_span(value)
    raise NotImplementedError(kind)


def _located(message: str) -> tuple[str, str]:
    match = _PLACE.fullmatch(message)
    problem, field = (match["problem"], match["path"]) if match else (message, "")
    unknown = _UNKNOWN.fullmatch(problem)
    if unknown is not None:
        field = f"{field}.{unknown['field']}".removeprefix(".")
        return "unknown field", field
    return (problem[:1].lower() + problem[1:]).replace("`", "'"), field


def _below(node: Any, step: str) -> Any:
    if isinstance(node, yaml.SequenceNode) and step[1:-1].isdigit():
        place = int(step[1:-1])
        return node.value[place] if place < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step.strip("[]")), None)
    return None


def _refuse_duplicates(node: Any, source: str) -> None:
    if isinstance(node, yaml.MappingNode):
        seen = set()
        for key, value in node.value:
            if key.value in seen and key.tag != "tag:yaml.org,2002:merge":
                line = key.start_mark.line + 1
                raise InputError("stands there twice", source=source, line=line, field=str(key.value))
            seen.add(key.value if isinstance(key.value, str) else id(key))
            _refuse_duplicates(value, source)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_duplicates(item, source)


def _not_yaml(error: Exception, source: str) -> InputError:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return InputError(f"not valid YAML: {error.problem}", source=source, line=mark.line + 1)
    return InputError(f"not valid YAML: {' '.join(str(error).split())}", source=source)
