"""Claims to devices: made from templates, freed when the pods that used them are over.

Reproduces pkg/controller/resourceclaim/controller.go, v1.37. Names of claims that are made end in what is
particular to the pod, so that a claim that was made just before the end of a process is found again.
"""

from __future__ import annotations

from nominee.driver.simulated.writes import (
    Create,
    Delete,
    Look,
    Tell,
    Tree,
    Update,
    Writes,
    annotations_of,
    key_of,
)

POD, CLAIM, TEMPLATE = "Pod", "ResourceClaim", "ResourceClaimTemplate"
POD_CLAIM_NAME = "resource.kubernetes.io/pod-claim-name"
FINALIZER = "resource.kubernetes.io/delete-protection"
_FINISHED = ("Succeeded", "Failed")
_LONGEST_BASE = 56  # of a name that is followed by "-" and six more


def is_over(pod: Tree) -> bool:
    """Whether a pod will not run any more, or never will."""
    if pod.get("status", {}).get("phase") in _FINISHED:
        return True
    return "deletionTimestamp" in pod["metadata"] and not pod["spec"].get("nodeName")


def sync_pod(look: Look, pod: Tree) -> Writes:
    """The claims that its templates ask for, and their names in its status."""
    if is_over(pod) or "deletionTimestamp" in pod["metadata"]:
        return
    known = pod.get("status", {}).get("resourceClaimStatuses") or []
    named = {each["name"] for each in known}
    added = []
    for entry in pod["spec"].get("resourceClaims") or ():
        template_name = entry.get("resourceClaimTemplateName")
        if not template_name or entry["name"] in named:
            continue
        namespace = pod["metadata"]["namespace"]
        name = _name(pod, entry["name"])
        template = look.get(TEMPLATE, f"{namespace}/{template_name}")
        if look.get(CLAIM, f"{namespace}/{name}") is None:
            if template is None:
                yield _missing(pod, entry["name"], template_name)
                continue
            yield Create(CLAIM, _claim(pod, name, entry["name"], template))
        added.append({"name": entry["name"], "resourceClaimName": name})
    if added:
        status = {**pod.get("status", {}), "resourceClaimStatuses": [*known, *added]}
        yield Update(POD, {**pod, "status": status})


def sync_claim(look: Look, claim: Tree) -> Writes:
    """Users that are over are struck out; without any the devices are free, and what was made goes."""
    status = claim.get("status") or {}
    users = status.get("reservedFor") or []
    valid = [user for user in users if _uses(look, claim, user)]
    if len(valid) != len(users) or (not users and "allocation" in status and _is_leaving(claim)):
        yield Update(CLAIM, {**claim, "status": _reserved(status, valid)})
        return  # the next thing follows from that
    if users:
        return
    if _is_leaving(claim):
        finalizers = claim["metadata"].get("finalizers") or []
        if FINALIZER in finalizers:
            kept = [each for each in finalizers if each != FINALIZER]
            yield Update(CLAIM, {**claim, "metadata": {**claim["metadata"], "finalizers": kept}})
    elif _was_made_for_one_that_is_over(look, claim):
        yield Delete(CLAIM, key_of(claim))


def _is_leaving(claim: Tree) -> bool:
    return "deletionTimestamp" in claim["metadata"]


def _uses(look: Look, claim: Tree, user: Tree) -> bool:
    """Whether somebody has not ended yet; who is no pod is none of our business."""
    if user.get("resource") != "pods":
        return True
    pod = look.get(POD, f"{claim['metadata']['namespace']}/{user['name']}")
    return pod is not None and pod["metadata"]["uid"] == user["uid"] and not is_over(pod)


def _reserved(status: Tree, users: list[Tree]) -> Tree:
    dropped = ("reservedFor",) if users else ("reservedFor", "allocation", "devices")
    kept = {name: value for name, value in status.items() if name not in dropped}
    return {**kept, "reservedFor": users} if users else kept


def _was_made_for_one_that_is_over(look: Look, claim: Tree) -> bool:
    owners = claim["metadata"].get("ownerReferences") or ()
    owner = next((each for each in owners if each.get("controller") and each["kind"] == POD), None)
    if owner is None or POD_CLAIM_NAME not in annotations_of(claim):
        return False
    pod = look.get(POD, f"{claim['metadata']['namespace']}/{owner['name']}")
    return pod is None or pod["metadata"]["uid"] != owner["uid"] or is_over(pod)


def _name(pod: Tree, entry: str) -> str:
    base = f"{pod['metadata']['name']}-{entry}"[:_LONGEST_BASE].rstrip("-.")
    return f"{base}-{pod['metadata']['uid'].replace('-', '')[-6:]}"


def _claim(pod: Tree, name: str, entry: str, template: Tree) -> Tree:
    given = template["spec"].get("metadata") or {}
    owner = {
        "apiVersion": "v1",
        "kind": POD,
        "name": pod["metadata"]["name"],
        "uid": pod["metadata"]["uid"],
        "controller": True,
        "blockOwnerDeletion": True,
    }
    metadata: Tree = {
        "name": name,
        "namespace": pod["metadata"]["namespace"],
        "annotations": {**(given.get("annotations") or {}), POD_CLAIM_NAME: entry},
        "ownerReferences": [owner],
    }
    if given.get("labels"):
        metadata["labels"] = given["labels"]
    spec = template["spec"]["spec"]
    return {"apiVersion": "resource.k8s.io/v1", "kind": CLAIM, "metadata": metadata, "spec": spec}


def _missing(pod: Tree, entry: str, template_name: str) -> Tell:
    text = f'PodResourceClaim {entry}: resource claim template "{template_name}": not found'
    return Tell(POD, pod, "FailedResourceClaimCreation", text, warning=True)
