"""Definitions of custom resources: the kind that makes kinds.

apiextensions-apiserver/pkg/registry/customresourcedefinition/strategy.go, pkg/apis/apiextensions/v1/
defaults.go and pkg/apis/apiextensions/validation/validation.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.crd.definition_rules import validate_definition, validate_definition_update
from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

RESOURCE = "customresourcedefinitions.apiextensions.k8s.io"
_TERMINATING = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
CLEANUP = "customresourcecleanup.apiextensions.k8s.io"


@dataclass(frozen=True, slots=True)
class DefinitionKind(Kind):
    """A definition is held when it is deleted, until its instances are gone."""

    def default(self, item: JsonObject) -> None:
        spec = item.get("spec")
        if not isinstance(spec, dict):
            return
        names = spec.setdefault("names", {})
        kind = names.get("kind", "")
        if not names.get("singular"):
            names["singular"] = kind.lower()
        if not names.get("listKind") and kind:
            names["listKind"] = f"{kind}List"
        spec.setdefault("conversion", {"strategy": "None"})

    def prepare_create(self, item: JsonObject, context: Context) -> None:
        item["status"] = {"acceptedNames": {"kind": "", "plural": ""}, "conditions": [], "storedVersions": []}
        item["status"]["storedVersions"] = storage_versions(item)

    def prepare_update(self, item: JsonObject, old: JsonObject, context: Context) -> None:
        stored = dict(old.get("status") or {})
        known = list(stored.get("storedVersions") or ())
        known += [version for version in storage_versions(item) if version not in known]
        item["status"] = {**stored, "storedVersions": known}

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        return list(validate_definition(item))

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return [*validate_definition(item), *validate_definition_update(item, old)]

    def warnings(self, item: JsonObject) -> Sequence[str]:
        if not _has_rules(item.get("spec")):
            return ()
        return ("x-kubernetes-validations are stored and shown, and not enforced by this server",)

    def prepare_deletion(self, item: JsonObject, context: Context) -> None:
        metadata = item["metadata"]
        metadata["finalizers"] = [*(metadata.get("finalizers") or ()), CLEANUP]
        terminating = {
            "type": "Terminating",
            "status": "True",
            "reason": "InstanceDeletionPending",
            "message": _TERMINATING,
            "lastTransitionTime": context.now,
        }
        status = item.get("status") or {}
        others = [c for c in status.get("conditions") or () if c.get("type") != "Terminating"]
        item["status"] = {**status, "conditions": [*others, terminating]}

    def held(self, item: JsonObject) -> bool:
        return "deletionTimestamp" not in item["metadata"]

    def cells(self, stored: Stored, now: float) -> list[Any]:
        metadata = stored.object["metadata"]
        return [metadata["name"], metadata.get("creationTimestamp", "")]


def storage_versions(item: JsonObject) -> list[str]:
    """The version in which instances are stored, in a list."""
    versions = (item.get("spec") or {}).get("versions") or ()
    return [version["name"] for version in versions if version.get("storage") and version.get("name")]


def _has_rules(node: Any) -> bool:
    if isinstance(node, dict):
        return "x-kubernetes-validations" in node or any(map(_has_rules, node.values()))
    return isinstance(node, list) and any(map(_has_rules, node))


CUSTOM_RESOURCE_DEFINITIONS = DefinitionKind(
    Names(
        "CustomResourceDefinition",
        "customresourcedefinitions",
        "customresourcedefinition",
        group="apiextensions.k8s.io",
        short=("crd", "crds"),
        categories=("api-extensions",),
        namespaced=False,
    ),
    schema="io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition",
    subresources=("status",),
    generation=True,
    unconditional=False,
    columns=(Column("Name", format="name"), Column("Created At", "date")),
)
