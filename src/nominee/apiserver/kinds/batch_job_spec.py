"""What the specification of a job may say: of jobs, and of the jobs that a cron job makes.

Rules of validateJobSpec in pkg/apis/batch/validation/validation.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.apps_shared import compiled, nonnegative
from nominee.apiserver.kinds.apps_templates import labels_of, mismatch
from nominee.apiserver.kinds.batch_job_policies import validate_failure_policy, validate_success_policy
from nominee.apiserver.kinds.field_errors import invalid, not_supported, required, too_long
from nominee.apiserver.kinds.pod.template import validate_pod_template
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.status import FieldError

NUMBERS = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
MODES = ("NonIndexed", "Indexed")
REPLACEMENTS = ("Failed", "TerminatingOrFailed")
INDEX_LIMIT = 100_000
MANY = 10_000
MANAGED_BY_LIMIT = 63


def validate_job_spec(spec: JsonObject, path: str) -> list[FieldError]:
    """What is wrong with all but the selector."""
    errors = [error for name in NUMBERS for error in nonnegative(spec, name, path)]
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        errors.append(required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified"))
    errors += _validate_managed_by(spec, path)
    if spec["completionMode"] not in MODES:
        errors.append(not_supported(f"{path}.completionMode", spec["completionMode"], MODES))
    if spec["completionMode"] == "Indexed":
        errors += _validate_indexed(spec, path)
    elif spec["completionMode"] == "NonIndexed":
        errors += [
            invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")
            for name in ("backoffLimitPerIndex", "maxFailedIndexes")
            if spec.get(name) is not None
        ]
    return [*errors, *_validate_policies(spec, path), *_validate_template(spec, path)]


def validate_selected(spec: JsonObject, path: str) -> list[FieldError]:
    """What is wrong with the selector, which must find the pods however it came about."""
    if spec.get("selector") is None:
        return [required(f"{path}.selector")]
    errors = list(validate_label_selector(spec["selector"], f"{path}.selector"))
    selector = compiled(spec["selector"])
    if selector is not None and not selector.matches(labels_of(spec["template"])):
        errors.append(mismatch(spec["template"]))
    return errors


def _validate_managed_by(spec: JsonObject, path: str) -> list[FieldError]:
    owner, place = spec.get("managedBy"), f"{path}.managedBy"
    if owner is None:
        return []
    host, _, rest = owner.partition("/")
    errors = []
    if not owner:
        errors.append(required(place))
    elif not host or not rest:
        errors.append(invalid(place, owner, 'must be a domain-prefixed path (such as "acme.io/foo")'))
    else:
        errors += [invalid(place, host, fault) for fault in syntax.dns_subdomain(host)]
    if len(owner) > MANAGED_BY_LIMIT:
        errors.append(too_long(place, MANAGED_BY_LIMIT))
    return errors


def _validate_indexed(spec: JsonObject, path: str) -> list[FieldError]:
    errors = []
    completions, parallelism = spec.get("completions"), spec["parallelism"]
    failures = spec.get("maxFailedIndexes")
    if completions is None:
        errors.append(required(f"{path}.completions", "when completion mode is Indexed"))
    if parallelism > INDEX_LIMIT:
        why = f"must be less than or equal to {INDEX_LIMIT} when completion mode is Indexed"
        errors.append(invalid(f"{path}.parallelism", parallelism, why))
    if completions is not None and failures is not None and failures > completions:
        why = "must be less than or equal to completions"
        errors.append(invalid(f"{path}.maxFailedIndexes", failures, why))
    if failures is not None and failures > INDEX_LIMIT:
        why = f"must be less than or equal to {INDEX_LIMIT}"
        errors.append(invalid(f"{path}.maxFailedIndexes", failures, why))
    if (completions or 0) > INDEX_LIMIT and spec.get("backoffLimitPerIndex") is not None:
        errors += _validate_huge(spec, path)
    return errors


def _validate_huge(spec: JsonObject, path: str) -> list[FieldError]:
    errors = []
    why = (
        f"must be less than or equal to {MANY} when completions are above {INDEX_LIMIT} "
        "and used with backoff limit per index"
    )
    if spec.get("maxFailedIndexes") is None:
        detail = f"must be specified when completions is above {INDEX_LIMIT}"
        errors.append(required(f"{path}.maxFailedIndexes", detail))
    errors += [
        invalid(f"{path}.{name}", spec[name], why)
        for name in ("parallelism", "maxFailedIndexes")
        if (spec.get(name) or 0) > MANY
    ]
    return errors


def _validate_policies(spec: JsonObject, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if spec.get("podFailurePolicy") is not None:
        errors += validate_failure_policy(spec, f"{path}.podFailurePolicy")
    if spec.get("successPolicy") is not None:
        place = f"{path}.successPolicy"
        if spec["completionMode"] != "Indexed":
            errors.append(invalid(place, spec["successPolicy"], "requires indexed completion mode"))
        else:
            errors += validate_success_policy(spec, place)
    replacement = spec["podReplacementPolicy"]
    allowed = REPLACEMENTS if spec.get("podFailurePolicy") is None else REPLACEMENTS[:1]
    if replacement not in allowed:
        errors.append(not_supported(f"{path}.podReplacementPolicy", replacement, allowed))
    return errors


def _validate_template(spec: JsonObject, path: str) -> list[FieldError]:
    errors = list(validate_pod_template(spec["template"], f"{path}.template"))
    policy = spec["template"]["spec"].get("restartPolicy", "")
    place = f"{path}.template.spec.restartPolicy"
    if policy in ("", "Always"):
        errors.append(required(place, 'valid values: "OnFailure", "Never"'))
    elif policy not in ("OnFailure", "Never"):
        errors.append(not_supported(place, policy, ("OnFailure", "Never")))
    elif policy != "Never" and spec.get("podFailurePolicy") is not None:
        errors.append(invalid(place, policy, 'only "Never" is supported when podFailurePolicy is specified'))
    return errors
