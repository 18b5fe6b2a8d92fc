"""Types as OpenAPI schemas, with the extensions from which clients learn how lists and maps merge.

The form is that of kube-openapi/pkg/builder3 (version 3) and pkg/builder (version 2): a reference in a
property stands in an `allOf`, next to which there is room for a description.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from nominee.apiserver.schema.type import Field, Free, ListOf, MapOf, Scalar, Struct, Type

Schema = dict[str, Any]
Types = Callable[[str], Struct]
"""From the full name of a type to the type; raises `KeyError`."""

_API = "io.k8s.apimachinery.pkg"

_SCALARS: Mapping[str, Schema] = {
    "string": {"type": "string"},
    "bytes": {"type": "string", "format": "byte"},
    "bool": {"type": "boolean"},
    "int32": {"type": "integer", "format": "int32"},
    "int64": {"type": "integer", "format": "int64"},
    "float64": {"type": "number", "format": "double"},
}

_NAMED: Mapping[str, tuple[str, Schema]] = {
    "time": (
        f"{_API}.apis.meta.v1.Time",
        {"type": "string", "format": "date-time", "description": "A time, to the second (RFC 3339)."},
    ),
    "microtime": (
        f"{_API}.apis.meta.v1.MicroTime",
        {"type": "string", "format": "date-time", "description": "A time, to the microsecond (RFC 3339)."},
    ),
    "quantity": (
        f"{_API}.api.resource.Quantity",
        {
            "description": "A number with a suffix such as m, k, M, Ki or Mi: 500m, 1.5, 128Mi.",
            "oneOf": [{"type": "string"}, {"type": "number"}],
        },
    ),
    "int-or-string": (
        f"{_API}.util.intstr.IntOrString",
        {
            "description": "A whole number, or a text such as a name or a percentage.",
            "format": "int-or-string",
            "oneOf": [{"type": "integer"}, {"type": "string"}],
        },
    ),
}


@dataclass
class Schemas:
    """The schemas of a document: those asked for, and all that they refer to.

    place      what references begin with: `#/components/schemas/` or `#/definitions/`
    plain      version 2: a reference needs no `allOf`, and there is no `oneOf`
    """

    place: str = "#/components/schemas/"
    plain: bool = False
    found: dict[str, Schema] = field(default_factory=dict)

    def reference(self, struct: Struct) -> Schema:
        """A reference to the schema of a type, which is thereby in the document."""
        if struct.name not in self.found:
            self.found[struct.name] = {}
            self.found[struct.name].update(self.struct(struct))
        return {"$ref": self.place + struct.name}

    def refer(self, name: str, types: Types) -> Schema:
        """A reference by name: to what is in the document, or to one of the types."""
        return {"$ref": self.place + name} if name in self.found else self.reference(types(name))

    def _named(self, name: str, schema: Schema) -> Schema:
        known = {key: value for key, value in schema.items() if not (self.plain and key == "oneOf")}
        if self.plain and "type" not in known:
            known["type"] = "string"
        self.found.setdefault(name, known)
        return {"$ref": self.place + name}

    def struct(self, struct: Struct) -> Schema:
        """The schema of a type itself."""
        schema: Schema = {"type": "object"}
        if struct.description:
            schema["description"] = struct.description
        properties = {each.name: self._property(each) for each in struct.fields.values()}
        if properties:
            schema["properties"] = properties
        required = sorted(each.name for each in struct.fields.values() if each.required)
        if required:
            schema["required"] = required
        if struct.kind:
            schema["x-kubernetes-group-version-kind"] = [gvk(*struct.kind)]
        if struct.atomic:
            schema["x-kubernetes-map-type"] = "atomic"
        if struct.open:
            schema["x-kubernetes-preserve-unknown-fields"] = True
        return schema

    def _property(self, each: Field) -> Schema:
        schema = self._type(each.type)
        if "$ref" in schema and not self.plain:
            schema = {"allOf": [schema]}
        if each.description:
            schema["description"] = each.description
        if each.default is not None and not self.plain:
            schema["default"] = each.default
        if each.strategies:
            schema["x-kubernetes-patch-strategy"] = ",".join(each.strategies)
        if each.merge_key:
            schema["x-kubernetes-patch-merge-key"] = each.merge_key
        return schema

    def _type(self, type_: Type) -> Schema:
        """A schema of its own, which the caller may add to."""
        if isinstance(type_, Scalar):
            return self._scalar(type_)
        if isinstance(type_, Struct):
            return self.reference(type_) if type_.name else self.struct(type_)
        if isinstance(type_, ListOf):
            return self._list(type_)
        if isinstance(type_, MapOf):
            schema: Schema = {"type": "object", "additionalProperties": self._type(type_.element)}
            if type_.atomic:
                schema["x-kubernetes-map-type"] = "atomic"
            return schema
        return _free(type_)

    def _scalar(self, type_: Scalar) -> Schema:
        if type_.name in _NAMED:
            return self._named(*_NAMED[type_.name])
        schema = dict(_SCALARS[type_.name])
        if type_.enum:
            schema["enum"] = sorted(type_.enum)
        return schema

    def _list(self, type_: ListOf) -> Schema:
        schema = {
            "type": "array",
            "items": self._type(type_.element),
            "x-kubernetes-list-type": type_.kind,
        }
        if type_.keys:
            schema["x-kubernetes-list-map-keys"] = list(type_.keys)
        return schema


def _free(type_: Free) -> Schema:
    if type_.object_only:
        return {"type": "object"}
    return {"x-kubernetes-preserve-unknown-fields": True}


def gvk(group: str, version: str, kind: str) -> dict[str, str]:
    """How documents name a kind."""
    return {"group": group, "kind": kind, "version": version}


def sorted_schemas(schemas: Mapping[str, Schema], more: Iterable[str] = ()) -> Mapping[str, Schema]:
    """By name, as documents list them."""
    return {name: schemas[name] for name in sorted({*schemas, *more})}
