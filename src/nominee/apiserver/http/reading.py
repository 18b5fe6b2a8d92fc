"""Get and list.

apiserver/pkg/endpoints/handlers/get.go and pkg/storage/etcd3/store.go, v1.37.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from nominee.apiserver.http.call import Call
from nominee.apiserver.http.continuing import Continuation, expired, read_token
from nominee.apiserver.http.list_options import EXACT, ListOptions, list_options, too_new, version_of
from nominee.apiserver.http.message import Answer
from nominee.apiserver.http.rendering import answer_list, answer_object
from nominee.apiserver.http.selecting import Selection, selection_of
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.rest.metadata import key_of
from nominee.apiserver.status import bad_request, refusal
from nominee.errors import Expired
from nominee.store.ports import Stored

LATEST = 0
"""The version of a list that may be of any version: the latest is as good as any."""


def get(call: Call) -> Answer:
    """One object."""
    version = version_of(call.request.first("resourceVersion"))
    current = call.rest.store.version
    if version is not None and version > current:
        raise too_new(version, current)
    return answer_object(call, call.rest.get(call.resource, call.key))


def list_(call: Call) -> Answer:
    """A collection, or a page of it."""
    options = list_options(call.request, watch=False)
    selection = selection_of(call)
    if options.token:
        return _next_page(call, options, selection)
    version = _version(call, options)
    found = _found_at(call, version, selection)
    return _page(call, options, selection, found, Continuation(version, ""))


def _version(call: Call, options: ListOptions) -> int:
    current = call.rest.store.version
    if not options.version:
        return current
    if options.version > current:
        raise too_new(options.version, current)
    exactly = options.match == EXACT or (not options.match and options.limit)
    return options.version if exactly else current


def _found_at(call: Call, version: int, selection: Selection) -> Sequence[Stored]:
    store = call.rest.store
    if version == store.version:
        return found_now(call, selection)
    try:
        found = store.list_at(call.resource, call.place.namespace, version)
    except Expired:
        raise refusal(
            410,
            "Expired",
            "The resourceVersion for the provided list is too old.",
        ) from None
    return _chosen(found, selection)


def found_now(call: Call, selection: Selection) -> Sequence[Stored]:
    """What is selected of what is there."""
    namespace = call.place.namespace
    if selection.name and (namespace or not call.kind.names.namespaced):
        stored = call.rest.store.get(call.resource, key_of(namespace, selection.name))
        return _chosen([stored] if stored else [], selection)
    return _chosen(call.rest.store.list(call.resource, namespace), selection)


def _chosen(found: Sequence[Stored], selection: Selection) -> Sequence[Stored]:
    if selection.everything:
        return found
    return [stored for stored in found if selection.selects(stored)]


def _next_page(call: Call, options: ListOptions, selection: Selection) -> Answer:
    if options.version:
        raise bad_request("specifying resource version is not allowed when using continue")
    continuation = read_token(options.token)
    current = call.rest.store.version
    version = continuation.version if continuation.consistent else current
    if version > current:
        raise too_new(version, current)
    try:
        found = call.rest.store.list_at(call.resource, call.place.namespace, version)
    except Expired:
        raise expired(continuation) from None
    place = Continuation(version, continuation.after)
    return _page(call, options, selection, _chosen(found, selection), place)


def _page(
    call: Call, options: ListOptions, selection: Selection, found: Sequence[Stored], place: Continuation
) -> Answer:
    start = bisect_right(found, place.after, key=lambda stored: stored.key) if place.after else 0
    metadata: JsonObject = {"resourceVersion": str(place.version)}
    if not start and (not options.limit or len(found) <= options.limit):
        return answer_list(call, found, metadata)
    end = start + options.limit if options.limit else len(found)
    if end < len(found):
        metadata["continue"] = Continuation(place.version, found[end - 1].key).token()
        if selection.everything:
            metadata["remainingItemCount"] = len(found) - end
    return answer_list(call, found[start:end], metadata)
