"""Answers of discovery: /api, /apis and what is below, as long as no resource is named."""

from __future__ import annotations

from nominee.apiserver.http.accept import clauses, negotiate
from nominee.apiserver.http.discovery import Discovery
from nominee.apiserver.http.encoding import answer_tree
from nominee.apiserver.http.message import Answer, Request
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.registry import no_such_resource

_AGGREGATED = ("v2", "v2beta1")


class Discovering:
    """Answers GET of the paths of discovery."""

    def __init__(self, discovery: Discovery) -> None:
        self._discovery = discovery

    def answer(self, request: Request, parts: list[str]) -> Answer:
        """`parts` are those of the path; raises 404 if there is no such group or version."""
        if len(parts) == 1:
            version = _aggregated(request)
            if version:
                return self._all_at_once(request, version, core=parts[0] == "api")
        form = negotiate(request.headers.get("accept", ""), transforms=False)
        tree = self._tree(request, parts)
        if tree is None:
            raise no_such_resource()
        return answer_tree(request, tree, form)

    def _tree(self, request: Request, parts: list[str]) -> JsonObject | None:
        discovery = self._discovery
        match parts:
            case ["api"]:
                return discovery.core_versions(request.headers.get("host", ""))
            case ["apis"]:
                return discovery.group_list()
            case ["api", version]:
                return discovery.resources("", version)
            case ["apis", group]:
                return discovery.group(group)
            case ["apis", group, version] if group:
                return discovery.resources(group, version)
        return None

    def _all_at_once(self, request: Request, version: str, *, core: bool) -> Answer:
        tree = self._discovery.aggregated(version, core=core)
        answer = answer_tree(request, tree, negotiate(""))
        answer.content_type = f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"
        answer.headers.append(("Vary", "Accept"))
        return answer


def _aggregated(request: Request) -> str:
    """The version in which the client wants everything at once; "" if it does not, or not first."""
    for clause in clauses(request.headers.get("accept", "")):
        if clause.media not in ("application/json", "*/*", "application/*"):
            continue
        asked = clause.parameters
        if asked.get("as") == "APIGroupDiscoveryList" and asked.get("g") == "apidiscovery.k8s.io":
            if asked.get("v") in _AGGREGATED:
                return asked["v"]
        elif "as" not in asked:
            return ""
    return ""
