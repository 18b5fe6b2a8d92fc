"""Leases, by which replicas agree on a leader."""

from __future__ import annotations

from typing import ClassVar

from nominee.model.base import ApiStruct
from nominee.model.meta import NamedObject


class LeaseSpec(ApiStruct, frozen=True, kw_only=True):
    """Who holds a lease and since when."""

    holder_identity: str | None = None
    lease_duration_seconds: int | None = None
    acquire_time: str | None = None
    renew_time: str | None = None
    lease_transitions: int | None = None
    strategy: str | None = None
    preferred_holder: str | None = None


class Lease(NamedObject, frozen=True, kw_only=True):
    """Something only one can hold at a time."""

    API_VERSION: ClassVar[str] = "coordination.k8s.io/v1"
    KIND: ClassVar[str] = "Lease"

    spec: LeaseSpec = LeaseSpec()
