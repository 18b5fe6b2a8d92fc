"""What an informer has told of, so that it can tell what vanished while nobody was watching."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, Protocol, TypeVar

from nominee.model.meta import NamedObject, ObjectMeta
from nominee.model.pod import Pod

T = TypeVar("T", bound=NamedObject)


def identity(item: NamedObject) -> str:
    """What no other object of the kind will ever have."""
    return item.metadata.uid or item.key


class Known(Protocol[T]):
    """Objects by identity."""

    def put(self, item: T) -> bool:
        """Remember the object; False if it is known in this very version."""
        ...

    def take(self, ident: str) -> T | None:
        """Forget an object; the answer is its last form, or as much of it as says which one it was."""
        ...

    def __contains__(self, ident: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...


class KnownObjects(dict[str, T], Generic[T]):
    """Remembers the last form of each object; the scheduler keeps the same ones, so it costs little."""

    def put(self, item: T) -> bool:
        ident = identity(item)
        before = self.get(ident)
        self[ident] = item
        version = item.metadata.resource_version
        return before is None or not version or before.metadata.resource_version != version

    def take(self, ident: str) -> T | None:
        return self.pop(ident, None)


class KnownPods(dict[str, str]):
    """Remembers the names of pods only: the scheduler needs their specs once, and there are many."""

    def put(self, item: Pod) -> bool:
        self[identity(item)] = item.key
        return True

    def take(self, ident: str) -> Pod | None:
        key = self.pop(ident, None)
        if key is None:
            return None
        namespace, _, name = key.rpartition("/")
        return Pod(metadata=ObjectMeta(namespace=namespace, name=name, uid=ident))
