"""The notation of the files in `types`: one block a type, one line a field.

::

    package io.k8s.api.core.v1 v1                       the package, and its group and version
    use meta io.k8s.apimachinery.pkg.apis.meta.v1       a short word for another package

    alias RestartPolicy = string Always OnFailure Never a name that Go gives to a simple type, its values

    PodSpec | What a pod is to be.                      flags: object, typed, atomic
      containers!: [Container] map(name) +merge(name) | At least one.
      nodeSelector: {string} atomic | Labels that a node must have.

`object` adds apiVersion, kind and metadata, `typed` the first two; `!` is required, `[x]` a list, `{x}` a
map, `*x` a scalar that Go keeps a pointer to, `set`, `map(…)` and `atomic` how it merges, `+…` a strategy
of strategic merge patch, `^…` an embedded struct, `~` that Go always writes it, `=…` a default.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from nominee.apiserver.schema.type import (
    Field,
    Free,
    ListOf,
    MapOf,
    Scalar,
    Struct,
    Type,
    list_of,
    map_of,
)

META = "io.k8s.apimachinery.pkg.apis.meta.v1"

_SIMPLE: Mapping[str, Type] = {
    "string": Scalar("string", "string"),
    "bool": Scalar("bool", "bool"),
    "int32": Scalar("int32", "int32"),
    "int64": Scalar("int64", "int64"),
    "float64": Scalar("float64", "float64"),
    "bytes": Scalar("bytes", "[]uint8"),
    "time": Scalar("time", "v1.Time"),
    "microtime": Scalar("microtime", "v1.MicroTime"),
    "quantity": Scalar("quantity", "resource.Quantity"),
    "int-or-string": Scalar("int-or-string", "intstr.IntOrString"),
    "object": Free(object_only=True, called="runtime.RawExtension"),
    "any": Free(called="v1.JSON"),
}

_WITH_ZERO = frozenset(("string", "bytes", "bool", "int32", "int64", "float64"))
"""Scalars that Go leaves out when they are empty; the others are structs to it, and are not."""

Resolve = Callable[[str], Struct]
"""From the full name of a struct to the struct."""


@dataclass(frozen=True, slots=True)
class Package:
    """One file: the heads of its types are read at once, their fields when somebody asks."""

    name: str
    group: str
    version: str
    uses: Mapping[str, str]
    aliases: dict[str, str] = field(default_factory=dict)
    blocks: dict[str, str] = field(default_factory=dict)


def read_package(text: str) -> Package:
    """The package that a file declares."""
    head, *blocks = text.split("\n\n")
    declaration, *uses = head.splitlines()
    _, full_name, group_version = declaration.split()
    group, _, version = group_version.rpartition("/")
    package = Package(full_name, group, version, dict(line.split()[1:3] for line in uses))
    for block in blocks:
        if block.startswith("alias "):
            for line in block.splitlines():
                name, _, form = line.removeprefix("alias ").partition(" = ")
                package.aliases[name] = form
        else:
            package.blocks[block.split(" ", 1)[0]] = block
    return package


def _compound(form: str, inner: Callable[[str], Type]) -> ListOf | MapOf:
    return list_of(inner(form[1:-1])) if form[0] == "[" else map_of(inner(form[1:-1]))


class Reader:
    """Reads the types of a package, whose names may stand for types of others."""

    def __init__(self, package: Package, packages: Mapping[str, Package], resolve: Resolve) -> None:
        self._package = package
        self._packages = packages
        self._resolve = resolve

    def struct(self, block: str) -> Struct:
        """The type of a block, whose fields wait until they are asked for."""
        head, _, lines = block.partition("\n")
        named, _, description = head.partition("|")
        name, *flags = named.split()
        package = self._package
        is_object = "object" in flags or "typed" in flags
        return Struct(
            f"{package.name}.{name}",
            lambda: self._fields(flags, lines.splitlines()),
            description=description.strip(),
            kind=(package.group, package.version, name) if is_object else None,
            atomic="atomic" in flags,
        )

    def list_struct(self, element: Struct) -> Struct:
        """The list of a kind: every kind has one of the same form."""
        assert element.kind is not None  # noqa: S101 — asked of kinds only
        group, version, name = element.kind
        return Struct(
            f"{element.name}List",
            lambda: self._list_fields(element),
            description=f"A list of objects of kind {name}.",
            kind=(group, version, f"{name}List"),
        )

    def _list_fields(self, element: Struct) -> Mapping[str, Field]:
        return {
            **_TYPED,
            "metadata": Field("metadata", self._resolve(f"{META}.ListMeta"), "Of the list as a whole."),
            "items": Field("items", list_of(element), "The objects.", required=True),
        }

    def _fields(self, flags: Sequence[str], lines: Sequence[str]) -> Mapping[str, Field]:
        fields = dict(_TYPED) if {"object", "typed"} & set(flags) else {}
        if "object" in flags:
            metadata = self._resolve(f"{META}.ObjectMeta")
            fields["metadata"] = Field(
                "metadata", metadata, "Name, labels and what else all objects have.", standing=True
            )
        for line in lines:
            read = self._field(line)
            fields[read.name] = read
        return fields

    def _field(self, line: str) -> Field:
        declared, _, description = line.partition("|")
        named, _, rest = declared.strip().partition(": ")
        form, *marks = rest.split()
        known = _marks(marks)
        type_ = _merging(self._type(form.removeprefix("*")), known)
        stays = form.startswith("*") or known["standing"]
        return Field(
            named.rstrip("!"),
            type_,
            description.strip(),
            required=named.endswith("!"),
            strategies=tuple(known["strategies"]),
            merge_key=known["merge_key"],
            standing=known["standing"],
            omits_zero=isinstance(type_, Scalar) and type_.name in _WITH_ZERO and not stays,
            embedded=known["embedded"],
            default=known["default"],
        )

    def _type(self, form: str) -> Type:
        if form in _SIMPLE:
            return _SIMPLE[form]
        if form[0] in "[{":
            return _compound(form, self._type)
        prefix, _, name = form.rpartition(".")
        if not prefix:
            return self._named(name)
        package = self._packages[self._package.uses[prefix]]
        return Reader(package, self._packages, self._resolve)._named(name)  # noqa: SLF001 — its own kind

    def _named(self, name: str) -> Type:
        if name in self._package.aliases:
            return self._alias(name)
        return self._resolve(f"{self._package.name}.{name}")

    def _alias(self, name: str) -> Type:
        form, *values = shlex.split(self._package.aliases[name])
        called = "types.UID" if name == "UID" else f"{self._package.version}.{name}"
        type_ = self._type(form)
        if isinstance(type_, Scalar):
            return replace(type_, called=called, enum=tuple(values))
        assert isinstance(type_, ListOf | MapOf)  # noqa: S101 — structs need no other name
        return replace(type_, called=called)


_TYPED: Mapping[str, Field] = {
    "apiVersion": Field(
        "apiVersion", _SIMPLE["string"], "The group and version that the object is written in."
    ),
    "kind": Field("kind", _SIMPLE["string"], "The kind of the object, in CamelCase."),
}


def _marks(marks: Sequence[str]) -> dict[str, Any]:
    known: dict[str, Any] = {
        "kind": "",
        "keys": (),
        "strategies": [],
        "merge_key": "",
        "standing": False,
        "embedded": "",
        "default": None,
    }
    for mark in marks:
        word, _, arguments = mark.rstrip(")").partition("(")
        if mark[0] == "=":
            known["default"] = json.loads(mark[1:])
        elif mark == "~":
            known["standing"] = True
        elif mark[0] == "^":
            known["embedded"] = mark[1:]
        elif mark[0] == "+":
            if word != "+key":
                known["strategies"].append(word[1:])
            known["merge_key"] = arguments or known["merge_key"]
        else:
            known["kind"] = word
            known["keys"] = tuple(arguments.split(",")) if arguments else ()
    return known


def _merging(type_: Type, known: Mapping[str, Any]) -> Type:
    if isinstance(type_, ListOf) and known["kind"]:
        return replace(type_, kind=known["kind"], keys=known["keys"])
    if isinstance(type_, MapOf) and known["kind"]:
        return replace(type_, atomic=True)
    return type_
