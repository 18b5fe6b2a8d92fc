"""What every API struct has in common."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

import msgspec

RawQuantity: TypeAlias = str | int | float
"""A quantity as it stands in an object; `nominee.model.quantity` gives it a value."""

ResourceList: TypeAlias = dict[str, RawQuantity]
"""Amounts by resource name, still as written."""


# gc=False: structs are frozen and hold only decoded data, so they can never form a cycle,
# and a cluster of a hundred thousand pods spares the collector millions of visits.
class ApiStruct(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True, gc=False):
    """Base of all API structs: frozen, JSON names in camel case, unknown fields ignored."""


class ApiObject(ApiStruct, frozen=True, kw_only=True):
    """Base of the structs that are objects of their own, with a kind and metadata."""

    API_VERSION: ClassVar[str] = ""
    KIND: ClassVar[str] = ""
