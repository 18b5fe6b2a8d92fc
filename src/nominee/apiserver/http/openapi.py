"""The documents of OpenAPI, version 2 and 3, as whoever has the schema makes them.

kube-openapi/pkg/handler{,3}/handler.go.
"""

from __future__ import annotations

from typing import Protocol

from nominee.apiserver.http.accept import clauses
from nominee.apiserver.http.message import JSON, Answer, Request
from nominee.apiserver.registry import no_such_resource
from nominee.apiserver.status import refusal

_JSON = ("application/json", "application/*", "*/*")
_PROTOBUF = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
_PROTOBUF_TYPE = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf"


class Documents(Protocol):
    """The schema, encoded; `version` changes when it does."""

    def index(self) -> bytes:
        """`/openapi/v3`: where the documents of the groups are."""
        ...

    def group(self, path: str) -> bytes | None:
        """`/openapi/v3/<path>`: the document of a group and version ("apis/apps/v1", "api/v1")."""
        ...

    def v2(self) -> bytes:
        """`/openapi/v2`."""
        ...

    def v2_protobuf(self) -> bytes:
        """The same in protobuf."""
        ...


def answer_openapi(request: Request, documents: Documents, parts: list[str]) -> Answer:
    """`parts` are those behind /openapi; raises 404 or 406."""
    accepted = [clause.media for clause in clauses(request.headers.get("accept", ""))]
    if parts == ["v2"] and accepted and accepted[0] == _PROTOBUF:
        return Answer(body=documents.v2_protobuf(), content_type=_PROTOBUF_TYPE)
    body = _document(documents, parts)
    if body is None:
        raise no_such_resource()
    if accepted and not any(media in _JSON for media in accepted):
        raise refusal(406, "NotAcceptable", "only the following media types are accepted: application/json")
    return Answer(body=body, content_type=JSON)


def _document(documents: Documents, parts: list[str]) -> bytes | None:
    match parts:
        case ["v2"]:
            return documents.v2()
        case ["v3"]:
            return documents.index()
        case ["v3", *path]:
            return documents.group("/".join(path))
    return None
