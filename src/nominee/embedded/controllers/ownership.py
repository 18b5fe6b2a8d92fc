"""Who an object belongs to: owner references, and who of the owners is in charge."""

from __future__ import annotations

from typing import Any

from nominee.store.ports import JsonObject


def controller_of(item: JsonObject) -> JsonObject | None:
    """The owner that is in charge of an object, of which there is one at most."""
    for reference in item["metadata"].get("ownerReferences") or ():
        if reference.get("controller"):
            return reference  # type: ignore[no-any-return]
    return None


def controlled_by(item: JsonObject, uid: str) -> bool:
    """Whether the object with this uid is in charge of this one."""
    reference = controller_of(item)
    return reference is not None and reference.get("uid") == uid


def owner_reference(owner: JsonObject, api_version: str, kind: str) -> dict[str, Any]:
    """The reference of what `owner` is in charge of."""
    metadata = owner["metadata"]
    return {
        "apiVersion": api_version,
        "kind": kind,
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }


def with_owners(item: JsonObject, references: list[dict[str, Any]]) -> JsonObject:
    """The same object with other owners."""
    metadata = {name: value for name, value in item["metadata"].items() if name != "ownerReferences"}
    if references:
        metadata["ownerReferences"] = references
    return {**item, "metadata": metadata}


def being_deleted(item: JsonObject) -> bool:
    """Whether an object is on its way out."""
    return "deletionTimestamp" in item["metadata"]
