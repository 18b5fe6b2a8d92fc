"""JSON patch (RFC 6902), with the limits and corners that it has in Kubernetes.

apiserver/pkg/endpoints/handlers/patch.go (v1.37) over github.com/evanphx/json-patch v4.13.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import orjson

from nominee.apiserver.patches import json_pointer as pointers
from nominee.apiserver.patches.json_pointer import PatchError
from nominee.apiserver.patches.refusals import bad_request, too_large, unprocessable
from nominee.apiserver.schema.go_values import json_kind, same
from nominee.errors import ApiError

MAX_OPERATIONS = 10_000
MAX_COPIED_BYTES = 3 * 1024 * 1024

_Operation = Mapping[str, Any]


def json_patch(item: dict[str, Any], patch: Any) -> Any:
    """`item` after the operations of a patch; what comes out need not be an object.

    Raises 400 for what is no patch, 413 for too many operations, 422 for one that does not apply.
    """
    if patch is None:
        return item
    _check_form(patch)
    copies = _Copies()
    document: Any = item
    try:
        for operation in patch:
            document = _apply(document, operation, copies)
        orjson.dumps(document)
    except PatchError as error:
        raise unprocessable() from error
    except orjson.JSONEncodeError as error:
        raise unprocessable() from error
    return document


def _check_form(patch: Any) -> None:
    if not isinstance(patch, list):
        raise _malformed(patch, "value of type []handlers.jsonPatchOp")
    for operation in patch:
        if not isinstance(operation, dict) and operation is not None:
            raise _malformed(operation, "value of type handlers.jsonPatchOp")
        for field in ("op", "path", "from"):
            value = (operation or {}).get(field)
            if not isinstance(value, str) and value is not None:
                raise _malformed(value, f"struct field jsonPatchOp.{field} of type string")
    if len(patch) > MAX_OPERATIONS:
        raise too_large(
            f"The allowed maximum operations in a JSON patch is {MAX_OPERATIONS}, got {len(patch)}"
        )


def _malformed(value: Any, into: str) -> ApiError:
    return bad_request(f"error decoding patch: json: cannot unmarshal {json_kind(value)} into Go {into}")


class _Copies:
    """How much `copy` has added: a patch of few bytes could else ask for a document of any size."""

    def __init__(self) -> None:
        self.bytes = 0

    def count(self, value: Any) -> None:
        self.bytes += len(orjson.dumps(value)) if value is not None else 0
        if self.bytes > MAX_COPIED_BYTES:
            raise PatchError(
                "Unable to complete the copy, the accumulated size increase of copy is "
                f"{self.bytes}, exceeding the limit {MAX_COPIED_BYTES}"
            )


def _apply(document: Any, operation: _Operation | None, copies: _Copies) -> Any:
    operation = operation or {}
    kind = operation.get("op")
    if kind == "copy":
        return _copy(document, operation, copies)
    verb = _VERBS.get(kind) if isinstance(kind, str) else None
    if verb is None:
        raise PatchError(f"Unexpected kind: {kind if isinstance(kind, str) else 'unknown'}")
    return verb(document, operation)


def _text(operation: _Operation, field: str) -> str:
    value = operation.get(field)
    if not isinstance(value, str):
        raise PatchError(f"{operation['op']} operation failed to decode {field}: missing value")
    return value


def _held(document: Any, pointer: str, complaint: str) -> tuple[list[str], Any]:
    """The steps to a value and what holds it."""
    steps = pointers.steps_of(pointer)
    container = pointers.container_of(document, steps)
    if steps is None or container is None:
        raise PatchError(f"{complaint}: {pointer}: missing value")
    return steps, container


def _add(document: Any, operation: _Operation) -> Any:
    path = _text(operation, "path")
    steps, _ = _held(document, path, "add operation does not apply: doc is missing path")
    return _added(document, steps, operation.get("value"))


def _added(document: Any, steps: list[str], value: Any) -> Any:
    return pointers.changed(document, steps, lambda there, step: pointers.add(there, step, value))


def _remove(document: Any, operation: _Operation) -> Any:
    path = _text(operation, "path")
    steps, _ = _held(document, path, "remove operation does not apply: doc is missing path")
    return pointers.changed(document, steps, pointers.remove)


def _replace(document: Any, operation: _Operation) -> Any:
    path = _text(operation, "path")
    value = operation.get("value")
    if path == "":
        if not isinstance(value, dict | list):
            raise PatchError("replace operation value must be object or array")
        return value
    steps, container = _held(document, path, "replace operation does not apply: doc is missing path")
    pointers.read(container, steps[-1])
    return pointers.changed(document, steps, lambda there, step: pointers.replace(there, step, value))


def _move(document: Any, operation: _Operation) -> Any:
    source = _text(operation, "from")
    steps, container = _held(document, source, "move operation does not apply: doc is missing from path")
    value = pointers.read(container, steps[-1])
    without = pointers.changed(document, steps, pointers.remove)
    target = _text(operation, "path")
    steps, _ = _held(without, target, "move operation does not apply: doc is missing destination path")
    return _added(without, steps, value)


def _copy(document: Any, operation: _Operation, copies: _Copies) -> Any:
    source = _text(operation, "from")
    steps, container = _held(document, source, "copy operation does not apply: doc is missing from path")
    value = pointers.read(container, steps[-1])
    target = _text(operation, "path")
    steps, _ = _held(document, target, "copy operation does not apply: doc is missing destination path")
    copies.count(value)
    return _added(document, steps, value)


def _test(document: Any, operation: _Operation) -> Any:
    path = _text(operation, "path")
    if path == "":
        found = document
    else:
        steps, container = _held(document, path, "test operation does not apply: is missing path")
        found = pointers.read(container, steps[-1])
    if not same(found, operation.get("value")):
        raise PatchError(f"testing value {path} failed: test failed")
    return document


_VERBS: Mapping[str, Callable[[Any, _Operation], Any]] = {
    "add": _add,
    "remove": _remove,
    "replace": _replace,
    "move": _move,
    "test": _test,
}
