"""The pods of a job: how many there should be, which of them, and what each looks like.

Reproduces manageJob of pkg/controller/job/job_controller.go and indexed_job_utils.go, v1.37.
"""

from __future__ import annotations

from itertools import islice
from typing import Any

from nominee.embedded.controllers.job.spec import (
    FAILURES,
    FINALIZER,
    INDEX,
    INDEX_VARIABLE,
    index_of,
    indexed,
    suspended,
)
from nominee.embedded.controllers.job.tally import Tally
from nominee.embedded.controllers.pod_control import PodControl
from nominee.store.ports import JsonObject

NAME_LIMIT = 63 - 5


def wanted_active(job: JsonObject, tally: Tally) -> int:
    """How many pods should be at work now."""
    if suspended(job):
        return 0
    parallelism: int = job["spec"].get("parallelism", 1)
    completions: int | None = job["spec"].get("completions")
    if completions is None:
        return len(tally.active) if tally.all_succeeded else parallelism
    return max(0, min(parallelism, completions - tally.all_succeeded))


def surplus(job: JsonObject, tally: Tally, count: int) -> list[JsonObject]:
    """Pods to delete: those that work on nothing, or twice on the same, then unready and young ones."""
    useless = _useless(job, tally) if indexed(job) else []
    if len(useless) >= count:
        return useless
    chosen = {pod["metadata"]["uid"] for pod in useless}
    others = [pod for pod in tally.active if pod["metadata"]["uid"] not in chosen]
    others.sort(key=lambda pod: pod["metadata"].get("creationTimestamp", ""), reverse=True)
    others.sort(key=lambda pod: (bool(pod["spec"].get("nodeName")), _running(pod)))
    return [*useless, *others[: count - len(useless)]]


def _running(pod: JsonObject) -> bool:
    phase: str = (pod.get("status") or {}).get("phase", "")
    return phase == "Running"


def _useless(job: JsonObject, tally: Tally) -> list[JsonObject]:
    completions = job["spec"].get("completions") or 0
    taken: set[int] = set(tally.succeeded_indexes | tally.failed_indexes)
    useless = []
    for pod in sorted(tally.active, key=lambda pod: not _running(pod)):
        index = index_of(pod)
        if index is None or index >= completions or index in taken:
            useless.append(pod)
        else:
            taken.add(index)
    return useless


def pending_indexes(job: JsonObject, tally: Tally, count: int) -> list[int]:
    """The first indexes on which nobody works and that are not done."""
    taken = {index_of(pod) for pod in tally.active} | tally.succeeded_indexes | tally.failed_indexes
    free = (index for index in range(job["spec"].get("completions") or 0) if index not in taken)
    return list(islice(free, count))


def new_pod(control: PodControl, job: JsonObject, index: int | None, failures: int = 0) -> JsonObject:
    """A pod of a job, for one of its indexes where it has them, which has failed so often."""
    pod = control.from_template(job)
    metadata = pod["metadata"]
    metadata["finalizers"] = [*metadata.get("finalizers", ()), FINALIZER]
    if index is None:
        return pod
    name = job["metadata"]["name"]
    suffix = f"-{index}-"
    metadata["generateName"] = name[: NAME_LIMIT - len(suffix)] + suffix
    metadata["annotations"] = {**metadata.get("annotations", {}), INDEX: str(index)}
    if job["spec"].get("backoffLimitPerIndex") is not None:
        metadata["annotations"][FAILURES] = str(failures)
    metadata["labels"] = {**metadata.get("labels", {}), INDEX: str(index)}
    pod["spec"] = _numbered(pod["spec"], f"{name}-{index}")
    return pod


def _numbered(spec: JsonObject, hostname: str) -> JsonObject:
    """Containers are told the index in an environment variable."""
    made: dict[str, Any] = {**spec, "hostname": hostname}
    for part in ("initContainers", "containers"):
        if spec.get(part):
            made[part] = [_told(container) for container in spec[part]]
    return made


def _told(container: JsonObject) -> JsonObject:
    env = container.get("env") or []
    if any(item.get("name") == INDEX_VARIABLE for item in env):
        return container
    source = {"fieldRef": {"fieldPath": f"metadata.labels['{INDEX}']"}}
    return {**container, "env": [*env, {"name": INDEX_VARIABLE, "valueFrom": source}]}
