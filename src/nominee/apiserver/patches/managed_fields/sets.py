"""Sets of fields, in the form in which objects carry them: FieldsV1.

A set is a tree. `f:name` is a field or a key, `k:{…}` an element of a list by its keys, `v:…` one by its
value. A node belongs to the set if it is empty or holds a `.`; other nodes only lead to some that do.
Trees are never changed, so they share their parts.

After structured-merge-diff's fieldpath/set.go and fieldpath/serialize.go, v6.4.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from nominee.apiserver.patches.managed_fields.steps import declared_type
from nominee.apiserver.schema.go_values import go_number
from nominee.apiserver.schema.type import Struct, Type

Fields = dict[str, Any]

LEAF: Fields = {}
"""A node that belongs to the set and has nothing below."""


def is_member(node: Fields) -> bool:
    """Whether the place of a node itself is in the set."""
    return not node or "." in node


def node_of(children: Fields, *, member: bool) -> Fields | None:
    """A node with these below it; None if that says nothing."""
    if not children:
        return LEAF if member else None
    return {".": LEAF, **children} if member else children


def below(node: Fields) -> Fields:
    """The children of a node alone."""
    if "." not in node:
        return node
    return {step: child for step, child in node.items() if step != "."}


def union(left: Fields, right: Fields) -> Fields:
    """What is in either."""
    if left is right or not right:
        return left
    if not left:
        return right
    result = dict(left)
    for step, node in right.items():
        old = result.get(step)
        result[step] = node if old is None else _united(old, node)
    return result


def _united(left: Fields, right: Fields) -> Fields:
    member = is_member(left) or is_member(right)
    return node_of(union(below(left), below(right)), member=member) or LEAF


def intersection(left: Fields, right: Fields) -> Fields:
    """What is in both."""
    result = {}
    for step, node in left.items():
        other = right.get(step)
        if other is None or step == ".":
            continue
        member = is_member(node) and is_member(other)
        both = node_of(intersection(below(node), below(other)), member=member)
        if both is not None:
            result[step] = both
    return result


def difference(left: Fields, right: Fields) -> Fields:
    """What is in the left one alone; the same tree if that is all of it."""
    return _without(left, right, recursive=False)


def recursive_difference(left: Fields, right: Fields) -> Fields:
    """The same, and without all that is below what is in the right one."""
    return _without(left, right, recursive=True)


def _without(left: Fields, right: Fields, *, recursive: bool) -> Fields:
    if left.keys().isdisjoint(right):
        return left
    result = {}
    for step, node in left.items():
        other = right.get(step) if step != "." else None
        if other is None:
            result[step] = node
            continue
        if recursive and is_member(other):
            continue
        member = is_member(node) and not is_member(other)
        rest = node_of(_without(below(node), below(other), recursive=recursive), member=member)
        if rest is not None:
            result[step] = rest
    return result


def with_named_fields(fields: Fields, type_: Type) -> Fields:
    """With every declared field on the way to something in the set (EnsureNamedFieldsAreMembers)."""
    result = {}
    for step, node in fields.items():
        named = step.startswith("f:") and isinstance(type_, Struct) and step[2:] in type_.fields
        inner = with_named_fields(below(node), declared_type(type_, step))
        result[step] = node_of(inner, member=is_member(node) or named) or LEAF
    return result


def paths(fields: Fields, prefix: str = "") -> Iterator[str]:
    """As conflicts name them, `.spec.containers[name="a"].image`: members of a level before what is below."""
    steps = sorted(step for step in fields if step != ".")
    for step in steps:
        if is_member(fields[step]):
            yield prefix + path_of(step)
    for step in steps:
        yield from paths(below(fields[step]), prefix + path_of(step))


def path_of(step: str) -> str:
    """One step as people read it."""
    kind, _, rest = step.partition(":")
    if kind == "f":
        return f".{rest}"
    if kind == "k":
        keys = orjson.loads(rest)
        return "[" + ",".join(f"{key}={_told(keys[key])}" for key in sorted(keys)) + "]"
    return f"[={_told(orjson.loads(rest))}]" if kind == "v" else f"[{rest}]"


def _told(value: Any) -> str:
    if isinstance(value, float):
        return go_number(value)
    return orjson.dumps(value).decode()


def canonical(fields: Any) -> Fields:
    """A set as a client wrote it, with its keys as we write them; raises `ValueError`."""
    if not isinstance(fields, dict):
        raise ValueError("no set of fields")  # noqa: TRY004 — the value came from outside
    result: Fields = {}
    for step, node in fields.items():
        known = LEAF if step == "." else canonical(node)
        name = "." if step == "." else _canonical_step(step)
        if name:
            result[name] = known
    return result


def _canonical_step(step: str) -> str:
    """The empty string for a kind of step that nobody knows yet."""
    kind, colon, rest = step[:1], step[1:2], step[2:]
    if colon != ":":
        raise ValueError(f"missing colon: {step}")
    if kind in "fi":
        return step
    if kind not in "kv":
        return ""
    value = orjson.loads(rest)
    if kind == "k" and not isinstance(value, dict):
        raise ValueError(f"no keys: {step}")
    return f"{kind}:{orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()}"
