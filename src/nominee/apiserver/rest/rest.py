"""The verbs of the API, without HTTP: what the front, the controllers and the kubelets call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.registry import Registry, no_such_resource
from nominee.apiserver.rest import creating, deleting, patching, updating
from nominee.apiserver.rest.draft import own
from nominee.apiserver.rest.identity import Identity
from nominee.apiserver.rest.metadata import metadata_of, name_of
from nominee.apiserver.rest.options import DeleteOptions, Deletion
from nominee.apiserver.rest.rules import Rules
from nominee.apiserver.status import not_found
from nominee.clock import Clock
from nominee.errors import NotFound
from nominee.model.timestamps import format_time
from nominee.store.ports import Store, Stored


class Rest:
    """Reads and writes objects by the rules of their kinds.

    `resource` is the storage name ("pods", "deployments.apps"), `key` namespace/name or the name alone.
    Refusals are `ApiError`s with the Status that a client is to see. An item that is handed in stays the
    caller's: it is copied, unless `copy=False` says that nobody else holds any part of it. A kind and
    apiVersion that are left out are filled in.
    """

    def __init__(
        self,
        store: Store,
        registry: Registry,
        *,
        clock: Clock,
        features: Mapping[str, bool] | None = None,
        rules: Rules | None = None,
        identity: Identity | None = None,
    ) -> None:
        self.store = store
        self.registry = registry
        self.clock = clock
        self.features = features or {}
        self.rules = rules or Rules()
        self.identity = identity or Identity(Random())  # noqa: S311 - names, not secrets
        self._second = (-1, "")

    def context(
        self, manager: str = "unknown", *, user: str = "system:admin", dry_run: bool = False
    ) -> Context:
        """What a request is done with that comes in now."""
        return Context(now=self._now(), manager=manager, user=user, dry_run=dry_run, features=self.features)

    def _now(self) -> str:
        second = int(self.clock.now())
        if second != self._second[0]:
            self._second = (second, format_time(second))
        return self._second[1]

    # -- reading ------------------------------------------------------------------------------------

    def get(self, resource: str, key: str) -> Stored:
        """The object, or `NotFound`."""
        stored = self.store.get(resource, key)
        if stored is None:
            raise not_found(resource, name_of(key))
        return stored

    # -- writing ------------------------------------------------------------------------------------

    def create(
        self, resource: str, namespace: str, item: JsonObject, context: Context, *, copy: bool = True
    ) -> Stored:
        """Create an object in a namespace, or "" where its kind has none."""
        kind = self.registry.kind(resource)
        return creating.create(self, kind, namespace, _typed(kind, item, copy=copy), context)

    def record(self, resource: str, namespace: str, item: JsonObject, context: Context) -> Stored:
        """Create an object that this process has made whole; it is the store's from now on."""
        return creating.record(self, self.registry.kind(resource), namespace, item, context)

    def update(
        self,
        resource: str,
        key: str,
        item: JsonObject,
        context: Context,
        subresource: str = "",
        *,
        copy: bool = True,
    ) -> Stored:
        """Replace an object, or its status; creates it where the kind allows that."""
        kind = self.registry.kind(resource)
        item = _typed(kind, item, copy=copy)
        old = self.store.get(resource, key)
        if old is None:
            return self._create_on_put(kind, key, item, context, subresource)
        return updating.update(self, kind, old, item, context, updating.Part(subresource))

    def _create_on_put(
        self, kind: Kind, key: str, item: JsonObject, context: Context, subresource: str
    ) -> Stored:
        updating.check_uid(kind.names.resource, None, metadata_of(item).get("uid"), key)
        if subresource or not kind.create_on_put:
            raise not_found(kind.names.resource, name_of(key))
        metadata_of(item).pop("resourceVersion", None)
        return creating.create(self, kind, key.rpartition("/")[0], item, context)

    def patch(  # noqa: PLR0913 - a patch is that many things
        self,
        resource: str,
        key: str,
        patch_type: str,
        patch: Any,
        context: Context,
        *,
        subresource: str = "",
        force: bool = False,
        api_version: str = "",
    ) -> Stored:
        """Change an object by a "json", "merge", "strategic" or "apply" patch; the last may create it."""
        kind = self.registry.kind(resource)
        if patch_type == "apply":
            patch = {"apiVersion": kind.names.api_version, "kind": kind.names.kind, **patch}
        change = patching.Patch(patch_type, patch, subresource, api_version, force)
        return self.patched(resource, key, change, context)[0]

    def patched(
        self, resource: str, key: str, change: patching.Patch, context: Context
    ) -> tuple[Stored, bool]:
        """Patch an object; tells whether that has created it."""
        kind = self.registry.kind(resource)
        if change.type == "apply":
            return patching.apply(self, kind, key, change, context)
        return patching.patch(self, kind, key, change, context), False

    def delete(self, resource: str, key: str, options: DeleteOptions, context: Context) -> Deletion:
        """Delete an object: at once, or after its grace and its finalizers; `.gone` tells which."""
        kind = self.registry.kind(resource)
        return deleting.delete(self, kind, self.get(resource, key), options, context)

    def delete_collection(
        self,
        resource: str,
        namespace: str,
        options: DeleteOptions,
        context: Context,
        selects: Callable[[Stored], bool] = lambda _: True,
    ) -> list[Stored]:
        """Delete all of a namespace ("": everywhere) that are selected; answers with what they were."""
        chosen = [stored for stored in self.store.list(resource, namespace) if selects(stored)]
        for stored in chosen:
            try:
                self.delete(resource, stored.key, options, context)
            except NotFound:  # it went with another of them
                continue
        return chosen

    def connect(
        self, resource: str, key: str, subresource: str, body: JsonObject, context: Context
    ) -> JsonObject:
        """A subresource that is a verb of its own: binding, eviction, scale, resize."""
        function = self.rules.connects.get((resource, subresource))
        if function is None:
            raise no_such_resource()
        return function(self, key, body, context)


def _typed(kind: Kind, item: JsonObject, *, copy: bool) -> JsonObject:
    if copy:
        item = own(item)
    item.setdefault("apiVersion", kind.names.api_version)
    item.setdefault("kind", kind.names.kind)
    return item
