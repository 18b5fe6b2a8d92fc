"""What templates were: controller revisions, to which a stateful or daemon set can go back.

Reproduces pkg/controller/history/controller_history.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from nominee.embedded.controllers.access import Access, key_of
from nominee.embedded.controllers.claims import Claimant, claim
from nominee.embedded.controllers.ownership import controlled_by, owner_reference
from nominee.embedded.controllers.template_hash import template_hash
from nominee.errors import Conflict
from nominee.store.ports import JsonObject

REVISIONS = "controllerrevisions.apps"
HASH = "controller-revision-hash"
HASH_OF_REVISION = "controller.kubernetes.io/hash"
NAME_LIMIT = 223


@dataclass(frozen=True, slots=True)
class History:
    """Keeps the revisions of a kind of sets."""

    access: Access
    claimant: Claimant
    label: str
    """What a revision is labelled with: its hash."""

    def settle(self, owner: JsonObject) -> tuple[JsonObject, list[JsonObject], int]:
        """The revision of the template as it is now, all others by age, and how often names collided."""
        revisions = sorted(claim(self.access, self.claimant, owner, REVISIONS), key=_order)
        data = patch_of(owner)
        equal = [item for item in revisions if item.get("data") == data]
        collisions = (owner.get("status") or {}).get("collisionCount") or 0
        if not equal:
            current, collisions = self._create(owner, data, _next(revisions), collisions)
        elif equal[-1] is revisions[-1]:
            current = equal[-1]
        else:
            current = self.access.update(REVISIONS, {**equal[-1], "revision": _next(revisions)})
        uid = current["metadata"]["uid"]
        return current, [item for item in revisions if item["metadata"]["uid"] != uid], collisions

    def _create(
        self, owner: JsonObject, data: JsonObject, number: int, collisions: int
    ) -> tuple[JsonObject, int]:
        """Create a revision; another word for it if its name is taken by something else."""
        namespace = owner["metadata"]["namespace"]
        while True:
            wanted = self._revision(owner, data, number, template_hash(data, collisions))
            try:
                return self.access.create(REVISIONS, namespace, wanted), collisions
            except Conflict:
                there = self.access.get(REVISIONS, key_of(wanted))
                if there is None:
                    raise
                if there.get("data") == data and controlled_by(there, owner["metadata"]["uid"]):
                    return there, collisions
                collisions += 1

    def _revision(self, owner: JsonObject, data: JsonObject, number: int, word: str) -> JsonObject:
        metadata = owner["metadata"]
        labels = (owner["spec"]["template"].get("metadata") or {}).get("labels") or {}
        made: dict[str, Any] = {
            "name": f"{metadata['name'][:NAME_LIMIT]}-{word}",
            "namespace": metadata["namespace"],
            "labels": {**labels, self.label: word},
            "ownerReferences": [owner_reference(owner, self.claimant.api_version, self.claimant.kind)],
        }
        if metadata.get("annotations"):
            made["annotations"] = dict(metadata["annotations"])
        return {
            "apiVersion": "apps/v1",
            "kind": "ControllerRevision",
            "metadata": made,
            "data": data,
            "revision": number,
        }

    def truncate(self, owner: JsonObject, old: list[JsonObject], live: set[str]) -> None:
        """Delete the oldest revisions that nothing uses, beyond the limit; `live` are names or hashes."""
        limit: int = owner["spec"].get("revisionHistoryLimit", 10)
        unused = [item for item in old if not {item["metadata"]["name"], hash_of(item, self.label)} & live]
        for item in unused[: max(0, len(unused) - limit)] if limit >= 0 else ():
            self.access.delete(REVISIONS, key_of(item))


def patch_of(owner: JsonObject) -> JsonObject:
    """The template as the patch that brings it back."""
    return {"spec": {"template": {**owner["spec"]["template"], "$patch": "replace"}}}


def template_of(revision: JsonObject) -> JsonObject:
    """The template that a revision holds."""
    template = revision["data"]["spec"]["template"]
    return {name: value for name, value in template.items() if name != "$patch"}


def hash_of(revision: JsonObject, label: str) -> str:
    """The word of a revision."""
    word: str = (revision["metadata"].get("labels") or {}).get(label, "")
    return word


def _next(revisions: list[JsonObject]) -> int:
    return (revisions[-1].get("revision", 0) if revisions else 0) + 1


def _order(revision: JsonObject) -> tuple[int, str, str]:
    metadata = revision["metadata"]
    return revision.get("revision", 0), metadata.get("creationTimestamp", ""), metadata["name"]
