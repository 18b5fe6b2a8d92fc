"""Objects on their way into the store: copies that may be changed, and what a dry run answers with."""

from __future__ import annotations

from dataclasses import dataclass

import orjson

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.status import bad_request


@dataclass(frozen=True, slots=True)
class Draft:
    """A version of an object that nobody else will see."""

    resource: str
    key: str
    version: int
    object: JsonObject

    @property
    def json(self) -> bytes:
        return orjson.dumps(self.object)


def own(item: JsonObject) -> JsonObject:
    """A copy that shares nothing with anybody: encoding and decoding is the quickest way to one."""
    try:
        copy: JsonObject = orjson.loads(orjson.dumps(item))
    except (orjson.JSONEncodeError, RecursionError) as error:
        raise bad_request(f"the object provided can not be encoded: {error}") from None
    return copy
