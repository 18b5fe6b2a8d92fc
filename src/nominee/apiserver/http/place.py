"""What a path means: group, version, resource, namespace, name, subresource.

apiserver/pkg/endpoints/request/requestinfo.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

_OF_NAMESPACES = ("status", "finalize")
"""The subresources of a namespace; any other word behind its name is a resource in it."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an object or a collection is; what a path does not say is empty.

    watching  the old way to watch: /api/v1/watch/…
    rest      what follows the subresource (…/proxy/and/so/on)
    """

    group: str
    version: str
    plural: str
    namespace: str = ""
    name: str = ""
    subresource: str = ""
    watching: bool = False
    rest: str = ""

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


def parse_place(path: str) -> Place | None:
    """The place behind a path below /api/v1 or /apis/group/version; None if it is no such path."""
    parts = path.strip("/").split("/")
    if parts[0] == "api" and len(parts) >= 3:
        return _parse("", parts[1], parts[2:])
    if parts[0] == "apis" and len(parts) >= 4:
        return _parse(parts[1], parts[2], parts[3:])
    return None


def _parse(group: str, version: str, parts: list[str]) -> Place | None:
    if parts[0] == "watch" and len(parts) > 1:
        found = _parse(group, version, parts[1:])
        return replace(found, watching=True) if found else None
    namespace = ""
    if parts[0] == "namespaces" and len(parts) > 2 and parts[2] not in _OF_NAMESPACES:
        namespace, parts = parts[1], parts[2:]
        if not namespace:
            return None
    name = parts[1] if len(parts) > 1 else ""
    if len(parts) > 1 and not all(parts[: min(len(parts), 3)]):
        return None
    subresource = parts[2] if len(parts) > 2 else ""
    return Place(group, version, parts[0], namespace, name, subresource, rest="/".join(parts[3:]))
