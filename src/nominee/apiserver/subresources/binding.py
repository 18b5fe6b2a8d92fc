"""Binding: a pod gets its node, once.

Reproduces BindingREST of pkg/registry/core/pod/storage/storage.go and ValidatePodBinding of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from nominee.apiserver.admission.topology import topology_labels
from nominee.apiserver.kind import Context, JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import invalid, not_supported, required
from nominee.apiserver.kinds.pod.conditions import with_condition
from nominee.apiserver.status import FieldError, bad_request, conflict
from nominee.apiserver.status import invalid as invalid_object
from nominee.apiserver.subresources.body import pairs, part, text
from nominee.store.ports import Stored

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

_RESOURCE = "pods/binding"
_DROPPED = tuple(
    f"pod.{stage}.kubernetes.io/init-container{what}"
    for stage in ("alpha", "beta")
    for what in ("s", "-statuses")
)
CREATED: Mapping[str, object] = {
    "kind": "Status",
    "apiVersion": "v1",
    "metadata": {},
    "status": "Success",
    "code": 201,
}


def bind(rest: Rest, pod_key: str, body: JsonObject, context: Context) -> JsonObject:
    """Assign a pod to the node that a Binding names; answers with a Status."""
    metadata, target = part(body, "metadata"), part(body, "target")
    name = pod_key.rpartition("/")[2]
    if text(metadata, "name") != name:
        raise bad_request("name in URL does not match name in Binding object")
    kind, node = text(target, "kind"), text(target, "name")
    if errors := list(_validate_target(kind, node)):
        raise invalid_object("Binding", "", name, errors)
    stored = rest.get("pods", pod_key)
    _check_preconditions(stored, metadata)
    _check_free(stored.object, name)
    labels = pairs(metadata, "labels")
    if kind == "Node" and (topology := topology_labels(rest, node)):
        labels = {**labels, **topology}
    item = _bound(stored.object, node, labels, pairs(metadata, "annotations"), context)
    if not context.dry_run:
        rest.store.update("pods", pod_key, item, stored.version)
    return dict(CREATED)


def _validate_target(kind: str, name: str) -> Iterator[FieldError]:
    if kind not in ("", "Node"):
        yield not_supported("target.kind", kind, ("Node", "<empty>"))
    if not name:
        yield required("target.name")
    elif kind in ("", "Node"):
        for fault in syntax.dns_subdomain(name):
            yield invalid("target.name", name, fault)


def _check_preconditions(stored: Stored, metadata: JsonObject) -> None:
    there = stored.object["metadata"]
    for field, named in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        wanted = text(metadata, field)
        if wanted and wanted != there.get(field):
            raise conflict(
                "pods",
                there["name"],
                f"StorageError: invalid object, Code: 4, Key: /registry/pods/{stored.key}, "
                f"ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: {named} in precondition: "
                f"{wanted}, {named} in object meta: {there.get(field, '')}",
            )


def _check_free(pod: JsonObject, name: str) -> None:
    spec = pod["spec"]
    if "deletionTimestamp" in pod["metadata"]:
        raise conflict(_RESOURCE, name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        raise conflict(_RESOURCE, name, f'pod {name} is already assigned to node "{spec["nodeName"]}"')
    if spec.get("schedulingGates"):
        raise conflict(_RESOURCE, name, f"pod {name} has non-empty .spec.schedulingGates")


def _bound(
    pod: JsonObject, node: str, labels: Mapping[str, str], annotations: Mapping[str, str], context: Context
) -> JsonObject:
    metadata = dict(pod["metadata"])
    if annotations:
        merged = {**(metadata.get("annotations") or {}), **annotations}
        metadata["annotations"] = {key: merged[key] for key in merged if key not in _DROPPED}
    if labels and context.features.get("PodTopologyLabelsAdmission", True):
        metadata["labels"] = {**(metadata.get("labels") or {}), **labels}
    status = dict(pod.get("status") or {})
    if context.features.get("ClearingNominatedNodeNameAfterBinding", True):
        status.pop("nominatedNodeName", None)
    scheduled = {"type": "PodScheduled", "status": "True"}
    status["conditions"] = with_condition(status.get("conditions") or (), scheduled, context.now)
    return {**pod, "metadata": metadata, "spec": {**pod["spec"], "nodeName": node}, "status": status}
