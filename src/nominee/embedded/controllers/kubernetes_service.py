"""The service `kubernetes`: whoever deletes all services gets this one back.

pkg/controlplane/controller/kubernetesservice/controller.go, v1.37, which looks every ten seconds.
"""

from __future__ import annotations

from collections.abc import Mapping

from nominee.embedded.bootstrap import MANAGER, SERVICE, kubernetes_service
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.errors import Conflict
from nominee.store.ports import Change


class KubernetesService:
    """Creates the service again when it is gone."""

    name = "kubernetes-service-controller"

    def __init__(self, access: Access) -> None:
        self._access = access

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {"services": _key_if_gone}

    def reconcile(self, key: str) -> float | None:
        if self._access.get("services", key) is None:
            rest = self._access.rest
            try:
                rest.create("services", "default", kubernetes_service(), rest.context(MANAGER))
            except Conflict:  # somebody was faster
                return None
        return None


def _key_if_gone(change: Change) -> tuple[str, ...]:
    return (SERVICE,) if change.type == "DELETED" and change.stored.key == SERVICE else ()
