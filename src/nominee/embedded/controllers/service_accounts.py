"""What every namespace has: the service account of pods that name none, and the cluster's certificate.

Reproduces pkg/controller/serviceaccount/serviceaccounts_controller.go and
pkg/controller/certificates/rootcacertpublisher/publisher.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.controllers.ownership import being_deleted
from nominee.errors import ApiError, Conflict
from nominee.store.ports import Change, JsonObject

DEFAULT = "default"
ROOT_CA = "kube-root-ca.crt"
ROOT_CA_NOTE = {
    "kubernetes.io/description": (
        "Contains a CA bundle that can be used to verify the kube-apiserver when using internal "
        "endpoints such as the internal service IP or kubernetes.default.svc. No other usage is "
        "guaranteed across distributions of Kubernetes clusters."
    )
}


class NamespaceFurnisher:
    """Puts into each namespace what it must have; `root_ca` is a certificate in PEM, if there is one."""

    name = "serviceaccount-controller"

    def __init__(self, access: Access, root_ca: str = "") -> None:
        self._access = access
        self._root_ca = root_ca

    @property
    def watches(self) -> Mapping[str, Keys]:
        return {
            "namespaces": lambda change: (change.stored.key,) if change.type != "DELETED" else (),
            "serviceaccounts": self._keys_of_lost,
            "configmaps": self._keys_of_lost,
        }

    def _keys_of_lost(self, change: Change) -> Iterable[str]:
        namespace, _, name = change.stored.key.partition("/")
        lost = name == ROOT_CA or (change.type == "DELETED" and name == DEFAULT)
        return (namespace,) if lost else ()

    def reconcile(self, key: str) -> float | None:
        namespace = self._access.get("namespaces", key)
        if namespace is None or being_deleted(namespace):
            return None
        if self._access.get("serviceaccounts", f"{key}/{DEFAULT}") is None:
            account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": DEFAULT}}
            self._create("serviceaccounts", key, account)
        if self._root_ca:
            self._publish(key)
        return None

    def _publish(self, namespace: str) -> None:
        wanted = {"ca.crt": self._root_ca}
        there = self._access.get("configmaps", f"{namespace}/{ROOT_CA}")
        if there is None:
            metadata = {"name": ROOT_CA, "annotations": ROOT_CA_NOTE}
            item = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": wanted}
            self._create("configmaps", namespace, item)
        elif there.get("data") != wanted:
            self._access.update("configmaps", {**there, "data": wanted})

    def _create(self, resource: str, namespace: str, item: JsonObject) -> None:
        try:
            self._access.create(resource, namespace, item)
        except Conflict:  # somebody was faster
            return
        except ApiError as error:
            if error.status != 403:  # a namespace that has begun to go takes nothing any more
                raise
