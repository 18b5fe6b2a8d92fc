"""Pods: what becomes of them between a client and the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.pod import known_specs
from nominee.apiserver.kinds.pod.cells import COLUMNS, first_address, pod_cells
from nominee.apiserver.kinds.pod.creation import prepare_new_pod
from nominee.apiserver.kinds.pod.defaults import default_pod
from nominee.apiserver.kinds.pod.ephemeral import prepare_ephemeral, validate_ephemeral
from nominee.apiserver.kinds.pod.resize import prepare_resize, validate_resize
from nominee.apiserver.kinds.pod.spec import validate_new_pod, validate_pod
from nominee.apiserver.kinds.pod.status import default_pod_status, prepare_status, validate_status
from nominee.apiserver.kinds.pod.updates import validate_annotation_updates, validate_spec_update
from nominee.apiserver.kinds.pod.warnings import pod_warnings
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

_FIELD_LABELS = (
    "metadata.name", "metadata.namespace", "spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
    "spec.serviceAccountName", "spec.hostNetwork", "status.phase", "status.podIP", "status.podIPs",
    "status.nominatedNodeName",
)  # fmt: skip


class PodKind(Kind):
    """Pods, by the rules of pkg/registry/core/pod/strategy.go, v1.37."""

    __slots__ = ()

    def default(self, item: JsonObject) -> None:
        default_pod(item)
        if status := item.get("status"):
            default_pod_status(status)

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        prepare_new_pod(item, context.now)

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        super().prepare_update(item, old, context)
        before = old.get("spec") or {}
        if "resources" in before and "resources" not in item["spec"]:
            item["spec"]["resources"] = before["resources"]

    def prepare_status(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        prepare_status(item, old)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        key = known_specs.key_of(item)
        if known_specs.is_good(key):
            return ()
        errors = list(validate_new_pod(item))
        if not errors:
            known_specs.remember(key, pod_warnings(item["spec"]))
        return errors

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        errors: list[FieldError] = []
        annotations = item["metadata"].get("annotations")
        if item.get("spec") != old.get("spec") or annotations != old["metadata"].get("annotations"):
            errors += validate_pod(item)
        errors += validate_annotation_updates(item, old)
        errors += validate_spec_update(item.get("spec") or {}, old.get("spec") or {})
        return errors

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        clears = context.features.get("ClearingNominatedNodeNameAfterBinding", True)
        errors = list(validate_annotation_updates(item, old))
        errors += validate_status(item, old, clears_nomination=clears)
        return errors

    def part(self, subresource: str) -> Kind:
        return {"resize": RESIZE, "ephemeralcontainers": EPHEMERAL_CONTAINERS}.get(subresource, self)

    def warnings(self, item: JsonObject) -> Sequence[str]:
        told = known_specs.warnings_of(known_specs.key_of(item))
        if told is None:
            told = pod_warnings(item["spec"])
        faults = syntax.dns_label(item["metadata"].get("name") or "")
        if not faults:
            return told
        why = "this is used in the Pod's hostname, which can result in surprising behavior"
        return (f"metadata.name: {why}; a DNS label is recommended: [{' '.join(faults)}]", *told)

    def grace_period(self, item: JsonObject, asked: int | None) -> int | None:
        """Seconds until a pod that is deleted may be gone: none for one that runs nowhere.

        Reproduces CheckGracefulDelete of pkg/registry/core/pod/strategy.go, v1.37.
        """
        spec, status = item.get("spec") or {}, item.get("status") or {}
        if not spec.get("nodeName") or status.get("phase") in ("Succeeded", "Failed"):
            return 0
        period = asked if asked is not None else spec.get("terminationGracePeriodSeconds") or 0
        return period if period >= 0 else 1

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        metadata = item["metadata"]
        spec, status = item.get("spec") or {}, item.get("status") or {}
        address = first_address(status)
        return {
            "metadata.name": metadata["name"],
            "metadata.namespace": metadata.get("namespace", ""),
            "spec.nodeName": spec.get("nodeName") or "",
            "spec.restartPolicy": spec.get("restartPolicy") or "",
            "spec.schedulerName": spec.get("schedulerName") or "",
            "spec.serviceAccountName": spec.get("serviceAccountName") or "",
            "spec.hostNetwork": "true" if spec.get("hostNetwork") else "false",
            "status.phase": status.get("phase") or "",
            "status.podIP": address,
            "status.podIPs": address,
            "status.nominatedNodeName": status.get("nominatedNodeName") or "",
        }

    def cells(self, stored: Stored, now: float) -> list[Any]:
        return pod_cells(stored.object, now)


class ResizeKind(PodKind):
    """Pods, where their resources are written."""

    __slots__ = ()

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        prepare_resize(item, old)

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*validate_pod(item), *validate_resize(item, old)]


class EphemeralContainersKind(PodKind):
    """Pods, where containers are added to look at the others."""

    __slots__ = ()

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        prepare_ephemeral(item, old)

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*validate_pod(item), *validate_ephemeral(item, old)]


_NAMES = Names("Pod", "pods", "pod", short=("po",), categories=("all",))
_SCHEMA = "io.k8s.api.core.v1.Pod"

RESIZE = ResizeKind(_NAMES, _SCHEMA, generation=True)
EPHEMERAL_CONTAINERS = EphemeralContainersKind(_NAMES, _SCHEMA, generation=True)
PODS = PodKind(
    _NAMES,
    _SCHEMA,
    subresources=("status", "binding", "eviction", "resize", "ephemeralcontainers"),
    generation=True,
    columns=COLUMNS,
    field_labels=_FIELD_LABELS,
)
