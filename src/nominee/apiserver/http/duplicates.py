"""Fields that a JSON body names twice: the last one counts, and the client should hear of it."""

from __future__ import annotations

import json
from typing import Any

import orjson

from nominee.apiserver.http.body import media_type
from nominee.apiserver.http.message import Request
from nominee.apiserver.kind import JsonObject


def duplicate_fields(request: Request, item: JsonObject) -> list[str]:
    """`duplicate field "spec.x"` for each of them.

    A tree that was read has lost them: if it has as many keys as the body, there are none. Counting
    what ends a key, in both as bytes, finds that out almost for free; only if it does not, the body is
    read once more, by a reader that sees every key.
    """
    if media_type(request) not in ("", "application/json"):
        return []
    if request.body.count(b'":') == orjson.dumps(item).count(b'":'):
        return []
    found: list[str] = []
    try:
        _find(json.loads(request.body, object_pairs_hook=_Pairs), "", found)
    except (ValueError, RecursionError):
        return []
    return found


class _Pairs(list[tuple[str, Any]]):
    """The members of an object, as they stand there."""


def _find(node: Any, path: str, found: list[str]) -> None:
    if isinstance(node, _Pairs):
        seen = set()
        for name, value in node:
            place = f"{path}.{name}" if path else name
            if name in seen:
                found.append(f'duplicate field "{place}"')
            seen.add(name)
            _find(value, place, found)
    elif isinstance(node, list):
        for row, value in enumerate(node):
            _find(value, f"{path}[{row}]", found)
