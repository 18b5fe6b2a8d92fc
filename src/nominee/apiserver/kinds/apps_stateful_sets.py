"""Stateful sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Names
from nominee.apiserver.kinds import apps_templates as templates
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.apps_rolling import validate_stateful_set_strategy
from nominee.apiserver.kinds.apps_shared import (
    WIDE_TEMPLATE,
    WorkloadKind,
    compiled,
    default_into,
    immutable,
    nonnegative,
    status_of,
    template_cells,
)
from nominee.apiserver.kinds.apps_status import CEILINGS, validate_counters, validate_not_decremented
from nominee.apiserver.kinds.field_errors import invalid, not_supported
from nominee.apiserver.kinds.persistent_volume_claim_spec import validate_claim_spec
from nominee.apiserver.kinds.pod.volume_defaults import default_claim_spec
from nominee.apiserver.kinds.pod.warnings import claim_warnings
from nominee.apiserver.kinds.table import AGE, NAME, age_of
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

COUNTERS = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
RETENTION = ("Retain", "Delete")
POD_MANAGEMENT = ("OrderedReady", "Parallel")
NEGATIVE_HISTORY = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
    "a value >= 0 is recommended"
)
CLAIMS = "spec.volumeClaimTemplates"
UNCHANGEABLE = ("selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy")


@dataclass(frozen=True, slots=True)
class StatefulSetKind(WorkloadKind):
    """Rules of pkg/apis/apps/{v1/defaults.go,validation/validation.go}, v1.37."""

    columns: tuple[Column, ...] = (
        NAME,
        Column("Ready", description="Number of the pod with ready state"),
        AGE,
        *WIDE_TEMPLATE,
    )

    def first_status(self) -> JsonObject:
        return {"replicas": 0, "availableReplicas": 0}

    def default(self, item: JsonObject) -> None:
        spec = item.setdefault("spec", {})
        templates.default_template(spec)
        default_into(
            spec,
            podManagementPolicy="OrderedReady",
            updateStrategy={},
            persistentVolumeClaimRetentionPolicy={},
            replicas=1,
            revisionHistoryLimit=10,
            serviceName="",
        )
        default_into(spec["persistentVolumeClaimRetentionPolicy"], whenDeleted="Retain", whenScaled="Retain")
        _default_strategy(spec["updateStrategy"])
        for claim in spec.get("volumeClaimTemplates") or ():
            default_into(claim, apiVersion="v1", kind="PersistentVolumeClaim", metadata={}, spec={})
            default_claim_spec(claim["spec"])
            default_into(claim, status={})
            default_into(claim["status"], phase="Pending")

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        errors = _validate_spec(item["spec"], claims=True)
        name = item["spec"]["serviceName"]
        if name:
            errors += [invalid("spec.serviceName", name, fault) for fault in syntax.dns_label(name)]
        return errors

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec, before = item["spec"], old["spec"]
        errors = _validate_spec(spec)
        for name in UNCHANGEABLE:
            errors += immutable(spec.get(name), before.get(name), f"spec.{name}")
        return errors

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        status = status_of(item)
        return [
            *validate_counters(status, COUNTERS, CEILINGS["stateful set"]),
            *validate_not_decremented(status, status_of(old)),
        ]

    def warnings(self, item: JsonObject) -> Sequence[str]:
        claims = enumerate(item["spec"].get("volumeClaimTemplates") or ())
        return [
            *templates.template_warnings(item),
            *(told for i, claim in claims for told in claim_warnings(claim["spec"], f"{CLAIMS}[{i}]")),
            *_history_warnings(item),
        ]

    def update_warnings(self, item: JsonObject, old: JsonObject) -> Sequence[str]:
        return [*templates.changed_template_warnings(item, old), *_history_warnings(item)]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec, status = item["spec"], status_of(item)
        return [
            item["metadata"]["name"],
            f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
            age_of(item, now),
            *template_cells(spec.get("template")),
        ]


def _default_strategy(strategy: JsonObject) -> None:
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
        default_into(strategy, rollingUpdate={})
    if strategy["type"] == "RollingUpdate" and strategy.get("rollingUpdate") is not None:
        default_into(strategy["rollingUpdate"], partition=0, maxUnavailable=1)


def _history_warnings(item: JsonObject) -> Sequence[str]:
    return (NEGATIVE_HISTORY,) if item["spec"]["revisionHistoryLimit"] < 0 else ()


def _validate_spec(spec: JsonObject, *, claims: bool = False) -> list[FieldError]:
    """ValidateStatefulSetSpec, but for the service's name; `claims` are looked at when a set is created."""
    management = spec["podManagementPolicy"]
    errors = []
    if management not in POD_MANAGEMENT:
        why = "must be 'OrderedReady' or 'Parallel'"
        errors.append(invalid("spec.podManagementPolicy", management, why))
    errors += validate_stateful_set_strategy(spec["updateStrategy"], "spec.updateStrategy")
    errors += _validate_retention(spec["persistentVolumeClaimRetentionPolicy"])
    for i, claim in enumerate(spec.get("volumeClaimTemplates") or () if claims else ()):
        errors += validate_claim_spec(claim["spec"], f"{CLAIMS}[{i}].spec")
    errors += nonnegative(spec, "replicas", "spec") + nonnegative(spec, "minReadySeconds", "spec")
    errors += nonnegative(spec.get("ordinals") or {}, "start", "spec.ordinals")
    return [*errors, *_validate_template(spec)]


def _validate_retention(policy: JsonObject) -> list[FieldError]:
    path = "spec.persistentVolumeClaimRetentionPolicy"
    return [
        not_supported(f"{path}.{name}", policy[name], RETENTION)
        for name in ("whenDeleted", "whenScaled")
        if policy[name] not in RETENTION
    ]


def _validate_template(spec: JsonObject) -> list[FieldError]:
    errors = templates.validate_selector(spec, "statefulset")
    selector = compiled(spec.get("selector"))
    if selector is None:
        return [*errors, invalid("spec.selector", spec.get("selector"), "")]
    template = spec["template"]
    if not selector.empty and not selector.matches(templates.labels_of(template)):
        errors.append(templates.mismatch(template))
    return [*errors, *templates.validate_lasting_template(_with_claims(spec), "StatefulSet")]


def _with_claims(spec: JsonObject) -> JsonObject:
    """The template as pods will have it: claims are volumes, host name and subdomain are the set's."""
    claims = spec.get("volumeClaimTemplates") or ()
    template: JsonObject = spec["template"]
    pod = {name: value for name, value in template["spec"].items() if name not in ("hostname", "subdomain")}
    names = list(dict.fromkeys(claim["metadata"].get("name", "") for claim in claims))
    if names:
        own = [volume for volume in pod.get("volumes") or () if volume.get("name") not in names]
        pod["volumes"] = [
            *({"name": name, "persistentVolumeClaim": {"claimName": name}} for name in names),
            *own,
        ]
    return {**template, "spec": pod}


STATEFUL_SETS = StatefulSetKind(
    Names("StatefulSet", "statefulsets", "statefulset", group="apps", short=("sts",), categories=("all",)),
    schema="io.k8s.api.apps.v1.StatefulSet",
    subresources=("status", "scale"),
    name_rule="label",
)
