"""YAML or JSON text to plain data, keeping what a decoder must not lose: duplicate keys."""

from __future__ import annotations

import json
from typing import Any

import yaml

from nominee.config.field import FieldError, FieldRef, InvalidConfigurationError, duplicate
from nominee.errors import ConfigError
from nominee.model.kubernetes_yaml import KubernetesLoader
from nominee.model.yaml_limits import check_limits

Data = dict[str, Any]


class _Object(list[tuple[str, Any]]):
    """A JSON object as its pairs, before duplicate keys are looked for."""


def read_text(text: str | bytes, source: str | None = None) -> Data:
    """Parse one YAML or JSON document that must be a mapping; duplicate keys are errors."""
    stripped = text.strip()
    is_json = stripped.startswith("{") if isinstance(stripped, str) else stripped.startswith(b"{")
    try:
        data = _read_json(stripped, source) if is_json else _read_yaml(text, source)
    except RecursionError:
        raise ConfigError("nested too deeply", source=source) from None
    if not isinstance(data, dict):
        raise ConfigError("expected a YAML or JSON mapping with apiVersion and kind", source=source)
    return data


def _read_json(text: str | bytes, source: str | None) -> Any:
    try:
        pairs = json.loads(text, object_pairs_hook=_Object)
    except ValueError:
        return _read_yaml(text, source)  # YAML's flow style also starts with a brace
    errors: list[FieldError] = []
    data = _without_pairs(pairs, "", errors)
    if errors:
        raise InvalidConfigurationError(errors, source)
    return data


def _without_pairs(value: Any, path: str, errors: list[FieldError]) -> Any:
    if isinstance(value, _Object):
        data: Data = {}
        for key, member in value:
            place = child(path, key)
            if key in data:
                errors.append(_repeated(place))
            data[key] = _without_pairs(member, place, errors)
        return data
    if isinstance(value, list):
        return [_without_pairs(each, f"{path}[{index}]", errors) for index, each in enumerate(value)]
    return value


def _read_yaml(text: str | bytes, source: str | None) -> Any:
    loader = None
    try:
        check_limits(text)
        loader = KubernetesLoader(text)
        node = _only_document(loader, source)
        errors: list[FieldError] = []
        _check_node(node, "", errors, ())
        if errors:
            raise InvalidConfigurationError(errors, source)
        return loader.construct_document(node) if node is not None else None
    except (yaml.YAMLError, UnicodeDecodeError, ValueError) as error:
        raise ConfigError(f"not valid YAML: {_in_one_line(error)}", source=source) from error
    finally:
        if loader is not None:
            loader.dispose()


def _only_document(loader: KubernetesLoader, source: str | None) -> yaml.Node | None:
    """The first document; only empty ones may follow, for what stands in others would have no effect."""
    first = loader.get_node() if loader.check_node() else None
    while loader.check_node():
        further = loader.get_node()
        if further is not None and further.tag != "tag:yaml.org,2002:null":
            line = further.start_mark.line + 1
            fault = f"line {line}: a second document begins, and only one is allowed in a file"
            raise ConfigError(fault, source=source)
    return first


def _in_one_line(error: Exception) -> str:
    if isinstance(error, yaml.MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"line {mark.line + 1}, column {mark.column + 1}: {error.problem}"
    return " ".join(str(error).split())


def _check_node(node: yaml.Node | None, path: str, errors: list[FieldError], above: tuple[int, ...]) -> None:
    """Find duplicate keys, keys that are not text, and aliases that contain themselves."""
    if id(node) in above:
        errors.append(FieldError(path, "the alias contains itself"))
        return
    above = (*above, id(node))
    if isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _check_node(item, f"{path}[{index}]", errors, above)
    elif isinstance(node, yaml.MappingNode):
        _check_mapping(node, path, errors, above)


def _check_mapping(
    node: yaml.MappingNode, path: str, errors: list[FieldError], above: tuple[int, ...]
) -> None:
    seen: set[str] = set()
    for key, value in node.value:
        place = child(path, str(key.value) if isinstance(key, yaml.ScalarNode) else "?")
        if key.tag == "tag:yaml.org,2002:merge":
            place = path
        elif key.tag != "tag:yaml.org,2002:str":
            errors.append(FieldError(place, "the key must be a string"))
        elif key.value in seen:
            errors.append(_repeated(place, key.start_mark.line + 1))
        seen.add(str(key.value))
        _check_node(value, place, errors, above)


def _repeated(path: str, line: int | None = None) -> FieldError:
    found = duplicate(path, FieldRef(path.rpartition(".")[2]))
    where = f" (again in line {line})" if line else ""
    return FieldError(path, f"{found.body}: the key is given twice{where}")


def child(path: str, name: str) -> str:
    """The path of a member: ``profiles[0]`` and ``plugins`` make ``profiles[0].plugins``."""
    return f"{path}.{name}" if path else name
