"""Groups of pods.

The rules of pkg/apis/scheduling/validation/validation.go and pkg/apis/scheduling/v1beta1, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import IMMUTABLE, invalid, required
from nominee.apiserver.kinds.pod.conditions import find
from nominee.apiserver.kinds.table import AGE, NAME, NONE, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]


class PodGroupKind(Kind):
    """Groups of pods."""

    __slots__ = ()

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(_validate(item.get("spec") or {}))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        spec, before = item.get("spec") or {}, old.get("spec") or {}
        fixed = ("workloadRef", "priorityClassName", "priority")
        return [
            invalid(f"spec.{name}", spec.get(name), IMMUTABLE)
            for name in fixed
            if spec.get(name) != before.get(name)
        ]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec = item.get("spec") or {}
        return [
            item["metadata"]["name"],
            "Gang" if "gang" in (spec.get("schedulingPolicy") or {}) else "Basic",
            (spec.get("workloadRef") or {}).get("workloadName") or NONE,
            _status((item.get("status") or {}).get("conditions") or ()),
            age_of(item, now),
        ]


def _validate(spec: Item) -> Iterator[FieldError]:
    policy = spec.get("schedulingPolicy") or {}
    given = [name for name in ("basic", "gang") if name in policy]
    if len(given) != 1:
        told = f"{{{', '.join(f'`{name}`' for name in given)}}}" if given else ""
        yield invalid("spec.schedulingPolicy", told, "must specify exactly one of: `basic`, `gang`")
    if "gang" in policy and (policy["gang"].get("minCount") or 0) < 1:
        count = policy["gang"].get("minCount") or 0
        yield invalid("spec.schedulingPolicy.gang.minCount", count, "must be greater than or equal to 1")
    name = spec.get("priorityClassName") or ""
    for fault in syntax.dns_subdomain(name) if name else ():
        yield invalid("spec.priorityClassName", name, fault)
    reference = spec.get("workloadRef")
    if spec.get("parentCompositePodGroupName") is not None and reference is None:
        yield required("spec.workloadRef", "must be set when parentCompositePodGroupName is set")


def _status(conditions: Sequence[Item]) -> str:
    disrupted = find(conditions, "DisruptionTarget")
    if disrupted:
        return disrupted.get("reason") or ""
    scheduled = find(conditions, "PodGroupInitiallyScheduled")
    if scheduled is None:
        return "Pending"
    return "Scheduled" if scheduled.get("status") == "True" else "Unschedulable"


POD_GROUPS = PodGroupKind(
    Names("PodGroup", "podgroups", "podgroup", group="scheduling.k8s.io", version="v1beta1"),
    schema="io.k8s.api.scheduling.v1beta1.PodGroup",
    subresources=("status",),
    generation=True,
    columns=(NAME, *shown("Policy", "Workload", "Status"), AGE),
    unconditional=False,
)
