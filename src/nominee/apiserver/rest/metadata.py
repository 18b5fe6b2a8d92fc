"""The part of metadata that belongs to the server, whatever a client sends.

apiserver/pkg/registry/rest/{meta,create,update}.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.kind import Context, JsonObject, Kind
from nominee.apiserver.rest.identity import Identity
from nominee.apiserver.status import bad_request

_NOT_AT_CREATION = ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink", "generation")


def key_of(namespace: str, name: str) -> str:
    """The storage key."""
    return f"{namespace}/{name}" if namespace else name


def name_of(key: str) -> str:
    """The name in a storage key."""
    return key.rpartition("/")[2]


def metadata_of(item: JsonObject) -> JsonObject:
    """The metadata of an object that is the caller's own; made if there is none."""
    metadata = item.get("metadata")
    if not isinstance(metadata, dict):
        metadata = item["metadata"] = {}
    return metadata


def settle_namespace(kind: Kind, metadata: JsonObject, namespace: str) -> None:
    """The namespace of the path holds; another one in the object is refused."""
    if not kind.names.namespaced:
        metadata.pop("namespace", None)
    elif metadata.get("namespace") in (None, "", namespace):
        metadata["namespace"] = namespace
    else:
        raise bad_request(
            "the namespace of the provided object does not match the namespace sent on the request"
        )


def fill(kind: Kind, metadata: JsonObject, context: Context, identity: Identity) -> None:
    """What only the server says of a new object."""
    if metadata.get("resourceVersion") not in (None, "", "0"):
        raise bad_request("resourceVersion should not be set on objects to be created")
    for name in _NOT_AT_CREATION:
        metadata.pop(name, None)
    metadata["uid"] = identity.uid()
    metadata["creationTimestamp"] = context.now
    if kind.generation:
        metadata["generation"] = 1


def dedup_owners(metadata: JsonObject, context: Context) -> None:
    """An owner that is named twice in the same words is named once.

    apiserver/pkg/endpoints/handlers/rest.go, dedupOwnerReferences, v1.37.
    """
    owners = metadata.get("ownerReferences")
    if not owners or len(owners) < 2:
        return
    unique = [owner for row, owner in enumerate(owners) if owner not in owners[:row]]
    if len(unique) < len(owners):
        again = [owner for row, owner in enumerate(owners) if owner in owners[:row]]
        context.warnings.append(
            ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in "
            "1.20+, and may reject such requests as early as 1.24; please fix your requests; "
            f"duplicate UID(s) observed: {', '.join(str(owner.get('uid', '')) for owner in again)}"
        )
        metadata["ownerReferences"] = unique


def carry_over(metadata: JsonObject, old: JsonObject) -> None:
    """What an update can not change: it stays as it was."""
    if not metadata.get("uid"):
        metadata["uid"] = old.get("uid", "")
    metadata.pop("generation", None)
    for name in ("creationTimestamp", "generation", "deletionTimestamp"):
        if name in old:
            metadata[name] = old[name]
    if "deletionGracePeriodSeconds" in old:
        metadata.setdefault("deletionGracePeriodSeconds", old["deletionGracePeriodSeconds"])
    metadata.pop("selfLink", None)
