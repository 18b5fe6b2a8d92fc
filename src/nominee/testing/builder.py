"""What all builders share: each call returns a new one, so a common beginning can be kept and reused."""

from __future__ import annotations

from typing import Any, Generic, Self, TypeVar

import msgspec

from nominee.model.base import RawQuantity, ResourceList
from nominee.model.meta import NamedObject, OwnerReference
from nominee.model.timestamps import format_micro_time, format_time

ObjT = TypeVar("ObjT", bound=NamedObject)


def changed(struct: Any, **fields: Any) -> Any:
    """The struct with other values in some fields."""
    return msgspec.structs.replace(struct, **fields)


def quantities(amounts: dict[str, RawQuantity]) -> ResourceList:
    """Amounts by resource; `ephemeral_storage` stands for the resource no keyword can spell."""
    return {name.replace("ephemeral_storage", "ephemeral-storage"): raw for name, raw in amounts.items()}


def written(time: float | str) -> str:
    """A time as the API writes it; seconds since the epoch are turned into one."""
    if isinstance(time, str):
        return time
    return format_time(time) if time == int(time) else format_micro_time(time)


class Builder(Generic[ObjT]):
    """An API object under construction: `obj` is the struct; no call changes a builder in place."""

    __slots__ = ("obj",)

    def __init__(self, obj: ObjT) -> None:
        self.obj = obj

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.obj.key}>"

    def build(self) -> ObjT:
        """The struct; wherever this package takes a struct it takes the builder too."""
        return self.obj

    def label(self, key: str, value: str = "") -> Self:
        return self.labels({key: value})

    def labels(self, labels: dict[str, str]) -> Self:
        """Labels besides those it has."""
        return self.meta(labels={**self.obj.metadata.labels, **labels})

    def annotation(self, key: str, value: str = "") -> Self:
        return self.meta(annotations={**self.obj.metadata.annotations, key: value})

    def uid(self, uid: str) -> Self:
        return self.meta(uid=uid)

    def created(self, time: float | str) -> Self:
        """`metadata.creationTimestamp`, in seconds since the epoch or as text."""
        return self.meta(creation_timestamp=written(time))

    def terminating(self, at: float | str = 0.0) -> Self:
        """It is being deleted, since then."""
        return self.meta(deletion_timestamp=written(at))

    def owner(
        self, kind: str, name: str, api_version: str = "apps/v1", *, controller: bool = True, uid: str = ""
    ) -> Self:
        """An owner reference, of the controller unless said otherwise."""
        owner = OwnerReference(
            api_version=api_version, kind=kind, name=name, uid=uid or f"{kind}/{name}", controller=controller
        )
        return self.meta(owner_references=(*self.obj.metadata.owner_references, owner))

    def meta(self, **fields: Any) -> Self:
        """Fields of the metadata, by their names in the struct."""
        return self.having(metadata=changed(self.obj.metadata, **fields))

    def having(self, **fields: Any) -> Self:
        """Fields of the object itself, by their names in the struct."""
        return type(self)(changed(self.obj, **fields))
