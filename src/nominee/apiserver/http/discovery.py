"""What is served: groups, versions, resources, one by one or all at once.

apiserver/pkg/endpoints/discovery, v1.37.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nominee.apiserver.http.reviews import REVIEWS, Review
from nominee.apiserver.kind import JsonObject, Kind
from nominee.apiserver.registry import Registry

_SUBRESOURCES: dict[str, tuple[str, str, str, tuple[str, ...]]] = {
    "scale": ("autoscaling", "v1", "Scale", ("get", "patch", "update")),
    "binding": ("", "v1", "Binding", ("create",)),
    "eviction": ("policy", "v1", "Eviction", ("create",)),
    "token": ("authentication.k8s.io", "v1", "TokenRequest", ("create",)),
    "finalize": ("", "", "", ("update",)),
}
"""Group, version, kind and verbs of those that are not simply a part of the object."""

_PART = ("", "", "", ("get", "patch", "update"))


@dataclass(frozen=True, slots=True)
class Entry:
    """A resource in one group and version, with its subresources."""

    kind: str
    plural: str
    singular: str
    namespaced: bool
    verbs: Sequence[str]
    short: Sequence[str] = ()
    categories: Sequence[str] = ()
    subresources: Sequence[str] = ()


def _of_kind(kind: Kind) -> Entry:
    names = kind.names
    return Entry(
        names.kind,
        names.plural,
        names.singular,
        names.namespaced,
        sorted(kind.verbs),
        names.short,
        names.categories,
        kind.subresources,
    )


def _of_review(review: Review) -> Entry:
    singular = review.plural.removesuffix("s")
    return Entry(review.kind, review.plural, singular, review.namespaced, ("create",))


_BINDINGS = Entry("Binding", "bindings", "binding", namespaced=True, verbs=("create",))


class Discovery:
    """Makes the documents of discovery out of the registry, anew when that has changed."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._revision = -1
        self._groups: dict[str, dict[str, list[Entry]]] = {}

    @property
    def groups(self) -> dict[str, dict[str, list[Entry]]]:
        """Entries by group and version."""
        if self._revision != self._registry.revision:
            self._groups = self._collected()
            self._revision = self._registry.revision
        return self._groups

    def _collected(self) -> dict[str, dict[str, list[Entry]]]:
        collected: dict[str, dict[str, list[Entry]]] = {"": {"v1": []}}
        for group, versions in self._registry.groups().items():
            for version, kinds in versions.items():
                entries = collected.setdefault(group, {}).setdefault(version, [])
                entries.extend(map(_of_kind, kinds))
        collected[""]["v1"].append(_BINDINGS)
        for review in REVIEWS:
            entries = collected.setdefault(review.group, {}).setdefault(review.version, [])
            entries.append(_of_review(review))
        for served in collected.values():
            for entries in served.values():
                entries.sort(key=lambda entry: entry.plural)
        return collected

    # -- one by one ---------------------------------------------------------------------------------

    def core_versions(self, address: str) -> JsonObject:
        """`/api`."""
        return {
            "kind": "APIVersions",
            "versions": list(self.groups[""]),
            "serverAddressByClientCIDRs": [{"clientCIDR": "0.0.0.0/0", "serverAddress": address}],
        }

    def group_list(self) -> JsonObject:
        """`/apis`."""
        groups = [_group(name, list(versions)) for name, versions in self.groups.items() if name]
        return {"kind": "APIGroupList", "apiVersion": "v1", "groups": groups}

    def group(self, name: str) -> JsonObject | None:
        """`/apis/<group>`."""
        versions = self.groups.get(name) if name else None
        return {"kind": "APIGroup", "apiVersion": "v1", **_group(name, list(versions))} if versions else None

    def resources(self, group: str, version: str) -> JsonObject | None:
        """`/api/v1` and `/apis/<group>/<version>`."""
        entries = self.groups.get(group, {}).get(version)
        if entries is None:
            return None
        return {
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": f"{group}/{version}" if group else version,
            "resources": [resource for entry in entries for resource in _resources(group, entry)],
        }

    # -- all at once --------------------------------------------------------------------------------

    def aggregated(self, version: str, *, core: bool) -> JsonObject:
        """`/api` or `/apis` for clients that want to ask but once."""
        chosen = {name: versions for name, versions in self.groups.items() if core == (not name)}
        return {
            "kind": "APIGroupDiscoveryList",
            "apiVersion": f"apidiscovery.k8s.io/{version}",
            "metadata": {},
            "items": [_discovered_group(name, versions) for name, versions in chosen.items()],
        }


def _group(name: str, versions: Sequence[str]) -> JsonObject:
    listed = [{"groupVersion": f"{name}/{version}", "version": version} for version in versions]
    return {"name": name, "versions": listed, "preferredVersion": listed[0]}


def _resources(group: str, entry: Entry) -> Iterator[JsonObject]:
    resource: JsonObject = {
        "name": entry.plural,
        "singularName": entry.singular,
        "namespaced": entry.namespaced,
        "kind": entry.kind,
        "verbs": list(entry.verbs),
    }
    if entry.short:
        resource["shortNames"] = list(entry.short)
    if entry.categories:
        resource["categories"] = list(entry.categories)
    if "get" in entry.verbs:
        resource["storageVersionHash"] = _hash(group, entry)
    yield resource
    for subresource in sorted(entry.subresources):
        yield _subresource(entry, subresource)


def _hash(group: str, entry: Entry) -> str:
    return base64.b64encode(hashlib.sha256(f"{group}/{entry.kind}".encode()).digest()[:8]).decode()


def _subresource(entry: Entry, name: str) -> JsonObject:
    group, version, kind, verbs = _SUBRESOURCES.get(name, _PART)
    resource: JsonObject = {
        "name": f"{entry.plural}/{name}",
        "singularName": "",
        "namespaced": entry.namespaced,
        "kind": kind or entry.kind,
        "verbs": list(verbs),
    }
    if kind and group:
        resource |= {"group": group, "version": version}
    return resource


def _discovered_group(name: str, versions: dict[str, list[Entry]]) -> JsonObject:
    return {
        "metadata": {"name": name, "creationTimestamp": None} if name else {"creationTimestamp": None},
        "versions": [
            {
                "version": version,
                "freshness": "Current",
                "resources": [_discovered(name, version, entry) for entry in entries],
            }
            for version, entries in versions.items()
        ],
    }


def _discovered(group: str, version: str, entry: Entry) -> JsonObject:
    found: JsonObject = {
        "resource": entry.plural,
        "responseKind": {"group": group, "version": version, "kind": entry.kind},
        "scope": "Namespaced" if entry.namespaced else "Cluster",
        "singularResource": entry.singular,
        "verbs": list(entry.verbs),
    }
    if entry.short:
        found["shortNames"] = list(entry.short)
    if entry.categories:
        found["categories"] = list(entry.categories)
    if entry.subresources:
        found["subresources"] = [
            _discovered_part(group, version, entry, name) for name in sorted(entry.subresources)
        ]
    return found


def _discovered_part(group: str, version: str, entry: Entry, name: str) -> JsonObject:
    other_group, other_version, kind, verbs = _SUBRESOURCES.get(name, _PART)
    response = (other_group, other_version, kind) if kind else (group, version, entry.kind)
    return {
        "subresource": name,
        "responseKind": dict(zip(("group", "version", "kind"), response, strict=True)),
        "verbs": list(verbs),
    }
