"""Who is in charge of what: taking in charge what a selector finds, letting go what it finds no more.

Reproduces the ref managers of pkg/controller/controller_ref_manager.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.ownership import (
    being_deleted,
    controller_of,
    owner_reference,
    with_owners,
)
from nominee.embedded.controllers.selecting import labels_of
from nominee.store.ports import Change, JsonObject


@dataclass(frozen=True, slots=True)
class Claimant:
    """A kind of objects that are in charge of others."""

    resource: str
    api_version: str
    kind: str

    @property
    def group(self) -> str:
        """The group, whatever the version."""
        return self.api_version.rpartition("/")[0]

    def named_in(self, reference: JsonObject) -> bool:
        """Whether a reference is to an object of this kind."""
        if reference.get("kind") != self.kind:
            return False
        api_version: str = reference.get("apiVersion", "")
        return api_version.rpartition("/")[0] == self.group


def keys_of_owners(access: Access, claimant: Claimant, change: Change) -> Iterable[str]:
    """Which claimants a change of something they may be in charge of concerns."""
    item = change.stored.object
    reference = controller_of(item)
    namespace = item["metadata"].get("namespace", "")
    keys = []
    if reference is not None and claimant.named_in(reference):
        keys.append(f"{namespace}/{reference['name']}")
    before = None if change.previous is None else change.previous.object
    if before is not None and before["metadata"].get("ownerReferences") != item["metadata"].get(
        "ownerReferences"
    ):
        lost = controller_of(before)
        if lost is not None and claimant.named_in(lost):
            keys.append(f"{namespace}/{lost['name']}")
    if reference is None and change.type != "DELETED" and _adoptable_now(before, item):
        keys += _selecting(access, claimant, namespace, item)
    return keys


def _adoptable_now(before: JsonObject | None, item: JsonObject) -> bool:
    if before is None:
        return True
    now, then = item["metadata"], before["metadata"]
    return now.get("labels") != then.get("labels") or bool(then.get("ownerReferences"))


def _selecting(access: Access, claimant: Claimant, namespace: str, item: JsonObject) -> list[str]:
    labels = labels_of(item)
    if not labels:
        return []
    return [
        f"{namespace}/{owner['metadata']['name']}"
        for owner in access.objects(claimant.resource, namespace)
        if access.selectors.owning(owner).matches(labels)
    ]


def claim(access: Access, claimant: Claimant, owner: JsonObject, resource: str) -> list[JsonObject]:
    """What an object is in charge of from now on, after letting go and taking over."""
    selector = access.selectors.owning(owner)
    mine = []
    for item in access.controlled(resource, owner):
        if selector.matches(labels_of(item)) or being_deleted(owner):
            mine.append(item)
        else:
            release(access, resource, item, owner["metadata"]["uid"])
    if not being_deleted(owner):
        namespace = owner["metadata"].get("namespace", "")
        found = [stored.object for stored in access.owned.orphans(resource, namespace, selector)]
        mine += [adopt(access, resource, item, claimant, owner) for item in found if not being_deleted(item)]
    return mine


def adopt(
    access: Access, resource: str, item: JsonObject, claimant: Claimant, owner: JsonObject
) -> JsonObject:
    """Take charge of an object."""
    references = [
        reference
        for reference in item["metadata"].get("ownerReferences") or ()
        if reference.get("uid") != owner["metadata"]["uid"]
    ]
    references.append(owner_reference(owner, claimant.api_version, claimant.kind))
    return access.update(resource, with_owners(item, references))


def release(access: Access, resource: str, item: JsonObject, uid: str) -> None:
    """Let an object go: the one with this uid is not among its owners any more."""
    references = item["metadata"].get("ownerReferences") or ()
    kept = [reference for reference in references if reference.get("uid") != uid]
    access.update(resource, with_owners(item, kept))
