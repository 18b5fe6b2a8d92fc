"""Objects and lists of them as answers, in the form that the client wants.

apiserver/pkg/endpoints/handlers/response.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import orjson

from nominee.apiserver.http.accept import YAML
from nominee.apiserver.http.call import Call
from nominee.apiserver.http.encoding import answer_json, answer_tree, is_pretty
from nominee.apiserver.http.message import JSON, Answer
from nominee.apiserver.http.table import partial, table_of
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.status import refusal
from nominee.errors import ApiError
from nominee.store.ports import Stored

_WHOLE = 64
"""Lists up to this length are sent in one piece."""

_TYPE = ("apiVersion", "kind")


def answer_object(call: Call, stored: Stored, status: int = 200) -> Answer:
    """An answer with one object."""
    form = call.form
    if not form.kind:
        return answer_json(call.request, call.json_of(stored), form, status)
    if form.kind == "Table":
        metadata = {"resourceVersion": stored.object["metadata"].get("resourceVersion", "")}
        return answer_tree(call.request, table_of(call, [stored], metadata), form, status)
    if form.kind == "PartialObjectMetadata":
        return answer_tree(call.request, partial(stored.object, form), form, status)
    raise not_a_list()


def answer_list(call: Call, chosen: Sequence[Stored], metadata: JsonObject) -> Answer:
    """An answer with a list; `metadata` is that of the list."""
    form = call.form
    if form.kind == "Table":
        return answer_tree(call.request, table_of(call, chosen, metadata), form)
    if form.kind:
        items = [partial(stored.object, form) for stored in chosen]
        kind, api_version = "PartialObjectMetadataList", form.api_version
        tree = {"kind": kind, "apiVersion": api_version, "metadata": metadata, "items": items}
        return answer_tree(call.request, tree, form)
    if form.media == YAML or is_pretty(call.request):
        return answer_tree(call.request, _list_tree(call, chosen, metadata), form)
    return _answer_pieces(call, chosen, metadata)


def _list_tree(call: Call, chosen: Sequence[Stored], metadata: JsonObject) -> JsonObject:
    return {
        "kind": f"{call.kind.names.kind}List",
        "apiVersion": call.place.api_version,
        "metadata": metadata,
        "items": [_element(call, stored) for stored in chosen],
    }


def _element(call: Call, stored: Stored) -> JsonObject:
    """An object in a list, which says for all of them what they are; custom ones say it themselves, too."""
    item = call.shown(stored.object)
    return item if call.kind.custom else {name: item[name] for name in item if name not in _TYPE}


def _element_json(call: Call) -> Callable[[Stored], bytes]:
    """The same as bytes: most objects begin with what they are, and all but that is kept as it is."""
    if call.kind.custom:
        return call.json_of
    kind, version = f'"kind":"{call.kind.names.kind}",', f'"apiVersion":"{call.place.api_version}",'
    heads = (f"{{{version}{kind}".encode(), f"{{{kind}{version}".encode())
    length = len(heads[0])

    def element(stored: Stored) -> bytes:
        whole = call.json_of(stored)
        if whole.startswith(heads):
            return b"{" + whole[length:]
        return orjson.dumps(_element(call, stored))

    return element


def _answer_pieces(call: Call, chosen: Sequence[Stored], metadata: JsonObject) -> Answer:
    """Put together out of the bytes of the objects, which nobody encodes again."""
    head = orjson.dumps(_list_tree(call, (), metadata)).removesuffix(b"]}")
    if len(chosen) <= _WHOLE:
        return Answer(200, b"".join((head, b",".join(map(_element_json(call), chosen)), b"]}")), JSON)
    return Answer(200, head, JSON, parts=_pieces(call, chosen))


def _pieces(call: Call, chosen: Sequence[Stored]) -> Iterator[bytes]:
    element = _element_json(call)
    for start in range(0, len(chosen), _WHOLE):
        if start:
            yield b","
        yield b",".join(map(element, chosen[start : start + _WHOLE]))
    yield b"]}"


def not_a_list() -> ApiError:
    """406: one object can not be shown as a list."""
    return refusal(
        406,
        "NotAcceptable",
        "you requested PartialObjectMetadataList, but the requested object is not a list "
        "(*meta.PartialObjectMetadata)",
    )
