"""Roles and their bindings: kept, and without effect, as everybody may do everything.

Columns are those of pkg/printers/internalversion/printers.go, rules those of
pkg/apis/rbac/validation/validation.go and pkg/apis/rbac/v1/defaults.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.kind import Column, Context, JsonObject, Kind, Names
from nominee.apiserver.kinds import syntax
from nominee.apiserver.kinds.field_errors import IMMUTABLE, invalid, not_supported, required
from nominee.apiserver.kinds.selectors import validate_label_selector
from nominee.apiserver.kinds.table import AGE, NAME, age_of, shown
from nominee.apiserver.status import FieldError
from nominee.store.ports import Stored

Item = Mapping[str, Any]

GROUP = "rbac.authorization.k8s.io"
_SUBJECTS = ("ServiceAccount", "User", "Group")


@dataclass(frozen=True, slots=True)
class RoleKind(Kind):
    """Roles, of a namespace or of the cluster."""

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        errors: list[FieldError] = []
        for i, rule in enumerate(item.get("rules") or ()):
            errors += _validate_rule(rule, f"rules[{i}]", namespaced=self.names.namespaced)
        selectors = (item.get("aggregationRule") or {}).get("clusterRoleSelectors") or ()
        if "aggregationRule" in item and not selectors:
            why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
            errors.append(required("aggregationRule.clusterRoleSelectors", why))
        for i, selector in enumerate(selectors):
            errors += validate_label_selector(selector, f"aggregationRule.clusterRoleSelectors[{i}]")
        return errors

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        return self.validate(item)

    def cells(self, stored: Stored, now: float) -> list[Any]:
        metadata = stored.object["metadata"]
        return [metadata["name"], metadata.get("creationTimestamp")]


def _validate_rule(rule: Item, path: str, *, namespaced: bool) -> Iterator[FieldError]:
    if not rule.get("verbs"):
        yield required(f"{path}.verbs")
    urls = rule.get("nonResourceURLs")
    if urls:
        if namespaced:
            why = "namespaced rules cannot apply to non-resource URLs"
            yield invalid(f"{path}.nonResourceURLs", urls, why)
        if any(rule.get(name) for name in ("apiGroups", "resources", "resourceNames")):
            why = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid(f"{path}.nonResourceURLs", urls, why)
        return
    if not rule.get("apiGroups"):
        yield required(f"{path}.apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(f"{path}.resources", "resource rules must supply at least one resource")


@dataclass(frozen=True, slots=True)
class BindingKind(Kind):
    """Bindings of roles to subjects."""

    def default(self, item: JsonObject) -> None:
        role = item.setdefault("roleRef", {})
        role["apiGroup"] = role.get("apiGroup") or GROUP
        for subject in item.get("subjects") or ():
            if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
                subject["apiGroup"] = GROUP

    def validate(self, item: JsonObject) -> Sequence[FieldError]:
        errors = list(self._validate_role(item.get("roleRef") or {}))
        for i, subject in enumerate(item.get("subjects") or ()):
            errors += _validate_subject(subject, f"subjects[{i}]", namespaced=self.names.namespaced)
        return errors

    def _validate_role(self, role: Item) -> Iterator[FieldError]:
        kinds = ("Role", "ClusterRole") if self.names.namespaced else ("ClusterRole",)
        name = role.get("name") or ""
        if role.get("apiGroup") != GROUP:
            yield not_supported("roleRef.apiGroup", role.get("apiGroup") or "", (GROUP,))
        if role.get("kind") not in kinds:
            yield not_supported("roleRef.kind", role.get("kind") or "", kinds)
        if not name:
            yield required("roleRef.name")
        for fault in syntax.path_segment(name) if name else ():
            yield invalid("roleRef.name", name, fault)

    def validate_update(self, item: JsonObject, old: JsonObject, context: Context) -> Sequence[FieldError]:
        errors = list(self.validate(item))
        if item.get("roleRef") != old.get("roleRef"):
            errors.append(invalid("roleRef", item.get("roleRef"), IMMUTABLE))
        return errors

    def cells(self, stored: Stored, now: float) -> list[Any]:
        item = stored.object
        role, subjects = item.get("roleRef") or {}, item.get("subjects") or ()
        return [
            item["metadata"]["name"],
            f"{role.get('kind', '')}/{role.get('name', '')}",
            age_of(item, now),
            _names(subjects, "User"),
            _names(subjects, "Group"),
            _names(subjects, "ServiceAccount"),
        ]


def _names(subjects: Sequence[Item], kind: str) -> str:
    found = [one for one in subjects if one.get("kind") == kind]
    if kind != "ServiceAccount":
        return ", ".join(one.get("name", "") for one in found)
    return ", ".join(f"{one.get('namespace', '')}/{one.get('name', '')}" for one in found)


def _validate_subject(subject: Item, path: str, *, namespaced: bool) -> Iterator[FieldError]:
    kind, name, group = (subject.get(field) or "" for field in ("kind", "name", "apiGroup"))
    if kind not in _SUBJECTS:
        yield not_supported(f"{path}.kind", kind, _SUBJECTS)
    if not name:
        yield required(f"{path}.name")
    if kind not in _SUBJECTS:
        return
    if kind == "ServiceAccount":
        for fault in syntax.dns_subdomain(name) if name else ():
            yield invalid(f"{path}.name", name, fault)
        if group:
            yield not_supported(f"{path}.apiGroup", group, ("",))
        if not namespaced and not subject.get("namespace"):
            yield required(f"{path}.namespace")
    elif group != GROUP:
        yield not_supported(f"{path}.apiGroup", group, (GROUP,))


_CREATED = (NAME, Column("Created At"))
_BOUND = (NAME, *shown("Role"), AGE, *shown("Users", "Groups", "ServiceAccounts", wide=True))


def _role(kind: str, plural: str, *, namespaced: bool) -> RoleKind:
    names = Names(kind, plural, kind.lower(), group=GROUP, namespaced=namespaced)
    return RoleKind(names, schema=f"io.k8s.api.rbac.v1.{kind}", columns=_CREATED, name_rule="path segment")


def _binding(kind: str, plural: str, *, namespaced: bool) -> BindingKind:
    names = Names(kind, plural, kind.lower(), group=GROUP, namespaced=namespaced)
    return BindingKind(names, schema=f"io.k8s.api.rbac.v1.{kind}", columns=_BOUND, name_rule="path segment")


CLUSTER_ROLE_BINDINGS = _binding("ClusterRoleBinding", "clusterrolebindings", namespaced=False)
CLUSTER_ROLES = _role("ClusterRole", "clusterroles", namespaced=False)
ROLE_BINDINGS = _binding("RoleBinding", "rolebindings", namespaced=True)
ROLES = _role("Role", "roles", namespaced=True)
