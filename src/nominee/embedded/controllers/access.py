"""The cluster as controllers see it: reads from the store, writes through the verbs."""

from __future__ import annotations

from collections.abc import Iterator

from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.clock import Clock
from nominee.embedded.controllers.events import EventRecorder
from nominee.embedded.controllers.owned import Owned
from nominee.embedded.controllers.placed import Placed
from nominee.embedded.controllers.selecting import Selectors
from nominee.errors import NotFound
from nominee.model.timestamps import format_time
from nominee.store.ports import Change, JsonObject, Stored

MANAGER = "kube-controller-manager"

ADOPTABLE = ("pods", "replicasets.apps", "controllerrevisions.apps")


class Access:
    """What all controllers share.

    `owned` answers who owns what, `placed` which pods are on a node; whoever makes an Access sees to it
    that it hears of every change.
    """

    def __init__(self, rest: Rest, clock: Clock) -> None:
        self.rest = rest
        self.clock = clock
        self.owned = Owned(ADOPTABLE)
        self.placed = Placed()
        self.selectors = Selectors()
        self._store = rest.store

    def recorder(self, component: str) -> EventRecorder:
        """What a controller tells people with."""
        return EventRecorder(self.rest, self.clock, component)

    def now(self) -> float:
        """Seconds since the epoch."""
        return self.clock.now()

    def timestamp(self) -> str:
        """The time as objects have it."""
        return format_time(self.clock.now())

    def hear(self, change: Change) -> None:
        """Take a write in."""
        self.owned.apply(change)
        if change.stored.resource == "pods":
            self.placed.apply(change)

    # -- reading ------------------------------------------------------------------------------------

    def get(self, resource: str, key: str) -> JsonObject | None:
        """An object as it is now, or None; not to be changed."""
        stored = self._store.get(resource, key)
        return None if stored is None else stored.object

    def objects(self, resource: str, namespace: str = "") -> Iterator[JsonObject]:
        """All objects of a resource, or of one namespace; not to be changed."""
        return (stored.object for stored in self._store.list(resource, namespace))

    def controlled(self, resource: str, owner: JsonObject) -> list[JsonObject]:
        """What an object is in charge of, by age and name."""
        found = self.owned.controlled(resource, owner["metadata"]["uid"])
        return [stored.object for stored in found]

    # -- writing ------------------------------------------------------------------------------------

    def create(self, resource: str, namespace: str, item: JsonObject) -> JsonObject:
        """Create an object; raises what the server refuses it with."""
        return self.rest.create(resource, namespace, item, self.rest.context(MANAGER)).object

    def update(self, resource: str, item: JsonObject) -> JsonObject:
        """Replace an object, if nobody has written since this one was read."""
        return self.rest.update(resource, key_of(item), item, self.rest.context(MANAGER)).object

    def update_status(self, resource: str, item: JsonObject) -> JsonObject:
        """Replace the status of an object, if nobody has written since this one was read."""
        return self.rest.update(resource, key_of(item), item, self.rest.context(MANAGER), "status").object

    def delete(self, resource: str, key: str, options: DeleteOptions | None = None) -> Stored | None:
        """Delete an object; None if it is not there any more."""
        try:
            return self.rest.delete(resource, key, options or DeleteOptions(), self.rest.context(MANAGER))
        except NotFound:
            return None


def key_of(item: JsonObject) -> str:
    """Where an object is stored."""
    metadata = item["metadata"]
    namespace = metadata.get("namespace")
    return f"{namespace}/{metadata['name']}" if namespace else metadata["name"]
