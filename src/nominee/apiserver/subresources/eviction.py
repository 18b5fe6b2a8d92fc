"""Eviction: a pod goes, if its disruption budget allows that.

Reproduces EvictionREST of pkg/registry/core/pod/storage/eviction.go, v1.37. There is one writer here, so
nothing is tried twice.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from nominee.apiserver.kind import Context, JsonObject
from nominee.apiserver.kinds.pod.conditions import find, is_true, with_condition
from nominee.apiserver.rest.options import DeleteOptions, Propagation
from nominee.apiserver.status import bad_request, forbidden, refusal
from nominee.apiserver.subresources.binding import CREATED
from nominee.apiserver.subresources.body import part, text, texts, truth, whole
from nominee.errors import ApiError, InputError
from nominee.model.codec import decode
from nominee.model.meta import LabelSelector
from nominee.model.selectors import label_selector
from nominee.store.ports import Stored

if TYPE_CHECKING:
    from nominee.apiserver.rest.rest import Rest

BUDGETS = "poddisruptionbudgets.policy"
_MOST_PENDING = 2000
_VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget."
_CONDITION = {
    "type": "DisruptionTarget",
    "status": "True",
    "reason": "EvictionByEvictionAPI",
    "message": "Eviction API: evicting",
}


def evict(rest: Rest, pod_key: str, body: JsonObject, context: Context) -> JsonObject:
    """Delete a pod within its budget; answers with a Status, 429 if the budget is used up."""
    name = pod_key.rpartition("/")[2]
    if text(part(body, "metadata"), "name") != name:
        raise bad_request("name in URL does not match name in Eviction object")
    options = part(body, "deleteOptions")
    if texts(options, "dryRun"):
        context = rest.context(context.manager, user=context.user, dry_run=True)
    stored = rest.get("pods", pod_key)
    if not _needs_no_budget(stored.object):
        _spend_budget(rest, stored, context)
    _delete(rest, stored, options, context)
    return dict(CREATED)


def _needs_no_budget(pod: JsonObject) -> bool:
    phase = (pod.get("status") or {}).get("phase")
    return phase in ("Succeeded", "Failed", "Pending") or "deletionTimestamp" in pod["metadata"]


def _delete(rest: Rest, stored: Stored, options: JsonObject, context: Context) -> None:
    wanted = part(options, "preconditions")
    asked = DeleteOptions(
        grace_period_seconds=whole(options, "gracePeriodSeconds"),
        propagation=_propagation(text(options, "propagationPolicy")),
        orphan_dependents=truth(options, "orphanDependents"),
        uid=text(wanted, "uid") or None,
        resource_version=text(wanted, "resourceVersion") or None,
    )
    before = stored.version
    if not context.dry_run:
        stored = _mark(rest, stored, asked, context)
    if asked.resource_version == str(before):  # we have written the one after it ourselves
        asked = replace(asked, resource_version=str(stored.version))
    rest.delete("pods", stored.key, asked, context)


def _propagation(policy: str) -> Propagation:
    if policy not in ("", "Background", "Foreground", "Orphan"):
        raise bad_request(f"deleteOptions.propagationPolicy: unsupported value {policy!r}")
    return cast("Propagation", policy)


def _mark(rest: Rest, stored: Stored, options: DeleteOptions, context: Context) -> Stored:
    """Write into the pod's status why it goes, if it is the pod that is meant."""
    metadata = stored.object["metadata"]
    meant = (options.uid in (None, metadata.get("uid"))) and (
        options.resource_version in (None, str(stored.version))
    )
    if not meant:  # the deletion says so
        return stored
    status = dict(stored.object.get("status") or {})
    status["conditions"] = with_condition(status.get("conditions") or (), _CONDITION, context.now)
    if status == stored.object.get("status"):
        return stored
    item = {**stored.object, "metadata": dict(metadata), "status": status}
    return rest.store.update("pods", stored.key, item, stored.version)


def _spend_budget(rest: Rest, stored: Stored, context: Context) -> None:
    budgets = [budget for budget in _budgets(rest, stored) if _selects(budget.object, stored.object)]
    if len(budgets) > 1:
        why = (
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
        )
        raise refusal(500, "", why)
    if not budgets:
        return
    budget = budgets[0]
    if not _is_ready(stored.object) and _lets_unhealthy_go(budget.object):
        return
    _check_budget(budget.object)
    if not context.dry_run:
        item = _spent(budget.object, stored.object["metadata"]["name"], context.now)
        rest.store.update(BUDGETS, budget.key, item, budget.version)


def _budgets(rest: Rest, stored: Stored) -> list[Stored]:
    return list(rest.store.list(BUDGETS, stored.object["metadata"].get("namespace") or ""))


def _selects(budget: JsonObject, pod: JsonObject) -> bool:
    selector = (budget.get("spec") or {}).get("selector")
    if selector is None:
        return False
    try:
        compiled = label_selector(decode(LabelSelector, selector))
    except InputError:  # it selects nobody
        return False
    return compiled.matches(pod["metadata"].get("labels") or {})


def _is_ready(pod: JsonObject) -> bool:
    return is_true((pod.get("status") or {}).get("conditions") or (), "Ready")


def _lets_unhealthy_go(budget: JsonObject) -> bool:
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    healthy, desired = _counts(budget)
    return healthy >= desired > 0


def _counts(budget: JsonObject) -> tuple[int, int]:
    status = budget.get("status") or {}
    return status.get("currentHealthy") or 0, status.get("desiredHealthy") or 0


def _check_budget(budget: JsonObject) -> None:
    status, metadata = budget.get("status") or {}, budget["metadata"]
    name, allowed = metadata["name"], status.get("disruptionsAllowed") or 0
    told = f"The disruption budget {name} does not allow evicting pods currently"
    if (status.get("observedGeneration") or 0) < (metadata.get("generation") or 0):
        raise _refused(10, f"The disruption budget {name} is still being processed by the server.")
    if allowed < 0:
        error = forbidden("poddisruptionbudget.policy", name, "pdb disruptions allowed is negative")
        raise _because(error, f"{told}: pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or ()) > _MOST_PENDING:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        error = forbidden("poddisruptionbudget.policy", name, why)
        raise _because(error, f"{told}: too many pending evictions not confirmed by PDB controller")
    if allowed == 0:
        raise _refused(0, _why_not(budget))


def _why_not(budget: JsonObject) -> str:
    name, (healthy, desired) = budget["metadata"]["name"], _counts(budget)
    condition = find((budget.get("status") or {}).get("conditions") or (), "DisruptionAllowed") or {}
    told = f"The disruption budget {name} does not allow evicting pods currently"
    message = condition.get("message") if condition.get("status") == "False" else None
    if message and condition.get("reason") == "SyncFailed":
        return f"{told} because it failed sync: {message}"
    if healthy <= desired:
        return f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
    return f"{told} ({condition.get('reason') or ''}): {message}" if message else told


def _refused(retry_after: int, why: str) -> ApiError:
    error = refusal(429, "TooManyRequests", _VIOLATED, details={}, retry_after=retry_after or None)
    return _because(error, why)


def _because(error: ApiError, why: str) -> ApiError:
    if error.body is not None:
        causes = error.body.setdefault("details", {}).setdefault("causes", [])
        causes.append({"reason": "DisruptionBudget", "message": why})
    return error


def _spent(budget: JsonObject, pod_name: str, now: str) -> JsonObject:
    """The budget with one disruption less, and the pod among those that are about to go."""
    status: dict[str, Any] = dict(budget.get("status") or {})
    status["disruptionsAllowed"] = status["disruptionsAllowed"] - 1
    if status["disruptionsAllowed"] == 0:
        condition = {
            "type": "DisruptionAllowed",
            "status": "False",
            "reason": "InsufficientPods",
            "message": "",
            "observedGeneration": status.get("observedGeneration") or 0,
        }
        status["conditions"] = with_condition(status.get("conditions") or (), condition, now)
    status["disruptedPods"] = {**(status.get("disruptedPods") or {}), pod_name: now}
    return {**budget, "metadata": dict(budget["metadata"]), "status": status}
