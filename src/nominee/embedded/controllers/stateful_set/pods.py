"""The pods of a stateful set: their numbers, names and volumes.

Reproduces pkg/controller/statefulset/stateful_set_utils.go, v1.37.
"""

from __future__ import annotations

import re

from nominee.embedded.controllers.history import HASH, template_of
from nominee.embedded.controllers.ownership import being_deleted
from nominee.embedded.controllers.pod_control import PodControl
from nominee.embedded.controllers.pods import available, phase, ready
from nominee.store.ports import JsonObject

POD_NAME = "statefulset.kubernetes.io/pod-name"
POD_INDEX = "apps.kubernetes.io/pod-index"
_NUMBERED = re.compile(r"(.*)-([0-9]+)")


def replicas(item: JsonObject) -> int:
    """How many pods there should be."""
    count: int = item["spec"].get("replicas", 1)
    return count


def first_ordinal(item: JsonObject) -> int:
    """The number of the first pod."""
    start: int = (item["spec"].get("ordinals") or {}).get("start", 0)
    return start


def ordinal(pod: JsonObject) -> int:
    """The number of a pod; -1 if its name has none."""
    found = _NUMBERED.fullmatch(pod["metadata"]["name"])
    return int(found[2]) if found else -1


def parent_name(pod: JsonObject) -> str:
    """The name of the set that a pod is named after."""
    found = _NUMBERED.fullmatch(pod["metadata"]["name"])
    return found[1] if found else ""


def revision_of(pod: JsonObject) -> str:
    """The name of the revision of which a pod is."""
    name: str = (pod["metadata"].get("labels") or {}).get(HASH, "")
    return name


def running_and_ready(pod: JsonObject) -> bool:
    """Whether the pod works."""
    return phase(pod) == "Running" and ready(pod)


def unavailable(pod: JsonObject | None, min_ready_seconds: int, now: float) -> bool:
    """Whether the pod is not there, not ready for long enough, or about to go."""
    return pod is None or being_deleted(pod) or not available(pod, min_ready_seconds, now)


def claims_of(owner: JsonObject, number: int) -> list[JsonObject]:
    """The claims of a pod, as the set has them."""
    return [
        {
            **claim,
            "metadata": {
                **claim["metadata"],
                "name": f"{claim['metadata']['name']}-{owner['metadata']['name']}-{number}",
                "namespace": owner["metadata"]["namespace"],
                "labels": {
                    **(claim["metadata"].get("labels") or {}),
                    **((owner["spec"].get("selector") or {}).get("matchLabels") or {}),
                },
            },
        }
        for claim in owner["spec"].get("volumeClaimTemplates") or ()
    ]


def new_pod(control: PodControl, owner: JsonObject, revision: JsonObject, number: int) -> JsonObject:
    """The pod of a number, as a revision has it; not created yet."""
    pod = control.from_template(owner, template_of(revision))
    metadata = pod["metadata"]
    name = f"{owner['metadata']['name']}-{number}"
    metadata["name"] = name
    metadata["labels"] = {
        **metadata.get("labels", {}),
        POD_NAME: name,
        POD_INDEX: str(number),
        HASH: revision["metadata"]["name"],
    }
    spec = {**pod["spec"], "hostname": name}
    if owner["spec"].get("serviceName"):
        spec["subdomain"] = owner["spec"]["serviceName"]
    return {**pod, "spec": _with_claims(owner, spec, number)}


def _with_claims(owner: JsonObject, spec: JsonObject, number: int) -> JsonObject:
    templates = owner["spec"].get("volumeClaimTemplates") or ()
    if not templates:
        return spec
    volumes = [
        {
            "name": template["metadata"]["name"],
            "persistentVolumeClaim": {"claimName": claim["metadata"]["name"]},
        }
        for template, claim in zip(templates, claims_of(owner, number), strict=True)
    ]
    names = {volume["name"] for volume in volumes}
    return {**spec, "volumes": [*volumes, *(v for v in spec.get("volumes") or () if v["name"] not in names)]}
