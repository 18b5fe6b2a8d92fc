"""Strict decoding: every unknown field and every wrong type is an error that says where.

All errors of a file are collected. Unlike Go's, the check knows the path of each field,
the value found there and what is allowed. Names are case-sensitive.
"""

from __future__ import annotations

import base64
import binascii
import math
import types
from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Union, get_args, get_origin

from msgspec import NODEFAULT, Meta, Struct, structs

from nominee.config.duration import Duration
from nominee.config.field import FieldError, InvalidConfigurationError, invalid, not_supported, required
from nominee.config.plugin_args import ARGS_OF_PLUGIN
from nominee.config.read import Data, child, read_text
from nominee.config.types import API_VERSION, KIND, Configuration, PluginConfig
from nominee.errors import ConfigError

Errors = list[FieldError]


def decode(
    origin: str | Path | bytes | Data, *, source: str | None = None, require_kind: bool = True
) -> Configuration:
    """Decode a file (str or Path), its text (bytes) or its data (dict); defaults are not merged yet."""
    if isinstance(origin, str | Path):
        source = source or str(origin)
        data = read_text(_read_file(origin), source)
    else:
        data = read_text(origin, source) if isinstance(origin, bytes) else origin
    errors: Errors = []
    _check_kind(data, errors, require_kind=require_kind)
    body = {key: value for key, value in data.items() if key not in {"apiVersion", "kind"}}
    configuration = _decode_struct(Configuration, body, "", errors)
    if errors:
        raise InvalidConfigurationError(errors, source)
    return configuration  # type: ignore[no-any-return]


def _read_file(path: str | Path) -> bytes:
    if path == "":
        raise ConfigError("the name of the configuration file is empty")
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise ConfigError(f"cannot be read: {error.strerror or error}", source=str(path)) from error


def _check_kind(data: Data, errors: Errors, *, require_kind: bool) -> None:
    for name, allowed in (("apiVersion", API_VERSION), ("kind", KIND)):
        found = data.get(name)
        if found is None or found == "":
            if require_kind:
                errors.append(required(name, f'must be "{allowed}"'))
        elif found != allowed:
            errors.append(not_supported(name, found, [allowed]))


def _decode_struct(kind: type[Struct], data: Any, path: str, errors: Errors) -> Any:
    if not isinstance(data, dict):
        errors.append(invalid(path, data, "must be an object"))
        return None
    known = _members(kind)
    found = len(errors)
    values = {each.name: _ZERO[_unwrap(each.type)[0]] for each in known.values() if _is_needed(each)}
    for key, value in data.items():
        info = known.get(key)
        if info is None:
            errors.append(_unknown(child(path, str(key)), str(key), known))
        elif value is not None:
            values[info.name] = _decode_value(info.type, value, child(path, key), errors)
    if kind is PluginConfig:
        values["args"] = _decode_args(values["name"], data.get("args"), child(path, "args"), errors)
    # What was wrong is reported; the struct is built only of sound parts.
    return kind(**values) if len(errors) == found else None


@cache
def _members(kind: type[Struct]) -> dict[str, structs.FieldInfo]:
    return {info.encode_name: info for info in structs.fields(kind)}


def _is_needed(info: structs.FieldInfo) -> bool:
    return info.default is NODEFAULT and info.default_factory is NODEFAULT


def _unknown(path: str, name: str, known: dict[str, Any]) -> FieldError:
    by_lower_case = {each.lower(): each for each in known}
    close = get_close_matches(name.lower(), by_lower_case, n=1)
    hint = f'did you mean "{by_lower_case[close[0]]}"?' if close else f"known fields: {', '.join(known)}"
    return FieldError(path, f'unknown field "{name}": {hint}')


def _decode_args(plugin: Any, raw: Any, path: str, errors: Errors) -> Any:
    """Args of in-tree plugins become their struct; those of others stay as they are."""
    kind = ARGS_OF_PLUGIN.get(plugin) if isinstance(plugin, str) else None
    if kind is None or raw is None:
        if raw is not None and not isinstance(raw, dict):
            errors.append(invalid(path, raw, "must be an object"))
        return raw
    if not isinstance(raw, dict):
        errors.append(invalid(path, raw, "has to match plugin args"))
        return None
    for name, allowed in (("apiVersion", API_VERSION), ("kind", kind.__name__)):
        if raw.get(name) not in (None, "", allowed):
            errors.append(not_supported(child(path, name), raw[name], [allowed]))
    body = {key: value for key, value in raw.items() if key not in {"apiVersion", "kind"}}
    return _decode_struct(kind, body, path, errors)


def _decode_value(kind: Any, value: Any, path: str, errors: Errors) -> Any:
    kind, limits = _unwrap(kind)
    origin = get_origin(kind)
    if origin is tuple:
        return _decode_list(get_args(kind)[0], value, path, errors)
    if origin is dict:
        return _decode_map(get_args(kind)[1], value, path, errors)
    if kind in _SCALARS:
        return _decode_scalar(kind, limits, value, path, errors)
    if isinstance(kind, type) and issubclass(kind, Struct):
        return _decode_struct(kind, value, path, errors)
    return value


def _unwrap(kind: Any) -> tuple[Any, Meta | None]:
    """The type that stands behind ``X | None`` and ``Annotated[X, Meta(...)]``."""
    if get_origin(kind) in (Union, types.UnionType):
        kinds = [each for each in get_args(kind) if each is not type(None)]
        return _unwrap(kinds[0]) if len(kinds) == 1 else (None, None)
    if get_origin(kind) is Annotated:
        bare, *notes = get_args(kind)
        return bare, next((note for note in notes if isinstance(note, Meta)), None)
    return kind, None


def _decode_list(kind: Any, value: Any, path: str, errors: Errors) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        errors.append(invalid(path, value, "must be a list"))
        return ()
    items = (_decode_item(kind, each, f"{path}[{index}]", errors) for index, each in enumerate(value))
    return tuple(items)


def _decode_item(kind: Any, value: Any, path: str, errors: Errors) -> Any:
    if value is None:
        errors.append(invalid(path, None, "must not be null"))
        return None
    return _decode_value(kind, value, path, errors)


def _decode_map(kind: Any, value: Any, path: str, errors: Errors) -> dict[str, Any]:
    if not isinstance(value, dict):
        errors.append(invalid(path, value, "must be an object"))
        return {}
    return {key: _decode_item(kind, each, child(path, str(key)), errors) for key, each in value.items()}


def _decode_scalar(kind: Any, limits: Meta | None, value: Any, path: str, errors: Errors) -> Any:
    try:
        decoded = _SCALARS[kind](value)
    except (TypeError, ValueError) as error:
        errors.append(invalid(path, value, str(error)))
        return None
    if limits is not None and (fault := _beyond(limits, decoded, path)):
        errors.append(fault)
    return decoded


def _beyond(limits: Meta, value: Any, path: str) -> FieldError | None:
    if limits.min_length is not None:
        return None if len(value) >= limits.min_length else required(path)
    if limits.ge <= value <= limits.le:
        return None
    bits = 32 if limits.le == 2**31 - 1 else 64
    return invalid(path, value, f"must be an integer of {bits} bits")


def _integer(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("must be an integer")
    return value


def _number(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise TypeError("must be a number")
    return float(value)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("must be a string")
    return value


def _duration(value: Any) -> Duration:
    if not isinstance(value, str):
        raise TypeError('must be a duration such as "15s" or "1m30s"')
    return Duration.parse(value)


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(_string(value), validate=True)
    except binascii.Error as error:
        raise ValueError("must be base64 text") from error


_SCALARS: dict[Any, Callable[[Any], Any]] = {
    bool: _boolean,
    bytes: _bytes,
    Duration: _duration,
    float: _number,
    int: _integer,
    str: _string,
}
_ZERO: dict[Any, Any] = {str: "", int: 0}
