"""What a plugin of admission is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.status import forbidden
from nominee.errors import ApiError

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest


@dataclass(frozen=True, slots=True)
class Request:
    """A write on its way: `old` is None for a new object; of a deletion, `item` is what goes."""

    rest: Rest
    kind: Kind
    item: JsonObject
    old: JsonObject | None
    context: Context
    operation: str

    def forbidden(self, why: str) -> ApiError:
        """403 with the name of the object, or with the one it would be generated from.

        Reproduces NewForbidden of apiserver/pkg/admission/errors.go, v1.37.
        """
        metadata = self.item["metadata"]
        name = metadata.get("name") or metadata.get("generateName") or "Unknown"
        return forbidden(self.kind.names.resource, name, why)


Function = Callable[[Request], None]


@dataclass(frozen=True, slots=True)
class Plugin:
    """One plugin by upstream's name: the operations and resources ("" is any) that it looks at."""

    name: str
    function: Function
    operations: tuple[str, ...]
    resources: tuple[str, ...] = ("",)

    def handles(self, resource: str, operation: str) -> bool:
        """Whether it has anything to say about such a request."""
        return operation in self.operations and ("" in self.resources or resource in self.resources)
