"""Bodies of requests: JSON or YAML into a tree.

apimachinery/pkg/runtime/serializer/json/json.go and apiserver/pkg/endpoints/handlers/negotiation, v1.37.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from typing import Any

import orjson
import yaml

from nominee.apiserver.http.json_syntax import syntax_fault
from nominee.apiserver.http.message import Request
from nominee.apiserver.protobuf.body import read_protobuf
from nominee.apiserver.protobuf.envelope import MEDIA_TYPE
from nominee.apiserver.protobuf.wire import BrokenError
from nominee.apiserver.status import bad_request, refusal
from nominee.errors import ApiError
from nominee.model.kubernetes_yaml import KubernetesLoader

_JSON = frozenset(("", "application/json"))
_YAML = frozenset(("application/yaml", "application/x-yaml", "text/yaml"))
_DEEPEST = 200
_NODES = 10_000
_DIGITS = 19


class NotReadableError(Exception):
    """The body is no JSON, or no YAML; the words are for the client."""


class _Loader(KubernetesLoader):
    """Reads a value with a tag that nobody knows as if it had none."""

    def __init__(self, body: bytes) -> None:
        super().__init__(body)
        self._left = _NODES + len(body)

    def flatten_mapping(self, node: yaml.MappingNode) -> None:
        """Follow `<<`, which a few lines can make grow without end."""
        super().flatten_mapping(node)
        self._left -= len(node.value)
        if self._left < 0:
            raise _too_bushy()


def _untagged(loader: yaml.SafeLoader, _: str, node: yaml.Node) -> Any:
    """A value with a tag that nobody knows, as if it had none."""
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    return loader.construct_scalar(node)  # type: ignore[arg-type]  # there is no further kind of node


_Loader.add_multi_constructor("", _untagged)


def too_large() -> ApiError:
    """413: the body is more than the server takes."""
    return refusal(413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728")


def media_type(request: Request) -> str:
    """The content type, without its parameters."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def unsupported(*accepted: str) -> ApiError:
    """415: this content type is not read here."""
    listed = ", ".join(accepted or ("application/json", "application/yaml", MEDIA_TYPE))
    return refusal(
        415,
        "UnsupportedMediaType",
        f"the body of the request was in an unknown format - accepted media types include: {listed}",
    )


def read_tree(request: Request) -> Any:
    """What the body says, in whichever of the two languages; raises `NotReadableError` or 415."""
    media = media_type(request)
    if not media and request.headers.get("content-type"):
        raise unsupported()
    if media in _JSON:
        return read_json(request.body)
    if media in _YAML:
        return read_yaml(request.body)
    if media == MEDIA_TYPE:
        return _read_protobuf(request.body)
    raise unsupported()


def _read_protobuf(body: bytes) -> Any:
    try:
        tree = read_protobuf(body)
    except BrokenError as error:
        raise NotReadableError(str(error)) from None
    if tree is None:
        raise unsupported()
    return tree


def read_json(body: bytes) -> Any:
    """JSON, not nested deeper than anybody nests."""
    try:
        tree = orjson.loads(body)
    except orjson.JSONDecodeError:
        tree = _leniently(body)
    if body.count(b"[") + body.count(b"{") > _DEEPEST:
        check_depth(tree)
    return tree


def _leniently(body: bytes) -> Any:
    """JSON as Go reads it: what is no character of Unicode becomes U+FFFD. Others tell what is wrong."""
    if fault := syntax_fault(body):
        raise NotReadableError(fault)
    try:
        tree = json.loads(body.decode("utf-8", "replace"), parse_float=_finite, parse_int=_whole)
    except (ValueError, RecursionError):
        raise NotReadableError("exceeded max depth") from None
    text = json.dumps(tree, ensure_ascii=False).encode("utf-16", "surrogatepass")
    return orjson.loads(text.decode("utf-16", "replace"))


def _whole(text: str) -> int | float:
    """A whole number; one that no integer has room for is none."""
    return int(text) if len(text) < _DIGITS else _finite(text)


def _finite(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise NotReadableError(f"json: cannot unmarshal number {text} into Go value of type float64")
    return number


def read_yaml(body: bytes) -> Any:
    """The first YAML document, which says no more than JSON could."""
    return _jsonlike(_loaded(body), _Budget(_NODES + len(body)))


def _loaded(body: bytes) -> Any:
    try:
        _check_nesting(body)
        loader = _Loader(body)
        return loader.get_data() if loader.check_data() else {}  # type: ignore[no-untyped-call]
    except yaml.MarkedYAMLError as error:
        raise NotReadableError(f"yaml: {_line(error)}{error.problem}") from None
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        raise NotReadableError(f"yaml: {' '.join(str(error).split())}") from None


def _check_nesting(body: bytes) -> None:
    """Refuse what is too deep before it is composed: that is done in C, where depth ends the process."""
    depth, loader = 0, _Loader(body)
    while loader.check_event():
        event = loader.get_event()
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentEndEvent):
            return
        if depth > _DEEPEST:
            raise bad_request("exceeded max depth")


def _line(error: yaml.MarkedYAMLError) -> str:
    """Where it is, in go-yaml's way, which does not count the first line."""
    mark = error.problem_mark or error.context_mark
    return f"line {mark.line + 1}: " if mark and mark.line else ""


def _too_bushy() -> ApiError:
    return bad_request("the YAML document grows too large when its references are followed")


class _Budget:
    """How many nodes a document may have once its references are followed."""

    def __init__(self, left: int) -> None:
        self.left = left

    def spend(self) -> None:
        self.left -= 1
        if self.left < 0:
            raise _too_bushy()


def _jsonlike(tree: Any, budget: _Budget, depth: int = 0) -> Any:
    """Keys are texts in JSON, and there is nothing but texts, numbers, truth, null, lists and maps."""
    budget.spend()
    if depth > _DEEPEST:
        raise bad_request("exceeded max depth")
    if isinstance(tree, dict):
        return {_key(key): _jsonlike(value, budget, depth + 1) for key, value in tree.items()}
    if isinstance(tree, list):
        return [_jsonlike(value, budget, depth + 1) for value in tree]
    if isinstance(tree, int) and not -(2**63) <= tree < 2**64:
        return float(tree) if abs(tree) < 1 << 1000 else str(tree)
    if isinstance(tree, (str, bool, int, float)) or tree is None:
        return tree
    if isinstance(tree, (dt.date, bytes)):
        return str(tree)
    raise NotReadableError("error converting YAML to JSON: unknown type of value")


def _key(key: Any) -> str:
    if isinstance(key, bool):
        return str(key).lower()
    return key if isinstance(key, str) else str(key)


def check_depth(tree: Any) -> None:
    """Refuse what is nested deeper than can be stored."""
    level = [tree]
    for _ in range(_DEEPEST):
        level = (
            [
                child
                for node in level
                for child in (node.values() if isinstance(node, dict) else node)
                if isinstance(child, (dict, list))
            ]
            if isinstance(tree, (dict, list))
            else []
        )
        if not level:
            return
    raise bad_request("exceeded max depth")


def summary(body: bytes) -> str:
    """The beginning of a body that was not understood.

    apiserver/pkg/endpoints/handlers/rest.go, summarizeData, v1.37.
    """
    if not body:
        return "<empty>"
    start = body[:30].decode("utf-8", "replace") if body.startswith(b"{") else body[:30].hex()
    return start + (" ..." if len(body) > 30 else "")
