"""A kind in a document: its paths, and in the document's schemas what they refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from nominee.apiserver.crd.custom_kind import CustomKind
from nominee.apiserver.kind import Kind
from nominee.apiserver.openapi.custom import add_custom
from nominee.apiserver.openapi.paths import KindPaths
from nominee.apiserver.openapi.schemas import Schemas, Types


def documented(
    schemas: Schemas, kind: Kind, place: tuple[str, str], types: Types
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The paths of a kind in a group and version."""
    group, version = place
    if isinstance(kind, CustomKind):
        add_custom(schemas, kind, f"{group}/{version}")
    return KindPaths(kind, group, version, lambda name: schemas.refer(name, types)).items()
