"""Kinds that definitions bring: their schema says what goes, columns what is shown.

apiextensions-apiserver/pkg/registry/customresource/{strategy,tableconvertor}, v1.37.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import orjson

from nominee.apiserver.crd.json_path import JsonPath, json_path
from nominee.apiserver.crd.schema_types import struct_of
from nominee.apiserver.crd.structural import default, prune
from nominee.apiserver.crd.validation import validate
from nominee.apiserver.kind import VERBS, Column, Context, JsonObject, Kind, Names, ScalePaths
from nominee.apiserver.kinds.table import AGE, age
from nominee.apiserver.schema.catalogue import CATALOGUE
from nominee.apiserver.schema.decoding import decode
from nominee.apiserver.schema.notation import META
from nominee.apiserver.schema.scalars import MalformedError
from nominee.apiserver.schema.type import Struct
from nominee.apiserver.status import FieldError, bad_request
from nominee.errors import ApiError
from nominee.store.ports import Stored

_READ_ONLY = tuple(verb for verb in VERBS if verb != "create")
_NAME = Column("Name", format="name")


@dataclass(frozen=True, slots=True)
class Served:
    """One version of a definition: schema and type."""

    schema: JsonObject
    type: Struct


@dataclass(frozen=True, slots=True, eq=False)
class CustomKind(Kind):
    """All versions of one custom resource.

    served   by apiVersion
    paths    where the cells of the additional columns come from
    selected paths of the fields that selectors may name, by what they are called there
    """

    custom: bool = True
    generation: bool = True
    unconditional: bool = False
    served: Mapping[str, Served] = field(default_factory=dict)
    paths: tuple[JsonPath, ...] = ()
    selected: Mapping[str, JsonPath] = field(default_factory=dict)

    def schema_of(self, api_version: str) -> str:
        return self.type_in(api_version).name

    def type_in(self, api_version: str) -> Struct:
        """The type of the resource in a version."""
        return self.served[api_version].type

    def decode(self, item: JsonObject) -> tuple[JsonObject, Sequence[str]]:
        """The object without what its schema does not know, and what that was; raises 400."""
        metadata = item.get("metadata", {})
        try:
            read = decode(metadata, CATALOGUE.type(f"{META}.ObjectMeta"))
        except MalformedError as error:
            raise self._unreadable(item, error.message) from None
        item = {**item, "metadata": read.item}
        unknown = [place.replace('field "', 'field "metadata.', 1) for place in read.unknown]
        unknown += [f'unknown field "{path}"' for path in prune(item, self.served[item["apiVersion"]].schema)]
        return item, unknown

    def _unreadable(self, item: JsonObject, why: str) -> ApiError:
        kind, version = self.names.kind, item["apiVersion"].rpartition("/")[2]
        return bad_request(f'{kind} in version "{version}" cannot be handled as a {kind}: {why}')

    def to_version(self, item: JsonObject, api_version: str) -> JsonObject:
        item = {**item, "apiVersion": api_version}
        default(item, self.served[api_version].schema)  # what a later schema has added to older objects
        return item

    def default(self, item: JsonObject) -> None:
        default(item, self.served[item["apiVersion"]].schema)

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        if "status" in self.subresources:
            super(CustomKind, self).prepare_update(item, old, context)

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(validate(_without_metadata(item), self.served[item["apiVersion"]].schema))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        errors = self.validate(item)
        if not errors:
            return ()
        tolerated = set(validate(_without_metadata(old), self.served[item["apiVersion"]].schema))
        return [error for error in errors if error not in tolerated]

    def validate_status(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return self.validate_update(item, old, context)

    def fields(self, item: JsonObject) -> Mapping[str, str]:
        found = dict(super(CustomKind, self).fields(item))
        for label, path in self.selected.items():
            value = path.first(item)
            found[label] = "" if value is None else _text(value)
        return found

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        cells: list[Any] = [item["metadata"]["name"]]
        for column, path in zip(self.columns[1:], self.paths, strict=True):
            cells.append(_cell(column.type, path.first(item), now))
        return cells


def _without_metadata(item: JsonObject) -> JsonObject:
    """Metadata has rules of its own, whatever a schema says of it."""
    return {name: value for name, value in item.items() if name != "metadata"} | {"metadata": {}}


def _cell(kind: str, value: Any, now: float) -> Any:
    if value is None:
        return None
    match kind:
        case "string":
            return _text(value)
        case "date":
            return age(value if isinstance(value, str) else None, now)
        case "integer":
            return int(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
        case "number":
            return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None
    return value if isinstance(value, bool) else None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (dict, list)):
        return orjson.dumps(value).decode()
    return str(value)


def custom_kind(definition: JsonObject) -> CustomKind | None:
    """The kind of a definition that is sound; None if no version of it is served."""
    spec = definition["spec"]
    versions = [version for version in spec["versions"] if version.get("served")]
    if not versions:
        return None
    first = next((version for version in versions if version.get("storage")), versions[0])
    subresources = first.get("subresources") or {}
    columns, paths = _columns(first)
    selectable = [each["jsonPath"] for each in first.get("selectableFields") or ()]
    selected = {path.removeprefix("."): json_path(path) for path in selectable}
    terminating = "deletionTimestamp" in definition["metadata"]
    return CustomKind(
        names=_names(spec, first, versions),
        schema=f"{spec['group']}.{first['name']}.{spec['names']['kind']}",
        subresources=tuple(name for name in ("status", "scale") if subresources.get(name) is not None),
        verbs=_READ_ONLY if terminating else VERBS,
        columns=columns,
        paths=paths,
        selected=selected,
        field_labels=("metadata.name", "metadata.namespace", *selected),
        scale=_scale(subresources.get("scale") or {}),
        served={f"{spec['group']}/{version['name']}": _served(spec, version) for version in versions},
    )


def _names(spec: JsonObject, first: JsonObject, versions: Sequence[JsonObject]) -> Names:
    names, group = spec["names"], spec["group"]
    return Names(
        kind=names["kind"],
        plural=names["plural"],
        singular=names.get("singular") or names["kind"].lower(),
        group=group,
        version=first["name"],
        short=tuple(names.get("shortNames") or ()),
        categories=tuple(names.get("categories") or ()),
        namespaced=spec["scope"] == "Namespaced",
        also=tuple((group, version["name"]) for version in versions if version is not first),
    )


def _served(spec: JsonObject, version: JsonObject) -> Served:
    schema = version["schema"]["openAPIV3Schema"]
    kind = (spec["group"], version["name"], spec["names"]["kind"])
    name = ".".join((*reversed(spec["group"].split(".")), version["name"], spec["names"]["kind"]))
    return Served(schema, struct_of(name, schema, kind))


def _columns(version: JsonObject) -> tuple[tuple[Column, ...], tuple[JsonPath, ...]]:
    given = version.get("additionalPrinterColumns")
    if not given:
        return (_NAME, Column(AGE.name, "date")), (json_path(".metadata.creationTimestamp"),)
    columns = [
        Column(
            column["name"],
            column["type"],
            column.get("format", ""),
            column.get("description")
            or f"Custom resource definition column (in JSONPath format): {column['jsonPath']}",
            column.get("priority", 0),
        )
        for column in given
    ]
    return (_NAME, *columns), tuple(json_path(column["jsonPath"]) for column in given)


def _scale(scale: JsonObject) -> ScalePaths:
    if not scale:
        return ScalePaths()
    wanted, present = scale["specReplicasPath"], scale["statusReplicasPath"]
    return ScalePaths(wanted.strip("."), present.strip("."), scale.get("labelSelectorPath", "").strip("."))
