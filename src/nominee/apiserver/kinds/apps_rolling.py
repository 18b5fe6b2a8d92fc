"""How workloads are updated: strategies, and numbers that may be percentages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.apps_shared import nonnegative
from nominee.apiserver.kinds.field_errors import GoStruct, forbidden, invalid, not_supported, required
from nominee.apiserver.status import FieldError


def int_or_percent(tree: Mapping[str, Any], name: str, path: str) -> list[FieldError]:
    """What is wrong with a field that is a number of things, or a share of all.

    Reproduces ValidatePositiveIntOrPercent of pkg/apis/apps/validation/validation.go, v1.37.
    """
    value = tree.get(name)
    if not isinstance(value, str):
        return nonnegative(tree, name, path)
    return [invalid(f"{path}.{name}", value, fault) for fault in syntax.percentage(value)]


def _at_most_all(tree: Mapping[str, Any], name: str, path: str) -> list[FieldError]:
    """IsNotMoreThan100Percent of the same."""
    value = tree.get(name)
    if not isinstance(value, str) or syntax.percentage(value) or int(value[:-1]) <= 100:
        return []
    return [invalid(f"{path}.{name}", value, "must not be greater than 100%")]


def _amount(tree: Mapping[str, Any], name: str) -> int:
    """A percentage is as good as a number here; so is a number that is written as text."""
    value = tree.get(name, 0)
    if not isinstance(value, str):
        return int(value)
    number = value if syntax.percentage(value) else value[:-1]
    return int(number) if re.fullmatch("[-+]?[0-9]+", number) else 0


def _shown(strategy: JsonObject, *names: str) -> GoStruct:
    """A strategy as errors show it: by the names of the fields in Go."""
    rolling = strategy.get("rollingUpdate")
    if rolling is not None:
        rolling = GoStruct({name[0].upper() + name[1:]: rolling.get(name) for name in names})
    return GoStruct({"Type": strategy["type"], "RollingUpdate": rolling})


def validate_deployment_strategy(strategy: JsonObject, path: str) -> list[FieldError]:
    """What is wrong with how a deployment replaces its pods."""
    rolling, place = strategy.get("rollingUpdate"), f"{path}.rollingUpdate"
    match strategy["type"]:
        case "Recreate":
            why = "may not be specified when strategy `type` is 'Recreate'"
            return [] if rolling is None else [forbidden(place, why)]
        case "RollingUpdate":
            return _validate_deployment_rolling(rolling or {}, place)
        case _:
            shown = _shown(strategy, "maxUnavailable", "maxSurge")
            return [not_supported(path, shown, ("Recreate", "RollingUpdate"))]


def _validate_deployment_rolling(rolling: JsonObject, path: str) -> list[FieldError]:
    errors = int_or_percent(rolling, "maxUnavailable", path) + int_or_percent(rolling, "maxSurge", path)
    if not _amount(rolling, "maxUnavailable") and not _amount(rolling, "maxSurge"):
        why = "may not be 0 when `maxSurge` is 0"
        errors.append(invalid(f"{path}.maxUnavailable", rolling.get("maxUnavailable"), why))
    return [*errors, *_at_most_all(rolling, "maxUnavailable", path)]


def validate_daemon_set_strategy(strategy: JsonObject, path: str) -> list[FieldError]:
    """What is wrong with how a daemon set replaces its pods."""
    match strategy["type"]:
        case "OnDelete":
            return []
        case "RollingUpdate":
            return _validate_daemon_set_rolling(strategy["rollingUpdate"], f"{path}.rollingUpdate")
        case _:
            shown = _shown(strategy, "maxUnavailable", "maxSurge")
            return [not_supported(path, shown, ("RollingUpdate", "OnDelete"))]


def _validate_daemon_set_rolling(rolling: JsonObject, path: str) -> list[FieldError]:
    errors = int_or_percent(rolling, "maxUnavailable", path) + int_or_percent(rolling, "maxSurge", path)
    unavailable, surge = _amount(rolling, "maxUnavailable"), _amount(rolling, "maxSurge")
    if unavailable and surge:
        why = "may not be set when maxUnavailable is non-zero"
        errors.append(invalid(f"{path}.maxSurge", rolling["maxSurge"], why))
    if not unavailable and not surge:
        errors.append(required(f"{path}.maxUnavailable", "cannot be 0 when maxSurge is 0"))
    for name in ("maxUnavailable", "maxSurge"):
        errors += _at_most_all(rolling, name, path)
    return errors


def validate_stateful_set_strategy(strategy: JsonObject, path: str) -> list[FieldError]:
    """What is wrong with how a stateful set replaces its pods."""
    rolling, place = strategy.get("rollingUpdate"), f"{path}.rollingUpdate"
    match strategy["type"]:
        case "OnDelete":
            why = "only allowed for updateStrategy 'RollingUpdate'"
            return [] if rolling is None else [invalid(place, rolling, why)]
        case "RollingUpdate":
            return [] if rolling is None else _validate_stateful_set_rolling(rolling, place)
        case _:
            shown = _shown(strategy, "partition", "maxUnavailable")
            return [invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")]


def _validate_stateful_set_rolling(rolling: JsonObject, path: str) -> list[FieldError]:
    errors = nonnegative(rolling, "partition", path)
    if rolling.get("maxUnavailable") is not None:
        place = f"{path}.maxUnavailable"
        errors += int_or_percent(rolling, "maxUnavailable", path)
        if not _amount(rolling, "maxUnavailable"):
            errors.append(invalid(place, rolling["maxUnavailable"], "cannot be 0"))
        errors += _at_most_all(rolling, "maxUnavailable", path)
    return errors
