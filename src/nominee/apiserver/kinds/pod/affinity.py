"""Affinity to nodes and to other pods.

The rules of validateAffinity of pkg/apis/core/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import forbidden, invalid, required
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.status import FieldError

Item = Mapping[str, Any]

REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
_WEIGHT = "must be in the range 1-100"


def validate_affinity(affinity: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with the affinity of a pod."""
    if "nodeAffinity" in affinity:
        yield from _validate_node_affinity(affinity["nodeAffinity"], f"{path}.nodeAffinity")
    for name in ("podAffinity", "podAntiAffinity"):
        if name in affinity:
            yield from _validate_pod_affinity(affinity[name], f"{path}.{name}")


def _validate_node_affinity(affinity: Item, path: str) -> Iterator[FieldError]:
    if REQUIRED in affinity:
        yield from validate_node_selector(affinity[REQUIRED], f"{path}.{REQUIRED}")
    for position, term in enumerate(affinity.get(PREFERRED) or ()):
        at = f"{path}.{PREFERRED}[{position}]"
        if not 1 <= (term.get("weight") or 0) <= 100:
            yield invalid(f"{at}.weight", term.get("weight") or 0, _WEIGHT)
        # A preference may name values that no label can have: it prefers nothing then.
        yield from _validate_node_term(term.get("preference") or {}, f"{at}.preference", any_value=True)


def validate_node_selector(selector: Item, path: str) -> Iterator[FieldError]:
    """What is wrong with a selector of nodes."""
    terms = selector.get("nodeSelectorTerms")
    if not terms:
        yield required(f"{path}.nodeSelectorTerms", "must have at least one node selector term")
        return
    for position, term in enumerate(terms):
        yield from _validate_node_term(term, f"{path}.nodeSelectorTerms[{position}]")


def _validate_node_term(term: Item, path: str, *, any_value: bool = False) -> Iterator[FieldError]:
    for position, expression in enumerate(term.get("matchExpressions") or ()):
        yield from _validate_expression(
            expression, f"{path}.matchExpressions[{position}]", any_value=any_value
        )
    for position, expression in enumerate(term.get("matchFields") or ()):
        yield from _validate_field(expression, f"{path}.matchFields[{position}]")


def _validate_expression(expression: Item, path: str, *, any_value: bool) -> Iterator[FieldError]:
    operator, values = expression.get("operator") or "", expression.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden(f"{path}.values", why)
    elif operator not in ("Gt", "Lt"):
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    elif len(values) != 1:
        yield required(f"{path}.values", "must be specified single value when `operator` is 'Lt' or 'Gt'")
    key = expression.get("key") or ""
    for fault in syntax.label_key(key):
        yield invalid(f"{path}.key", key, fault)
    for position, value in enumerate(() if any_value else values):
        for fault in syntax.label_value(value):
            yield invalid(f"{path}.values[{position}]", value, fault)


def _validate_field(expression: Item, path: str) -> Iterator[FieldError]:
    operator, values = expression.get("operator") or "", expression.get("values") or ()
    if operator not in ("In", "NotIn"):
        yield invalid(f"{path}.operator", operator, "not a valid selector operator")
    elif len(values) != 1:
        why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        yield required(f"{path}.values", why)
    key = expression.get("key") or ""
    if key != "metadata.name":
        yield invalid(f"{path}.key", key, "not a valid field selector key")
        return
    for position, value in enumerate(values):
        for fault in syntax.dns_subdomain(value):
            yield invalid(f"{path}.values[{position}]", value, fault)


def _validate_pod_affinity(affinity: Item, path: str) -> Iterator[FieldError]:
    for position, term in enumerate(affinity.get(REQUIRED) or ()):
        yield from _validate_pod_term(term, f"{path}.{REQUIRED}[{position}]")
    for position, weighted in enumerate(affinity.get(PREFERRED) or ()):
        at = f"{path}.{PREFERRED}[{position}]"
        if not 1 <= (weighted.get("weight") or 0) <= 100:
            yield invalid(f"{at}.weight", weighted.get("weight") or 0, _WEIGHT)
        yield from _validate_pod_term(weighted.get("podAffinityTerm") or {}, f"{at}.podAffinityTerm")


def _validate_pod_term(term: Item, path: str) -> Iterator[FieldError]:
    yield from validate_label_selector(term.get("labelSelector"), f"{path}.labelSelector")
    yield from validate_label_selector(term.get("namespaceSelector"), f"{path}.namespaceSelector")
    for name in term.get("namespaces") or ():
        for fault in syntax.dns_label(name):
            yield invalid(f"{path}.namespace", name, fault)
    match, mismatch = term.get("matchLabelKeys") or (), term.get("mismatchLabelKeys") or ()
    if match or mismatch:
        yield from validate_label_keys(term.get("labelSelector"), match, mismatch, path)
    key = term.get("topologyKey") or ""
    if not key:
        yield required(f"{path}.topologyKey", "can not be empty")
    for fault in syntax.label_key(key):
        yield invalid(f"{path}.topologyKey", key, fault)


def validate_label_keys(
    selector: Item | None, match: Sequence[str], mismatch: Sequence[str], path: str
) -> Iterator[FieldError]:
    """What is wrong with keys whose values come from the pod itself.

    Reproduces ValidateMatchLabelKeysAndMismatchLabelKeys of pkg/apis/core/validation/validation.go, v1.37.
    The selector has been widened by these keys before: a key that it names twice was named by the user.
    """
    for name, keys in (("matchLabelKeys", match), ("mismatchLabelKeys", mismatch)):
        if keys and selector is None:
            yield forbidden(f"{path}.{name}", "must not be specified when labelSelector is not set")
            continue
        for position, key in enumerate(keys):
            for fault in syntax.label_key(key):
                yield invalid(f"{path}.{name}[{position}]", key, fault)
    yield from _validate_keys_once(selector or {}, match, path)
    for position, key in enumerate(match):
        if key in mismatch:
            why = "exists in both matchLabelKeys and mismatchLabelKeys"
            yield invalid(f"{path}.matchLabelKeys[{position}]", key, why)


def _validate_keys_once(selector: Item, match: Sequence[str], path: str) -> Iterator[FieldError]:
    positions = {key: position for position, key in enumerate(match)}
    named = set(selector.get("matchLabels") or ())
    for expression in selector.get("matchExpressions") or ():
        key = expression.get("key") or ""
        if key in positions and key in named:
            why = "exists in both matchLabelKeys and labelSelector"
            yield invalid(f"{path}[{positions[key]}]", key, why)
        named.add(key)
