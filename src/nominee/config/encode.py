"""Configuration back to plain data and YAML: what ``config defaults`` prints."""

from __future__ import annotations

import base64
from typing import Any

import yaml
from msgspec import NODEFAULT, Struct
from msgspec.structs import FieldInfo, fields

from nominee.config.duration import Duration
from nominee.config.plugin_args import ARGS_OF_PLUGIN
from nominee.config.types import API_VERSION, KIND, Configuration, Plugin, PluginSet
from nominee.model.kubernetes_yaml import KubernetesDumper

_ARGS_TYPES = tuple(ARGS_OF_PLUGIN.values())


def to_yaml(configuration: Configuration) -> str:
    """The complete configuration file, every default written out."""
    return yaml.dump(configuration_data(configuration), Dumper=KubernetesDumper, sort_keys=False, width=110)


def configuration_data(configuration: Configuration) -> dict[str, Any]:
    """The configuration as the mapping a file would hold, with apiVersion and kind."""
    return {"apiVersion": API_VERSION, "kind": KIND, **to_data(configuration)}


def to_data(value: Any) -> Any:
    """Structs to mappings with API names, durations and bytes to text; unset fields are left out."""
    match value:
        case Struct():
            return _struct_data(value)
        case tuple() | list():
            return [to_data(each) for each in value]
        case dict():
            return {key: to_data(each) for key, each in value.items()}
        case Duration():
            return str(value)
        case bytes():
            return base64.b64encode(value).decode("ascii")
        case _:
            return value


def _struct_data(value: Struct) -> dict[str, Any]:
    data = {}
    if isinstance(value, _ARGS_TYPES):
        data = {"apiVersion": API_VERSION, "kind": type(value).__name__}
    for info in fields(value):
        member = getattr(value, info.name)
        if not _is_unset(value, info, member):
            data[info.encode_name] = to_data(member)
    return data


def _is_unset(owner: Struct, info: FieldInfo, member: Any) -> bool:
    """Whether leaving the field out means the same and reads better."""
    if member is None or member in ((), [], {}, b""):
        return True
    if isinstance(owner, Plugin):
        return info.name == "weight" and member == 0
    if isinstance(member, PluginSet):
        return member == PluginSet()
    return _is_foreign(owner) and info.default is not NODEFAULT and member == info.default


def _is_foreign(owner: Struct) -> bool:
    """Structs of the API model are not spelled out in full: their defaults say nothing here."""
    return not type(owner).__module__.startswith("nominee.config")
