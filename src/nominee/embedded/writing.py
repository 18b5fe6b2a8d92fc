"""Carries out what simulated components want written, through the verbs."""

from __future__ import annotations

from collections.abc import Iterable

from nominee.driver.simulated.writes import Create, Delete, Tell, Tree, Update, Write, key_of
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.events import Subject
from nominee.store.ports import JsonObject


class Desk:
    """Reads and writes objects by their kinds, on behalf of one component."""

    def __init__(self, access: Access, component: str) -> None:
        self._access = access
        self._recorder = access.recorder(component)
        self._resources: dict[str, tuple[str, str]] = {}

    def _served(self, kind: str) -> tuple[str, str]:
        """The storage name and the apiVersion of a kind."""
        if kind not in self._resources:
            for each in self._access.rest.registry:
                names = each.names
                self._resources.setdefault(names.kind, (names.resource, names.api_version))
        return self._resources[kind]

    def get(self, kind: str, key: str) -> Tree | None:
        """The object as it is now, not to be changed."""
        return self._access.get(self._served(kind)[0], key)

    def list(self, kind: str) -> Iterable[Tree]:
        """All of a kind, not to be changed."""
        return self._access.objects(self._served(kind)[0])

    def carry_out(self, writes: Iterable[Write]) -> None:
        """One after the other; raises what the server refuses the first one with."""
        for write in writes:
            self._carry_out(write)

    def _carry_out(self, write: Write) -> None:
        if isinstance(write, Tell):
            subject = Subject(self._served(write.kind)[1], write.kind)
            tell = self._recorder.warning if write.warning else self._recorder.normal
            tell(subject, write.item, write.reason, write.message)
            return
        resource, _ = self._served(write.kind)
        if isinstance(write, Create):
            namespace = write.item["metadata"].get("namespace", "")
            self._access.create(resource, namespace, write.item)
        elif isinstance(write, Delete):
            self._access.delete(resource, write.key)
        else:
            self._update(resource, write)

    def _update(self, resource: str, write: Update) -> None:
        """The object, and then its status: to clients these are two."""
        item = write.item
        before = self._access.get(resource, key_of(item)) or {}
        if _without_status(item) != _without_status(before):
            written = self._access.update(resource, item)
            item = {**written, "status": item.get("status") or {}}
        if (item.get("status") or {}) != (before.get("status") or {}):
            self._access.update_status(resource, item)


def _without_status(item: JsonObject) -> JsonObject:
    return {name: value for name, value in item.items() if name != "status"}
