"""What containers and pods may ask for, and the class of service that follows from it.

The rules of validateResourceRequirements and validatePodResources of
pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import (
    NEGATIVE,
    duplicate,
    forbidden,
    invalid,
    not_supported,
    quoted,
    required,
)
from nominee.apiserver.status import FieldError
from nominee.errors import InputError
from nominee.model.quantity import NANO, nano_value
from nominee.model.resource_names import is_extended_resource_name, is_hugepage, is_native

NameRule = Callable[[str, str], Iterator[FieldError]]

_COMPUTE = ("cpu", "memory")  # good everywhere: nothing to check but the amount
_PLAIN = (*_COMPUTE, "ephemeral-storage")
_STANDARD = frozenset(
    {
        *_PLAIN, "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
        "persistentvolumeclaims", "storage", "services.nodeports", "services.loadbalancers",
        "requests.cpu", "requests.memory", "requests.ephemeral-storage", "requests.storage",
        "limits.cpu", "limits.memory", "limits.ephemeral-storage",
    }
)  # fmt: skip
_COUNTED = frozenset(
    {
        "pods", "resourcequotas", "services", "replicationcontrollers", "secrets", "configmaps",
        "persistentvolumeclaims", "services.nodeports", "services.loadbalancers",
    }
)  # fmt: skip


def validate_container_resources(
    resources: Mapping[str, Any], claims: Collection[str], path: str
) -> Iterator[FieldError]:
    """What is wrong with what a container asks for; `claims` are those of its pod."""
    return _validate(resources, claims, path, _container_resource)


def validate_pod_resources(
    resources: Mapping[str, Any], claims: Collection[str], path: str
) -> Iterator[FieldError]:
    """The same for what a pod asks for as a whole."""
    return _validate(resources, claims, path, _pod_resource)


def validate_amount(name: str, quantity: Any, path: str) -> Iterator[FieldError]:
    """What is wrong with an amount of a resource.

    Reproduces ValidateResourceQuantityValue of pkg/apis/core/validation/validation.go, v1.37.
    """
    nanos = nano_value(quantity)
    if nanos < 0:
        yield invalid(path, str(quantity), NEGATIVE)
    if name not in _PLAIN and _is_counted(name) and nanos % NANO:
        yield invalid(path, quantity, "must be an integer")


def _is_counted(name: str) -> bool:
    return name in _COUNTED or is_extended_resource_name(name)


def _validate(
    resources: Mapping[str, Any], claims: Collection[str], path: str, check_name: NameRule
) -> Iterator[FieldError]:
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, quantity in limits.items():
        if name not in _COMPUTE or nano_value(quantity) < 0:
            yield from _validate_entry(name, quantity, f"{path}.limits[{name}]", check_name)
    for name, quantity in requests.items():
        if name in _COMPUTE and name not in limits and nano_value(quantity) >= 0:
            continue
        at = f"{path}.requests[{name}]"
        yield from check_name(name, at)
        yield from validate_amount(name, quantity, at)
        yield from _validate_against_limit(name, quantity, limits, path)
        yield from _validate_pages(name, quantity, at)
    if _has_pages_alone(limits, requests):
        yield forbidden(path, "HugePages require cpu or memory")
    if resources.get("claims"):
        yield from _validate_claim_names(resources["claims"], claims, f"{path}.claims")


def _validate_entry(name: str, quantity: Any, path: str, check_name: NameRule) -> Iterator[FieldError]:
    yield from check_name(name, path)
    yield from validate_amount(name, quantity, path)
    yield from _validate_pages(name, quantity, path)


def _validate_against_limit(
    name: str, quantity: Any, limits: Mapping[str, Any], path: str
) -> Iterator[FieldError]:
    limit = limits.get(name)
    overcommit = name in _PLAIN or (is_native(name) and not is_hugepage(name))
    if limit is None:
        if not overcommit:
            yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
    elif limit == quantity:
        return
    elif not overcommit and nano_value(quantity) != nano_value(limit):
        yield invalid(f"{path}.requests", str(quantity), f"must be equal to {name} limit of {limit}")
    elif nano_value(quantity) > nano_value(limit):
        yield invalid(
            f"{path}.requests", str(quantity), f"must be less than or equal to {name} limit of {limit}"
        )


def _validate_pages(name: str, quantity: Any, path: str) -> Iterator[FieldError]:
    if is_hugepage(name) and not _divides(name, quantity):
        yield invalid(path, str(quantity), f"{quantity} is not positive integer multiple of {name}")


def _divides(name: str, quantity: Any) -> bool:
    size = _page_size(name)
    return size > 0 and size % NANO == 0 and -(-nano_value(quantity) // NANO) % (size // NANO) == 0


def _page_size(name: str) -> int:
    try:
        return nano_value(name.removeprefix("hugepages-"))
    except InputError:
        return 0


def _has_pages_alone(limits: Mapping[str, Any], requests: Mapping[str, Any]) -> bool:
    if "cpu" in requests or "memory" in requests or "cpu" in limits or "memory" in limits:
        return False
    return any(map(is_hugepage, (*limits, *requests)))


def _resource_name(name: str, path: str) -> Iterator[FieldError]:
    if name in _STANDARD:
        return
    faults = syntax.label_key(name)
    for fault in faults:
        yield invalid(path, name, fault)
    if not faults and "/" not in name and not is_hugepage(name.removeprefix("requests.")):
        yield invalid(path, name, "must be a standard resource type or fully qualified")


def _container_resource(name: str, path: str) -> Iterator[FieldError]:
    if name in _PLAIN:
        return
    yield from _resource_name(name, path)
    if "/" not in name:
        if not is_hugepage(name):
            yield invalid(path, name, "must be a standard resource for containers")
    elif not is_native(name) and not is_extended_resource_name(name):
        yield invalid(path, name, "doesn't follow extended resource name standard")


def _pod_resource(name: str, path: str) -> Iterator[FieldError]:
    errors = list(_resource_name(name, path))
    yield from errors
    if not errors and name not in ("cpu", "memory") and not is_hugepage(name):
        yield not_supported(path, name, ("cpu", "hugepages-", "memory"))


def _validate_claim_names(
    claims: Collection[Mapping[str, Any]], known: Collection[str], path: str
) -> Iterator[FieldError]:
    seen: set[str] = set()
    for position, claim in enumerate(claims):
        at = f"{path}[{position}]"
        name, request = claim.get("name") or "", claim.get("request") or ""
        if not name:
            yield required(at)
            continue
        yield from _validate_claim_once(name, request, seen, at)
        if name not in known:
            listed = ": " + ", ".join(sorted(known)) if known else " which is empty"
            message = (
                f"Not found: {quoted(name)}: must be one of the names in pod.spec.resourceClaims{listed}"
            )
            yield FieldError(at, "FieldValueNotFound", message)


def _validate_claim_once(name: str, request: str, seen: set[str], path: str) -> Iterator[FieldError]:
    if name in seen:
        yield duplicate(path, name)
        return
    key = f"{name}/{request}" if request else name
    for fault in syntax.dns_label(request) if request else ():
        yield invalid(f"{path}.request", request, fault)
    if key in seen:
        yield duplicate(path, key)
    elif not request:
        for other in seen:
            if other.partition("/")[0] == name:
                yield duplicate(path, name)
    seen.add(key)
