"""Disruption budgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Names
from nominee.apiserver.kinds.apps_rolling import int_or_percent
from nominee.apiserver.kinds.apps_shared import WorkloadKind, nonnegative, status_of
from nominee.apiserver.kinds.field_errors import invalid, not_supported
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.kinds.table import AGE, NAME, age_of
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

COUNTERS = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
EVICTION_POLICIES = ("AlwaysAllow", "IfHealthyBudget")


@dataclass(frozen=True, slots=True)
class DisruptionBudgetKind(WorkloadKind):
    """Rules of pkg/apis/policy/validation/validation.go, v1.37."""

    columns: tuple[Column, ...] = (
        NAME,
        Column("Min Available", description="The minimum number of pods that must be available."),
        Column("Max Unavailable", description="The maximum number of pods that may be unavailable."),
        Column(
            "Allowed Disruptions",
            "integer",
            description="Calculated number of pods that may be disrupted at this time.",
        ),
        AGE,
    )

    def first_status(self) -> JsonObject:
        return dict.fromkeys(COUNTERS, 0)

    def default(self, item: JsonObject) -> None:
        item.setdefault("spec", {})

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        spec = item["spec"]
        errors = []
        if spec.get("minAvailable") is not None and spec.get("maxUnavailable") is not None:
            errors.append(invalid("spec", spec, "minAvailable and maxUnavailable cannot be both set"))
        errors += int_or_percent(spec, "minAvailable", "spec")
        errors += int_or_percent(spec, "maxUnavailable", "spec")
        errors += validate_label_selector(spec.get("selector"), "spec.selector")
        policy = spec.get("unhealthyPodEvictionPolicy")
        if policy is not None and policy not in EVICTION_POLICIES:
            errors.append(not_supported("spec.unhealthyPodEvictionPolicy", policy, EVICTION_POLICIES))
        return errors

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        status = status_of(item)
        return [error for counter in COUNTERS for error in nonnegative(status, counter, "status")]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        spec = item["spec"]
        return [
            item["metadata"]["name"],
            str(spec.get("minAvailable", "N/A")),
            str(spec.get("maxUnavailable", "N/A")),
            status_of(item).get("disruptionsAllowed", 0),
            age_of(item, now),
        ]


POD_DISRUPTION_BUDGETS = DisruptionBudgetKind(
    Names(
        "PodDisruptionBudget",
        "poddisruptionbudgets",
        "poddisruptionbudget",
        group="policy",
        short=("pdb",),
    ),
    schema="io.k8s.api.policy.v1.PodDisruptionBudget",
    subresources=("status",),
    unconditional=False,
)
