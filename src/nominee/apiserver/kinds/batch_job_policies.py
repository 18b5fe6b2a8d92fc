"""What a job's failure and success policies may say.

Rules of pkg/apis/batch/validation/validation.go, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.apps_shared import nonnegative
from nominee.apiserver.kinds.batch_indexes import IndexesError, count_indexes
from nominee.apiserver.kinds.field_errors import (
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from nominee.apiserver.status import FieldError

ACTIONS = ("Count", "FailIndex", "FailJob", "Ignore")
OPERATORS = ("In", "NotIn")
STATUSES = ("False", "True", "Unknown")
RULES_LIMIT = 20
PATTERNS_LIMIT = 20
VALUES_LIMIT = 255
INDEXES_LIMIT = 64 * 1024


def validate_failure_policy(spec: JsonObject, path: str) -> list[FieldError]:
    """What is wrong with what is to happen when pods fail."""
    rules = spec["podFailurePolicy"].get("rules") or ()
    errors = []
    if len(rules) > RULES_LIMIT:
        errors.append(too_many(f"{path}.rules", len(rules), RULES_LIMIT))
    for position, rule in enumerate(rules):
        errors += _validate_failure_rule(spec, rule, f"{path}.rules[{position}]")
    return errors


def _validate_failure_rule(spec: JsonObject, rule: JsonObject, path: str) -> list[FieldError]:
    errors = _one_of(rule.get("action") or "", ACTIONS, f"{path}.action")
    if rule.get("action") == "FailIndex" and spec.get("backoffLimitPerIndex") is None:
        why = "requires the backoffLimitPerIndex to be set"
        errors.append(invalid(f"{path}.action", rule["action"], why))
    codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
    if codes is not None:
        errors += _validate_exit_codes(spec, codes, f"{path}.onExitCodes")
    if conditions:
        errors += _validate_patterns(conditions, f"{path}.onPodConditions")
    if codes is not None and conditions:
        why = "specifying both OnExitCodes and OnPodConditions is not supported"
        errors.append(FieldError(path, "FieldValueInvalid", f"Invalid value: {why}"))
    if codes is None and not conditions:
        why = "specifying one of OnExitCodes and OnPodConditions is required"
        errors.append(FieldError(path, "FieldValueInvalid", f"Invalid value: {why}"))
    return errors


def _one_of(word: str, words: tuple[str, ...], path: str) -> list[FieldError]:
    if word in words:
        return []
    if word:
        return [not_supported(path, word, words)]
    listed = " ".join(f'"{item}"' for item in words)
    return [required(path, f"valid values: [{listed}]")]


def _validate_exit_codes(spec: JsonObject, codes: JsonObject, path: str) -> list[FieldError]:
    errors = _one_of(codes.get("operator") or "", OPERATORS, f"{path}.operator")
    pod = spec["template"]["spec"]
    names = {item.get("name") for part in ("containers", "initContainers") for item in pod.get(part) or ()}
    if codes.get("containerName") is not None and codes["containerName"] not in names:
        why = "must be one of the container or initContainer names in the pod template"
        errors.append(invalid(f"{path}.containerName", codes["containerName"], why))
    return [*errors, *_validate_values(codes, f"{path}.values")]


def _validate_values(codes: JsonObject, path: str) -> list[FieldError]:
    values = codes.get("values") or []
    errors = []
    if not values:
        errors.append(invalid(path, codes.get("values"), "at least one value is required"))
    elif len(values) > VALUES_LIMIT:
        errors.append(too_many(path, len(values), VALUES_LIMIT))
    for position, value in enumerate(values):
        if codes.get("operator") == "In" and value == 0:
            errors.append(invalid(f"{path}[{position}]", value, "must not be 0 for the In operator"))
        if value in values[:position]:
            errors.append(duplicate(f"{path}[{position}]", value))
    if values != sorted(values):
        errors.append(invalid(path, values, "must be ordered"))
    return errors


def _validate_patterns(patterns: list[JsonObject], path: str) -> list[FieldError]:
    errors = []
    if len(patterns) > PATTERNS_LIMIT:
        errors.append(too_many(path, len(patterns), PATTERNS_LIMIT))
    for position, pattern in enumerate(patterns):
        kind = pattern.get("type") or ""
        errors += [invalid(f"{path}[{position}].type", kind, fault) for fault in syntax.label_key(kind)]
        errors += _one_of(pattern.get("status") or "", STATUSES, f"{path}[{position}].status")
    return errors


def validate_success_policy(spec: JsonObject, path: str) -> list[FieldError]:
    """What is wrong with when a job has succeeded before all of it has."""
    rules = spec["successPolicy"].get("rules") or ()
    errors = []
    if not rules:
        why = "at least one rules must be specified when the successPolicy is specified"
        errors.append(required(f"{path}.rules", why))
    if len(rules) > RULES_LIMIT:
        errors.append(too_many(f"{path}.rules", len(rules), RULES_LIMIT))
    completions = spec.get("completions") or 0
    for position, rule in enumerate(rules):
        errors += _validate_success_rule(completions, rule, f"{path}.rules[{position}]")
    return errors


def _validate_success_rule(completions: int, rule: JsonObject, path: str) -> list[FieldError]:
    count, indexes, total = rule.get("succeededCount"), rule.get("succeededIndexes"), 0
    errors = []
    if count is None and indexes is None:
        why = "at least one of succeededCount or succeededIndexes must be specified"
        errors.append(required(path, why))
    if indexes is not None:
        place = f"{path}.succeededIndexes"
        if len(indexes) > INDEXES_LIMIT:
            errors.append(too_long(place, INDEXES_LIMIT))
        try:
            total = count_indexes(indexes, completions)
        except IndexesError as error:
            errors.append(invalid(place, indexes, f"error parsing succeededIndexes: {error}"))
    if count is not None:
        errors += nonnegative(rule, "succeededCount", path)
        errors += _at_most(count, completions, f"{path}.succeededCount", "specified completions")
        if indexes is not None:
            called = "indexes in the specified succeededIndexes field"
            errors += _at_most(count, total, f"{path}.succeededCount", called)
    return errors


def _at_most(count: int, limit: int, path: str, called: str) -> list[FieldError]:
    if count <= limit:
        return []
    return [invalid(path, count, f"must be less than or equal to {limit} (the number of {called})")]
