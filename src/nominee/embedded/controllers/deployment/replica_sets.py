"""The replica sets of a deployment: which is the new one, and what is written on it."""

from __future__ import annotations

from nominee.embedded.controllers.deployment.spec import (
    DESIRED_REPLICAS,
    MAX_REPLICAS,
    NOT_COPIED,
    REVISION,
    REVISION_HISTORY,
    TEMPLATE_HASH,
    annotations_of,
    by_age,
    max_surge,
    replicas,
    revision_of,
)
from nominee.store.ports import JsonObject

HISTORY_CHARACTERS = 2000
NAME_LIMIT = 253


def find_new(deployment: JsonObject, replica_sets: list[JsonObject]) -> JsonObject | None:
    """The oldest replica set with the deployment's template."""
    wanted = _without_hash(deployment["spec"]["template"])
    for replica_set in sorted(replica_sets, key=by_age):
        if _without_hash(replica_set["spec"]["template"]) == wanted:
            return replica_set
    return None


def _without_hash(template: JsonObject) -> JsonObject:
    """A template without the hash, and without what is empty: absent and empty are the same."""
    metadata = {name: value for name, value in (template.get("metadata") or {}).items() if value}
    labels = {key: value for key, value in metadata.pop("labels", {}).items() if key != TEMPLATE_HASH}
    return {"metadata": metadata, "labels": labels, "spec": template.get("spec")}


def same_template(one: JsonObject, other: JsonObject) -> bool:
    """Whether two templates are the same but for the hash (EqualIgnoreHash)."""
    return _without_hash(one) == _without_hash(other)


def without(replica_sets: list[JsonObject], new: JsonObject | None) -> list[JsonObject]:
    """All but the new one: the old ones."""
    if new is None:
        return replica_sets
    uid = new["metadata"]["uid"]
    return [item for item in replica_sets if item["metadata"]["uid"] != uid]


def name_for(deployment: JsonObject, word: str) -> str:
    """What the replica set of a template is called."""
    name: str = deployment["metadata"]["name"]
    return f"{name[: NAME_LIMIT - 1 - len(word)]}-{word}"


def annotated(
    deployment: JsonObject, replica_set: JsonObject, revision: int, *, exists: bool
) -> dict[str, str]:
    """The annotations that the new replica set is to have.

    Reproduces SetNewReplicaSetAnnotations: the deployment's own, the revision, and the revisions that
    it was before, should the deployment have come back to it.
    """
    before = annotations_of(replica_set)
    own = annotations_of(deployment).items()
    annotations = {**before, **{key: value for key, value in own if key not in NOT_COPIED}}
    old = revision_of(replica_set)
    if old < revision:
        annotations[REVISION] = str(revision)
        if REVISION in before:
            annotations[REVISION_HISTORY] = _history(before.get(REVISION_HISTORY, ""), str(old))
    if not exists:
        annotations.update(size_annotations(deployment))
    return annotations


def _history(history: str, revision: str) -> str:
    revisions = [*(history.split(",") if history else ()), revision]
    while len(",".join(revisions)) > HISTORY_CHARACTERS and len(revisions) > 1:
        del revisions[0]
    return ",".join(revisions)


def size_annotations(deployment: JsonObject) -> dict[str, str]:
    """What a replica set is told of the deployment's size."""
    wanted = replicas(deployment)
    return {DESIRED_REPLICAS: str(wanted), MAX_REPLICAS: str(wanted + max_surge(deployment))}
