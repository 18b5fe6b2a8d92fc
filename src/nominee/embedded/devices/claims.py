"""Makes claims to devices from templates, and frees those that nobody uses any more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from nominee.driver.simulated.resource_claims import CLAIM, POD, sync_claim, sync_pod
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.controller import Keys
from nominee.embedded.devices.driver import CLAIMS
from nominee.embedded.writing import Desk
from nominee.store.ports import Change, JsonObject

TEMPLATES = "resourceclaimtemplates.resource.k8s.io"
_POD, _CLAIM, _TEMPLATE = "pod:", "claim:", "template:"


class ResourceClaims:
    """Keys are pods with claims, the claims, and templates, for which pods may be waiting."""

    name = "resource-claim"

    def __init__(self, access: Access) -> None:
        self._access = access
        self._desk = Desk(access, "resource_claim")
        self._waiting: dict[str, set[str]] = {}

    @property
    def watches(self) -> Mapping[str, Keys]:
        """Pods, claims and templates."""
        return {"pods": self._of_pod, CLAIMS: _of_claim, TEMPLATES: _of_template}

    def reconcile(self, key: str) -> float | None:
        """Make what a pod's templates ask for; take from claims whoever is over."""
        desk = self._desk
        if key.startswith(_CLAIM):
            claim = desk.get(CLAIM, key.removeprefix(_CLAIM))
            if claim is not None:
                desk.carry_out(sync_claim(desk, claim))
            return None
        template = key.startswith(_TEMPLATE)
        pods = self._waiting.pop(key.removeprefix(_TEMPLATE), ()) if template else (key.removeprefix(_POD),)
        for each in pods:
            self._see_to(each)
        return None

    def _see_to(self, key: str) -> None:
        pod = self._desk.get(POD, key)
        if pod is None:
            return
        for template in _templates_of(pod):
            if self._access.get(TEMPLATES, template) is None:
                self._waiting.setdefault(template, set()).add(key)
        self._desk.carry_out(sync_pod(self._desk, pod))

    def _of_pod(self, change: Change) -> Iterator[str]:
        pod = change.stored.object
        status = pod.get("status") or {}
        extended = status.get("extendedResourceClaimStatus")
        claims = pod["spec"].get("resourceClaims")
        if not claims and not extended:
            return
        if change.type != "DELETED":
            yield _POD + change.stored.key
        namespace = pod["metadata"]["namespace"]
        named = (*(claims or ()), *(status.get("resourceClaimStatuses") or ()), extended or {})
        for each in named:
            if each.get("resourceClaimName"):
                yield f"{_CLAIM}{namespace}/{each['resourceClaimName']}"


def _templates_of(pod: JsonObject) -> Iterator[str]:
    for each in pod["spec"].get("resourceClaims") or ():
        if each.get("resourceClaimTemplateName"):
            yield f"{pod['metadata']['namespace']}/{each['resourceClaimTemplateName']}"


def _of_claim(change: Change) -> Iterator[str]:
    yield _CLAIM + change.stored.key


def _of_template(change: Change) -> Iterator[str]:
    yield _TEMPLATE + change.stored.key
