"""What a job says of failures and of success beyond mere numbers.

Reproduces pkg/controller/job/{pod_failure_policy,success_policy}.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kinds.batch_indexes import IndexesError, parse_indexes
from nominee.store.ports import JsonObject

Item = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the first rule that fits a failed pod says; `message` is why the job fails, where it does."""

    action: str = ""
    message: str = ""

    @property
    def ignores(self) -> bool:
        """Whether the failure is none."""
        return self.action == "Ignore"

    @property
    def fails_index(self) -> bool:
        """Whether nobody is to work on the pod's index any more."""
        return self.action == "FailIndex"


NONE = Ruling()


def ruling_on(job: JsonObject, pod: JsonObject) -> Ruling:
    """What the job's policy says of a failed pod."""
    rules = (job["spec"].get("podFailurePolicy") or {}).get("rules") or ()
    name = f"{pod['metadata']['namespace']}/{pod['metadata']['name']}" if rules else ""
    for position, rule in enumerate(rules):
        action = rule.get("action", "")
        found = _container(pod, rule["onExitCodes"]) if rule.get("onExitCodes") else None
        condition = _condition(pod, rule.get("onPodConditions") or ())
        if found is not None:
            code = found["state"]["terminated"]["exitCode"]
            what = f"Container {found['name']} for pod {name} failed with exit code {code}"
        elif condition:
            what = f"Pod {name} has condition {condition}"
        else:
            continue
        told = f"{what} matching {action} rule at index {position}"
        return Ruling(action, told if action == "FailJob" else "")
    return NONE


def _container(pod: JsonObject, wanted: Item) -> Item | None:
    """The first container that has ended with one of the exit codes, or with another than these."""
    status = pod.get("status") or {}
    for part in ("containerStatuses", "initContainerStatuses"):
        for one in status.get(part) or ():
            if wanted.get("containerName") not in (None, one.get("name")):
                continue
            code = ((one.get("state") or {}).get("terminated") or {}).get("exitCode") or 0
            if code and (code in (wanted.get("values") or ())) == (wanted.get("operator") == "In"):
                return one  # type: ignore[no-any-return]
    return None


def _condition(pod: JsonObject, patterns: Iterable[Item]) -> str:
    wanted = {(one.get("type"), one.get("status") or "True") for one in patterns}
    for one in (pod.get("status") or {}).get("conditions") or ():
        if (one.get("type"), one.get("status")) in wanted:
            return str(one["type"])
    return ""


def success_of(job: JsonObject, succeeded: frozenset[int]) -> tuple[str, str] | None:
    """Reason and message, if the indexes that have succeeded are enough."""
    completions = job["spec"].get("completions") or 0
    rules = (job["spec"].get("successPolicy") or {}).get("rules") or ()
    for position, rule in enumerate(rules if succeeded else ()):
        if _enough(rule, succeeded, completions):
            return "SuccessPolicy", f"Matched rules at index {position}"
    return None


def _enough(rule: Item, succeeded: frozenset[int], completions: int) -> bool:
    count, text = rule.get("succeededCount"), rule.get("succeededIndexes")
    if text is None:
        return count is not None and len(succeeded) >= count
    try:
        intervals = parse_indexes(text, completions)
    except IndexesError:
        return False
    wanted = {index for first, last in intervals for index in range(first, last + 1)}
    done = len(wanted & succeeded)
    return bool(wanted) and (done == len(wanted) or (count is not None and done >= count))
