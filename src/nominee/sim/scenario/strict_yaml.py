"""YAML that knows on which line everything stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple, TypeVar

import msgspec
import yaml

from nominee.errors import ConfigError, InputError
from nominee.model.kubernetes_yaml import KubernetesLoader
from nominee.model.yaml_limits import check_limits
from nominee.sim.scenario.complaints import complaint
from nominee.sim.scenario.types import Scenario, Seconds, Span, read_seconds, read_span

E = TypeVar("E", bound=ConfigError | InputError)
_MERGE = "tag:yaml.org,2002:merge"
_STEP = re.compile(r"\[[^\]]*\]|[^.\[]+")


class Document(NamedTuple):
    """One YAML document: its data, and its nodes, which know their lines."""

    data: Any
    node: yaml.Node
    source: str

    def line(self, field: str) -> int:
        """The line of the innermost part of a field's path that exists."""
        node = self.node
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
    loader = None
    try:
        check_limits(text)
        loader = KubernetesLoader(text)
        while loader.check_node():
            node = loader.get_node()
            _refuse_duplicates(node, source, ())
            data = loader.construct_document(node)
            if node is not None and data is not None:
                yield Document(data, node, source)
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise _not_yaml(error, source) from None
    finally:
        if loader is not None:
            loader.dispose()


def read_scenario(document: Document) -> Scenario:
    """Decode a scenario; raises InputError with file, line and field."""
    try:
        return msgspec.convert(document.data, Scenario, dec_hook=_decode)
    except msgspec.ValidationError as error:
        problem, field = complaint(str(error), document.data, Scenario)
        raise InputError(problem, source=document.source, line=document.line(field), field=field) from None


def _decode(kind: type, value: Any) -> Any:
    if kind is Seconds:
        return read_seconds(value)
    if kind is Span:
        return read_span(value)
    raise NotImplementedError(kind)


def _below(node: Any, step: str) -> yaml.Node | None:
    if isinstance(node, yaml.SequenceNode) and step[1:-1].isdigit():
        place = int(step[1:-1])
        return node.value[place] if place < len(node.value) else None
    if isinstance(node, yaml.MappingNode):
        return next((value for key, value in node.value if key.value == step.strip("[]")), None)
    return None


def _refuse_duplicates(node: Any, source: str, above: tuple[int, ...]) -> None:
    """And aliases that contain themselves, which nobody could follow to an end."""
    if id(node) in above:
        line = node.start_mark.line + 1
        raise InputError("not valid YAML: the alias contains itself", source=source, line=line)
    above = (*above, id(node))
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.tag != _MERGE:
                problem = _problem_of(key, seen)
                if problem:
                    line, name = key.start_mark.line + 1, _name(key)
                    raise InputError(problem, source=source, line=line, field=name)
                seen.add(key.value)
            _refuse_duplicates(value, source, above)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_duplicates(item, source, above)


def _problem_of(key: yaml.Node, seen: set[str]) -> str:
    if key.tag != "tag:yaml.org,2002:str":
        return "the key must be a string: put it into quotes"
    return "stands there twice" if key.value in seen else ""


def _name(key: yaml.Node) -> str:
    return str(key.value) if isinstance(key, yaml.ScalarNode) else "?"


def _not_yaml(error: Exception, source: str) -> InputError:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return InputError(f"not valid YAML: {error.problem}", source=source, line=mark.line + 1)
    return InputError(f"not valid YAML: {' '.join(str(error).split())}", source=source)
