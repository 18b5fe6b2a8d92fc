"""The front: who asks, what for, and every refusal as a Status."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from nominee.apiserver.http.accept import PLAIN, Form, negotiate
from nominee.apiserver.http.body import too_large
from nominee.apiserver.http.credentials import Token
from nominee.apiserver.http.discovering import Discovering
from nominee.apiserver.http.discovery import Discovery
from nominee.apiserver.http.encoding import answer_tree
from nominee.apiserver.http.health import HEALTH, answer_health, answer_version
from nominee.apiserver.http.message import Answer, Request, Stream
from nominee.apiserver.http.openapi import Documents, answer_openapi
from nominee.apiserver.http.place import parse_place
from nominee.apiserver.http.resources import Resources
from nominee.apiserver.http.reviews import answer_review, review_at
from nominee.apiserver.http.subresources import not_allowed
from nominee.apiserver.http.warning import with_warnings
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.registry import no_such_resource
from nominee.apiserver.rest import Rest
from nominee.apiserver.status import refusal
from nominee.errors import ApiError

_log = logging.getLogger(__name__)

_PATHS = (
    "/api",
    "/api/v1",
    "/apis",
    "/healthz",
    "/livez",
    "/openapi/v2",
    "/openapi/v3",
    "/readyz",
    "/version",
)


class Front:
    """Answers requests; an instance is what the server calls.

    An answer leaves only when all that it may be about is on disk: what a client was told, it can rely on.
    """

    def __init__(
        self,
        rest: Rest,
        token: str,
        *,
        documents: Documents | None = None,
        now: Callable[[], float] | None = None,
    ) -> None:
        self._rest = rest
        self._token = Token(token)
        self._documents = documents
        self._resources = Resources(rest, now or asyncio.get_running_loop().time)
        self._discovery = Discovery(rest.registry)
        self._discovering = Discovering(self._discovery)

    async def __call__(self, request: Request) -> Answer | Stream:
        """Answer, whatever comes."""
        try:
            answer = self._answer(request)
        except ApiError as error:
            answer = _refused(request, error)
        except Exception:  # noqa: BLE001 - one request may fail, the server stays
            _log.exception("%s %s failed", request.method, request.path)
            answer = _refused(request, refusal(500, "InternalError", "Internal error occurred"))
        if isinstance(answer, Answer):
            await self._rest.store.durable()
        return answer

    def _answer(self, request: Request) -> Answer | Stream:
        self._token.check(request)
        if request.too_large:
            raise too_large()
        place = parse_place(request.path)
        if place is None:
            return self._elsewhere(request)
        review = review_at(place.group, place.version, place.plural) if not place.name else None
        if review is not None:
            return answer_review(request, review)
        return self._resources.answer(request, place)

    def _elsewhere(self, request: Request) -> Answer:
        """What is no resource."""
        parts = request.path.strip("/").split("/")
        if request.method not in ("GET", "HEAD"):
            raise not_allowed() if self._is_known(parts[0]) else no_such_resource()
        match parts[0]:
            case "api" | "apis":
                return self._discovering.answer(request, parts)
            case "version" if len(parts) == 1:
                return answer_version(request)
            case "openapi" if self._documents is not None:
                return answer_openapi(request, self._documents, parts[1:])
            case "":
                return answer_tree(request, {"paths": self._paths()}, PLAIN)
            case name if name in HEALTH:
                return answer_health(request, parts)
        raise no_such_resource()

    def _is_known(self, name: str) -> bool:
        return name in ("", "api", "apis", "version", "openapi", *HEALTH)

    def _paths(self) -> list[str]:
        groups = self._discovery.groups
        below = [
            f"/apis/{name}/{version}" for name, versions in groups.items() if name for version in versions
        ]
        return sorted([*_PATHS, *(f"/apis/{name}" for name in groups if name), *below])


def _refused(request: Request, error: ApiError) -> Answer:
    """The Status of a refusal, in the language that was asked for, if there is one."""
    body: JsonObject = error.body or refusal(error.status, "", error.reason).body or {}
    answer = answer_tree(request, body, _form(request), error.status)
    with_warnings(answer, error.warnings)
    retry_after = (body.get("details") or {}).get("retryAfterSeconds")
    if retry_after is not None:
        answer.headers.append(("Retry-After", str(retry_after)))
    return answer


def _form(request: Request) -> Form:
    try:
        return Form(negotiate(request.headers.get("accept", "")).media)
    except ApiError:
        return PLAIN
