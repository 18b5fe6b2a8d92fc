"""What a job asks for, and what its pods bear."""

from __future__ import annotations

from nominee.store.ports import JsonObject

FINALIZER = "batch.kubernetes.io/job-tracking"
INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
INDEX_VARIABLE = "JOB_COMPLETION_INDEX"
OWN_CONTROLLER = "kubernetes.io/job-controller"


def indexed(job: JsonObject) -> bool:
    """Whether each completion has a number of its own."""
    mode: str = job["spec"].get("completionMode", "NonIndexed")
    return mode == "Indexed"


def suspended(job: JsonObject) -> bool:
    """Whether nothing of it is to run."""
    return bool(job["spec"].get("suspend"))


def ours(job: JsonObject) -> bool:
    """Whether no other controller is in charge of it."""
    owner: str = job["spec"].get("managedBy", OWN_CONTROLLER)
    return owner == OWN_CONTROLLER


def tracked(pod: JsonObject) -> bool:
    """Whether a pod is still to be counted."""
    return FINALIZER in (pod["metadata"].get("finalizers") or ())


def without_finalizer(pod: JsonObject) -> JsonObject:
    """The pod, once it has been counted."""
    metadata = pod["metadata"]
    kept = [item for item in metadata.get("finalizers") or () if item != FINALIZER]
    metadata = {name: value for name, value in metadata.items() if name != "finalizers"}
    if kept:
        metadata["finalizers"] = kept
    return {**pod, "metadata": metadata}


def index_of(pod: JsonObject) -> int | None:
    """The number of the completion that a pod works on."""
    text = (pod["metadata"].get("annotations") or {}).get(INDEX, "")
    return int(text) if text.isascii() and text.isdecimal() else None
