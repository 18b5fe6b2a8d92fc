"""What claims, classes, slices and taint rules of devices have in common.

The rules of pkg/apis/resource/validation/validation.go, v1.37.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kind import JsonObject
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import (
    duplicate,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
)
from nominee.apiserver.kinds.pod.volumes import validate_driver_name
from nominee.apiserver.status import FieldError
from nominee.model.cel import CelError
from nominee.model.device_selectors import compile_selector

Item = Mapping[str, Any]
Rule = Callable[[Any, str], Iterator[FieldError]]

GROUP = "resource.k8s.io"
TAINT_EFFECTS = ("NoExecute", "NoSchedule", "None")
_OPERATORS = ("Equal", "Exists")
_MODES = ("All", "ExactCount")
_EXPRESSION_LIMIT = 10 * 1024
_IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]*"
_identifier = re.compile(_IDENTIFIER).fullmatch
_REFERENCE = (
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
)
_ONE_OF_TWO = "exactly one of `exactly` or `firstAvailable` is required"


def validate_list(items: Sequence[Any], limit: int, rule: Rule, path: str) -> Iterator[FieldError]:
    """Each item of a list, of which there may be so many."""
    if len(items) > limit:
        yield too_many(path, len(items), limit)
        return
    for position, item in enumerate(items):
        yield from rule(item, f"{path}[{position}]")


def validate_unique(items: Sequence[Any], path: str, field: str = "") -> Iterator[FieldError]:
    """No two items of a list are the same, or have the same name."""
    seen: set[Any] = set()
    for position, item in enumerate(items):
        key = item.get(field) or "" if field else item
        if key in seen:
            yield duplicate(f"{path}[{position}]", key)
        seen.add(key)


# -- what a claim asks for ------------------------------------------------------------------------


def default_claim(spec: JsonObject) -> None:
    """Fill in how many devices each request asks for."""
    for request in (spec.get("devices") or {}).get("requests") or ():
        for one in (*(request.get("firstAvailable") or ()), request.get("exactly") or {}):
            if one:
                one["allocationMode"] = one.get("allocationMode") or "ExactCount"
                if one["allocationMode"] == "ExactCount" and not one.get("count"):
                    one["count"] = 1


def validate_claim(spec: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with what a claim asks for."""
    devices, path = spec.get("devices") or {}, f"{path}.devices"
    requests = devices.get("requests") or ()
    names = request_names(devices)
    yield from validate_list(requests, 32, _validate_request, f"{path}.requests")
    yield from validate_unique(requests, f"{path}.requests", "name")
    yield from validate_list(
        devices.get("constraints") or (),
        32,
        lambda c, at: _validate_constraint(c, names, at),
        f"{path}.constraints",
    )
    yield from validate_list(
        devices.get("config") or (), 32, lambda c, at: validate_config(c, names, at), f"{path}.config"
    )


def request_names(devices: Item) -> set[str]:
    """All that may be named: requests, and subrequests behind them."""
    names: set[str] = set()
    for request in devices.get("requests") or ():
        name = request.get("name") or ""
        names.add(name)
        names |= {f"{name}/{one.get('name') or ''}" for one in request.get("firstAvailable") or ()}
    return names


def _validate_request(request: Item, path: str) -> Iterator[FieldError]:
    yield from validate_label_name(request.get("name") or "", f"{path}.name")
    first, exactly = request.get("firstAvailable") or (), request.get("exactly")
    if not first and exactly is None:
        yield required(path, _ONE_OF_TWO)
    elif first and exactly is not None:
        yield invalid(path, None, f"{_ONE_OF_TWO}, but multiple fields are set")
    elif first:
        yield from validate_list(first, 8, _validate_subrequest, f"{path}.firstAvailable")
        yield from validate_unique(first, f"{path}.firstAvailable", "name")
    else:
        yield from _validate_exact(exactly or {}, f"{path}.exactly")


def _validate_subrequest(request: Item, path: str) -> Iterator[FieldError]:
    yield from validate_label_name(request.get("name") or "", f"{path}.name")
    yield from _validate_exact(request, path)


def _validate_exact(request: Item, path: str) -> Iterator[FieldError]:
    name = request.get("deviceClassName") or ""
    if not name:
        yield required(f"{path}.deviceClassName")
    for fault in syntax.dns_subdomain(name) if name else ():
        yield invalid(f"{path}.deviceClassName", name, fault)
    yield from validate_selectors(request.get("selectors") or (), f"{path}.selectors")
    mode, count = request.get("allocationMode") or "", request.get("count") or 0
    if mode not in _MODES:
        yield not_supported(f"{path}.allocationMode", mode, _MODES)
    elif mode == "All" and count:
        yield invalid(f"{path}.count", count, "must not be specified when allocationMode is 'All'")
    elif mode == "ExactCount" and count <= 0:
        yield invalid(f"{path}.count", count, "must be greater than zero")
    yield from validate_list(
        request.get("tolerations") or (), 16, _validate_toleration, f"{path}.tolerations"
    )


def validate_label_name(name: str, path: str) -> Iterator[FieldError]:
    """A name that is a DNS label."""
    for fault in syntax.dns_label(name):
        yield invalid(path, name, fault)


def validate_selectors(selectors: Sequence[Item], path: str) -> Iterator[FieldError]:
    """What is wrong with expressions that select devices."""
    return validate_list(selectors, 32, _validate_selector, path)


def _validate_selector(selector: Item, path: str) -> Iterator[FieldError]:
    cel = selector.get("cel")
    if cel is None:
        yield required(f"{path}.cel")
        return
    expression, at = cel.get("expression") or "", f"{path}.cel.expression"
    if len(expression.encode()) > _EXPRESSION_LIMIT:
        yield too_long(at, _EXPRESSION_LIMIT)
        return
    try:
        compile_selector(expression)
    except CelError as error:
        yield invalid(at, expression, f"compilation failed: {error.message}")


def _validate_toleration(toleration: Item, path: str) -> Iterator[FieldError]:
    key, operator = toleration.get("key") or "", toleration.get("operator") or ""
    value, effect = toleration.get("value") or "", toleration.get("effect") or ""
    for fault in syntax.label_key(key) if key else ():
        yield invalid(f"{path}.key", key, fault)
    if not operator:
        yield required(f"{path}.operator")
    elif operator not in _OPERATORS:
        yield not_supported(f"{path}.operator", operator, _OPERATORS)
    elif operator == "Exists" and value:
        yield invalid(f"{path}.value", value, "must be empty for operator `Exists`")
    for fault in syntax.label_value(value) if operator == "Equal" else ():
        yield invalid(f"{path}.value", value, fault)
    if effect and effect not in TAINT_EFFECTS:
        yield not_supported(f"{path}.effect", effect, TAINT_EFFECTS)


def _validate_constraint(constraint: Item, names: Collection[str], path: str) -> Iterator[FieldError]:
    yield from _validate_references(constraint.get("requests") or (), names, f"{path}.requests")
    for field in ("matchAttribute", "distinctAttribute"):
        if field in constraint:
            yield from validate_full_name(constraint[field], f"{path}.{field}")
            return
    why = 'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set'
    yield required(path, why)


def _validate_references(
    references: Sequence[str], names: Collection[str], path: str
) -> Iterator[FieldError]:
    yield from validate_list(references, 32, lambda name, at: validate_reference(name, names, at), path)
    yield from validate_unique(references, path)


def validate_reference(name: str, names: Collection[str], path: str) -> Iterator[FieldError]:
    """What is wrong with the name of a request in its own claim."""
    parts = name.split("/")
    for part in parts if len(parts) <= 2 else ():
        yield from validate_label_name(part, path)
    if name not in names:
        yield invalid(path, name, _REFERENCE)


def validate_config(config: Item, names: Collection[str] | None, path: str) -> Iterator[FieldError]:
    """What is wrong with a configuration for a driver; `names` are the requests that it may be for."""
    if names is not None:
        yield from _validate_references(config.get("requests") or (), names, f"{path}.requests")
    opaque = config.get("opaque")
    if opaque is None:
        yield required(f"{path}.opaque")
        return
    yield from validate_driver_name(opaque.get("driver") or "", f"{path}.opaque.driver")
    parameters = opaque.get("parameters")
    if parameters is None:
        yield required(f"{path}.opaque.parameters")
    elif not isinstance(parameters, dict):
        why = "must be a valid JSON object"
        yield invalid(f"{path}.opaque.parameters", "<value omitted>", why)


# -- names and taints -----------------------------------------------------------------------------


def validate_pool_name(name: str, path: str) -> Iterator[FieldError]:
    """What is wrong with the name of a pool: DNS names behind slashes."""
    if not name:
        yield required(path)
        return
    if len(name.encode()) > 253:
        yield too_long(path, 253)
    for part in name.split("/"):
        for fault in syntax.dns_subdomain(part):
            yield invalid(path, part, fault)


def validate_full_name(name: str, path: str) -> Iterator[FieldError]:
    """What is wrong with the name of an attribute that must have a domain."""
    yield from validate_qualified_name(name, path)
    if "/" not in name:
        why = "a fully qualified name must be a domain and a name separated by a slash"
        yield invalid(path, name, why)


def validate_qualified_name(name: str, path: str) -> Iterator[FieldError]:
    """What is wrong with the name of an attribute or capacity."""
    domain, slash, key = name.rpartition("/")
    if slash and not domain:
        yield invalid(path, "", "the domain must not be empty")
    elif slash:
        yield from validate_driver_name(domain, path)
    if slash and not key:
        yield invalid(path, "", "the name must not be empty")
        return
    if len(key.encode()) > 32:
        yield too_long(path, 32)
    if not _identifier(key):
        rule = (
            "a valid C identifier must start with alphabetic character or '_', "
            "followed by a string of alphanumeric characters or '_'"
        )
        yield invalid(path, key, syntax.regex_fault(rule, _IDENTIFIER, "my_name", "MY_NAME", "MyName"))


def validate_taint(taint: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with the taint of a device."""
    key, effect = taint.get("key") or "", taint.get("effect") or ""
    for fault in syntax.label_key(key):
        yield invalid(f"{path}.key", key, fault)
    value = taint.get("value") or ""
    for fault in syntax.label_value(value):
        yield invalid(f"{path}.value", value, fault)
    if not effect:
        yield required(f"{path}.effect")
    elif effect not in TAINT_EFFECTS:
        yield not_supported(f"{path}.effect", effect, TAINT_EFFECTS)


def validate_binding_conditions(item: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with the conditions that a device waits for, or fails by."""
    good, bad = item.get("bindingConditions") or (), item.get("bindingFailureConditions") or ()
    for name, conditions in (("bindingConditions", good), ("bindingFailureConditions", bad)):
        yield from validate_list(conditions, 4, _validate_condition, f"{path}.{name}")
        yield from validate_unique(conditions, f"{path}.{name}")
    for position, condition in enumerate(bad):
        if condition in good:
            why = "bindingFailureConditions must not overlap with bindingConditions"
            yield invalid(f"{path}.bindingFailureConditions[{position}]", condition, why)
    if bad and not good:
        why = "bindingConditions are required to use bindingFailureConditions"
        yield invalid(f"{path}.bindingConditions", good, why)
    if good and not bad:
        why = "bindingFailureConditions are required to use bindingConditions"
        yield invalid(f"{path}.bindingFailureConditions", bad, why)


def _validate_condition(name: str, path: str) -> Iterator[FieldError]:
    for fault in syntax.label_key(name):
        yield invalid(path, name, fault)
