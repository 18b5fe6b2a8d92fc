"""Service accounts."""

from __future__ import annotations

from nominee.apiserver.kind import Names
from nominee.apiserver.kinds.table import NamedKind

SERVICE_ACCOUNTS = NamedKind(
    Names("ServiceAccount", "serviceaccounts", "serviceaccount", short=("sa",)),
    schema="io.k8s.api.core.v1.ServiceAccount",
)
