"""One request to a resource, with all that is known of it before anything is done."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from nominee.apiserver.http.accept import Form
from nominee.apiserver.http.message import Request
from nominee.apiserver.http.place import Place
from nominee.apiserver.kind import JsonObject, Kind
from nominee.apiserver.registry import no_such_resource
from nominee.apiserver.rest import Rest
from nominee.apiserver.rest.metadata import key_of
from nominee.apiserver.status import bad_request
from nominee.store.ports import Stored


@dataclass(frozen=True, slots=True)
class Call:
    """A request, the kind behind its path, and the form of the answer."""

    request: Request
    place: Place
    kind: Kind
    form: Form
    rest: Rest

    @property
    def resource(self) -> str:
        return self.kind.names.resource

    @property
    def key(self) -> str:
        return key_of(self.place.namespace, self.place.name)

    @property
    def plain(self) -> bool:
        """Whether all objects are served as they are stored; those of a changed definition may differ."""
        return self.place.api_version == self.kind.names.api_version and not self.kind.custom

    def shown(self, item: JsonObject) -> JsonObject:
        """A stored object in the version that was asked for."""
        if item["apiVersion"] == self.place.api_version:
            return item
        return self.kind.to_version(item, self.place.api_version)

    def json_of(self, stored: Stored) -> bytes:
        """The same as bytes."""
        return stored.json if self.plain else self._other_json(stored)

    def _other_json(self, stored: Stored) -> bytes:
        item = self.shown(stored.object)
        return stored.json if item is stored.object else orjson.dumps(item)


def check_place(place: Place, kind: Kind) -> None:
    """A path has a namespace where its kind has them, and a name that can be one.

    apimachinery/pkg/api/validation/path/name.go, v1.37.
    """
    if place.namespace and not kind.names.namespaced:
        raise no_such_resource()
    if place.name and kind.names.namespaced and not place.namespace:
        raise no_such_resource()
    for name in (place.name, place.namespace):
        if name in (".", ".."):
            raise bad_request(f"Name parameter invalid: \"{name}\": may not be '{name}'")
        if "%" in name:
            raise bad_request(f"Name parameter invalid: \"{name}\": may not contain '%'")
