"""Which kinds are served, and where: by storage name, by path, by apiVersion and kind."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from nominee.apiserver.kind import Kind
from nominee.apiserver.status import refusal
from nominee.errors import ApiError

Place = tuple[str, str, str]
"""Group, version and plural, as they stand in a path."""


class Registry:
    """The kinds of the server. Custom resource definitions add to it and take away while it runs.

    `revision` grows with every change, for those who keep what they made of the kinds (discovery).
    """

    def __init__(self, kinds: Iterable[Kind] = ()) -> None:
        self.revision = 0
        self._kinds: dict[str, Kind] = {}
        self._places: dict[Place, Kind] = {}
        for kind in kinds:
            self.add(kind)

    def __iter__(self) -> Iterator[Kind]:
        return iter(self._kinds.values())

    def __contains__(self, resource: str) -> bool:
        return resource in self._kinds

    def add(self, kind: Kind) -> None:
        """Serve a kind from now on; it replaces the one of the same resource."""
        self.remove(kind.names.resource)
        self._kinds[kind.names.resource] = kind
        for group, version in versions_of(kind):
            self._places[group, version, kind.names.plural] = kind
        self.revision += 1

    def remove(self, resource: str) -> None:
        """Serve it no longer, if it is served."""
        kind = self._kinds.pop(resource, None)
        if kind is not None:
            for group, version in versions_of(kind):
                self._places.pop((group, version, kind.names.plural), None)
            self.revision += 1

    def kind(self, resource: str) -> Kind:
        """The kind of a storage name; raises 404 if it is not served."""
        kind = self._kinds.get(resource)
        if kind is None:
            raise no_such_resource()
        return kind

    def at(self, group: str, version: str, plural: str) -> Kind | None:
        """The kind behind a path."""
        return self._places.get((group, version, plural))

    def of(self, api_version: str, kind: str) -> Kind | None:
        """The kind that an object says it is of."""
        group, _, version = api_version.rpartition("/")
        candidates = (served for (g, v, _), served in self._places.items() if (g, v) == (group, version))
        return next((served for served in candidates if served.names.kind == kind), None)

    def groups(self) -> dict[str, dict[str, list[Kind]]]:
        """Kinds by group and version, a group's preferred version first, in the order in which they came."""
        groups: dict[str, dict[str, list[Kind]]] = {}
        for (group, version, _), kind in self._places.items():
            groups.setdefault(group, {}).setdefault(version, []).append(kind)
        return {group: _by_preference(versions) for group, versions in groups.items()}


def versions_of(kind: Kind) -> tuple[tuple[str, str], ...]:
    """All (group, version) pairs in which a kind is served, that of storage first."""
    return ((kind.names.group, kind.names.version), *kind.names.also)


def no_such_resource() -> ApiError:
    """404 for what is not served at all: no path, no kind."""
    return refusal(404, "NotFound", "the server could not find the requested resource", details={})


def _by_preference(versions: dict[str, list[Kind]]) -> dict[str, list[Kind]]:
    return dict(sorted(versions.items(), key=lambda item: version_order(item[0]), reverse=True))


def version_order(version: str) -> tuple[int, int, int, str]:
    """Sorts v2 after v1 after v1beta2 after v1alpha1, and anything else before, backwards by its letters.

    apimachinery/pkg/version/helpers.go, CompareKubeAwareVersionStrings, v1.37.
    """
    major, stage, minor = _parts(version)
    if major < 0:
        return (-1, 0, 0, "".join(chr(0x10FFFF - ord(c)) for c in version + "\0"))
    return ({"": 3, "beta": 2, "alpha": 1}[stage], major, minor, "")


def _parts(version: str) -> tuple[int, str, int]:
    for stage in ("alpha", "beta"):
        major, found, minor = version.removeprefix("v").partition(stage)
        if found:
            return (int(major), stage, int(minor)) if _numbers(version, major, minor) else (-1, "", 0)
    major = version.removeprefix("v")
    return (int(major), "", 0) if _numbers(version, major) else (-1, "", 0)


def _numbers(version: str, *texts: str) -> bool:
    return version.startswith("v") and all(text.isascii() and text.isdigit() for text in texts)
