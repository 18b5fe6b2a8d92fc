"""Amounts of resources in JSON trees: written as Kubernetes stores them, compared and added up exactly."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from nominee.errors import InputError
from nominee.model.quantity import MILLI, format_quantity, nano_value, notation

Amounts = dict[str, Any]


@lru_cache(maxsize=65536)
def canonical(quantity: Any) -> str:
    """A quantity as the server stores it: `1.5Gi` becomes `1536Mi`."""
    try:
        return format_quantity(nano_value(quantity), notation(quantity))
    except InputError:  # the schema has refused it already
        return str(quantity)


@lru_cache(maxsize=65536)
def canonical_milli(quantity: Any) -> str:
    """The same rounded up to thousandths, as in lists of resources.

    Reproduces SetDefaults_ResourceList of pkg/apis/core/v1/defaults.go, v1.37.
    """
    try:
        nanos = nano_value(quantity)
        return format_quantity(-(-nanos // MILLI) * MILLI, notation(quantity))
    except InputError:
        return str(quantity)


def canonicalize(amounts: Amounts | None) -> None:
    """Write all amounts of a list of resources as the server stores them."""
    for name, quantity in (amounts or {}).items():
        amounts[name] = canonical_milli(quantity)  # type: ignore[index] # it is not None here


def add_up(lists: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """The sums of lists of resources, in nanos."""
    total: dict[str, int] = {}
    for amounts in lists:
        for name, quantity in amounts.items():
            total[name] = total.get(name, 0) + nano_value(quantity)
    return total
