"""From a path and a method to the verb that answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from nominee.apiserver.http import patching, reading, subresources, writing
from nominee.apiserver.http.accept import Form, negotiate
from nominee.apiserver.http.call import Call, check_place
from nominee.apiserver.http.message import Answer, Request, Stream
from nominee.apiserver.http.parameters import truth
from nominee.apiserver.http.place import Place
from nominee.apiserver.http.watching import Watcher
from nominee.apiserver.registry import no_such_resource
from nominee.apiserver.rest import Rest

_OF_OBJECTS: dict[str, tuple[str, Callable[[Call], Answer]]] = {
    "GET": ("get", reading.get),
    "PUT": ("update", writing.update),
    "PATCH": ("patch", patching.patch),
    "DELETE": ("delete", writing.delete),
}
_OF_COLLECTIONS: dict[str, tuple[str, Callable[[Call], Answer]]] = {
    "GET": ("list", reading.list_),
    "POST": ("create", writing.create),
    "DELETE": ("deletecollection", writing.delete_collection),
}
_IN_A_NAMESPACE = ("create", "deletecollection")
"""What is done to one collection at a time: not to those of all namespaces at once."""


class Resources:
    """Answers for everything that the registry knows. `now` is a clock that only runs forward."""

    def __init__(self, rest: Rest, now: Callable[[], float]) -> None:
        self._rest = rest
        self._now = now

    def answer(self, request: Request, place: Place) -> Answer | Stream:
        """Answer a request for an object or a collection."""
        kind = self._rest.registry.at(place.group, place.version, place.plural)
        if kind is None:
            if (place.api_version, place.plural) == ("v1", "bindings") and request.method == "POST":
                return self._old_binding(request, place)
            raise no_such_resource()
        check_place(place, kind)
        call = Call(request, place, kind, _form(request), self._rest)
        if place.subresource:
            return subresources.method_of(call)(call)
        return self._verb(call)

    def _verb(self, call: Call) -> Answer | Stream:
        request, place = call.request, call.place
        if request.method == "GET" and (place.watching or (not place.name and truth(request, "watch"))):
            return self._watch(call)
        table = _OF_OBJECTS if place.name else _OF_COLLECTIONS
        verb, function = table.get(request.method, ("", None))
        across = call.kind.names.namespaced and not place.namespace
        misplaced = place.watching or (across and verb in _IN_A_NAMESPACE)
        if function is None or verb not in call.kind.verbs or misplaced:
            raise subresources.not_allowed()
        return function(call)

    def _watch(self, call: Call) -> Stream:
        if "watch" not in call.kind.verbs:
            raise subresources.not_allowed()
        return Watcher(call, self._now).stream()

    def _old_binding(self, request: Request, place: Place) -> Answer | Stream:
        """POST …/bindings, the way in which the first schedulers bound."""
        kind = self._rest.registry.kind("pods")
        name = writing.bound_name(request)
        to = replace(place, plural="pods", name=name, subresource="binding")
        check_place(to, kind)
        call = Call(request, to, kind, _form(request), self._rest)
        return subresources.method_of(call)(call)


def _form(request: Request) -> Form:
    return negotiate(request.headers.get("accept", ""))
