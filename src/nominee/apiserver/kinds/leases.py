"""Leases.

The rules of pkg/apis/coordination/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import JsonObject, Kind, Names
from nominee.apiserver.kinds.field_errors import NEGATIVE, forbidden, invalid
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored


class LeaseKind(Kind):
    """Leases."""

    __slots__ = ()

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item.get("spec") or {}))

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        holder = (item.get("spec") or {}).get("holderIdentity") or ""
        return [item["metadata"]["name"], holder, age_of(item, now)]


def _validate(spec: Mapping[str, Any]) -> Iterator[FieldError]:
    seconds, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
    if seconds is not None and seconds <= 0:
        yield invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0")
    if transitions is not None and transitions < 0:
        yield invalid("spec.leaseTransitions", transitions, NEGATIVE)
    if spec.get("preferredHolder") and not spec.get("strategy"):
        yield forbidden("spec.preferredHolder", "may only be specified if `strategy` is defined")


LEASES = LeaseKind(
    Names("Lease", "leases", "lease", group="coordination.k8s.io"),
    schema="io.k8s.api.coordination.v1.Lease",
    columns=(NAME, *shown("Holder"), AGE),
    create_on_put=True,
    unconditional=False,
)
