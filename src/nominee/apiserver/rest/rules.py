"""What the verbs ask others for: admission, metadata, types, patches and managed fields.

`Rest` knows the order in which these are asked; `apiserver.assembly` knows who answers. So the verbs can
be tested, and used, without any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.status import FieldError

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest


@dataclass(frozen=True, slots=True)
class Writer:
    """Who writes, what part, when (if told), in which version: what an entry of managedFields says."""

    manager: str
    subresource: str
    now: str | None
    api_version: str


class Mutate(Protocol):
    """Mutating admission: changes `item` in place; `old` is None for a new one."""

    def __call__(
        self, rest: Rest, kind: Kind, item: JsonObject, old: JsonObject | None, context: Context, /
    ) -> None: ...


class Check(Protocol):
    """Validating admission; `operation` is CREATE, UPDATE or DELETE. Raises an `ApiError` to refuse."""

    def __call__(
        self,
        rest: Rest,
        kind: Kind,
        item: JsonObject,
        old: JsonObject | None,
        context: Context,
        operation: str,
        /,
    ) -> None: ...


class Connect(Protocol):
    """A subresource that is a verb of its own."""

    def __call__(self, rest: Rest, key: str, body: JsonObject, context: Context, /) -> JsonObject: ...


Decode = Callable[[Kind, JsonObject], tuple[JsonObject, Sequence[str]]]

Patch = Callable[[Kind, JsonObject, Any], JsonObject]
"""(kind, item, patch) -> the patched item, which may share parts with the given one."""


class Apply(Protocol):
    """Server-side apply: the new item, with its managedFields."""

    def __call__(
        self, kind: Kind, live: JsonObject | None, applied: JsonObject, writer: Writer, /, *, force: bool
    ) -> JsonObject: ...


def _pass(*_: Any) -> None:
    """Nothing to say."""


def _as_it_is(_: Kind, item: JsonObject) -> tuple[JsonObject, Sequence[str]]:
    return item, ()


def _no_errors(*_: Any) -> Sequence[FieldError]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """Each is a function; what is left out has nothing to say.

    decode        an object as its type has it, and what is wrong with its fields (`unknown field "spec.x"`);
                  raises 400 if a value is not of its field's type
    note          sets `metadata.managedFields` of (kind, new, old or None, writer)
    patches       by patch type: json, merge, strategic
    connects      by resource and subresource
    """

    mutate: Mutate = _pass
    check: Check = _pass
    decode: Decode = _as_it_is
    validate_metadata: Callable[[JsonObject, Kind], Sequence[FieldError]] = _no_errors
    validate_metadata_update: Callable[[JsonObject, JsonObject], Sequence[FieldError]] = _no_errors
    note: Callable[[Kind, JsonObject, JsonObject | None, Writer], None] = _pass
    patches: Mapping[str, Patch] = field(default_factory=dict)
    apply: Apply | None = None
    connects: Mapping[tuple[str, str], Connect] = field(default_factory=dict)
