"""Reviews: questions that are POSTed like objects and stored nowhere. There is one user, who may do all.

staging/src/k8s.io/api/{authorization,authentication}/v1/types.go, v1.37.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from nominee.apiserver.http.accept import negotiate
from nominee.apiserver.http.body import NotReadableError, read_tree
from nominee.apiserver.http.encoding import answer_tree
from nominee.apiserver.http.message import Answer, Request
from nominee.apiserver.http.subresources import not_allowed
from nominee.apiserver.kind import JsonObject
from nominee.apiserver.status import bad_request

USER = {
    "username": "system:admin",
    "groups": ["system:masters", "system:authenticated"],
}


@dataclass(frozen=True, slots=True)
class Review:
    """A kind of question; `answer` makes the status out of the spec."""

    group: str
    version: str
    plural: str
    kind: str
    answer: Callable[[JsonObject], JsonObject]
    namespaced: bool = False


def _allowed(_: JsonObject) -> JsonObject:
    return {"allowed": True, "reason": "there is one user, who may do everything"}


def _rules(_: JsonObject) -> JsonObject:
    return {
        "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
        "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
        "incomplete": False,
    }


def _self(_: JsonObject) -> JsonObject:
    return {"userInfo": USER}


def _token(_: JsonObject) -> JsonObject:
    return {"authenticated": False, "error": "tokens of others are not known here", "user": {}}


_AUTHORIZATION = "authorization.k8s.io"
_AUTHENTICATION = "authentication.k8s.io"

REVIEWS = (
    Review(_AUTHENTICATION, "v1", "selfsubjectreviews", "SelfSubjectReview", _self),
    Review(_AUTHENTICATION, "v1", "tokenreviews", "TokenReview", _token),
    Review(
        _AUTHORIZATION,
        "v1",
        "localsubjectaccessreviews",
        "LocalSubjectAccessReview",
        _allowed,
        namespaced=True,
    ),
    Review(_AUTHORIZATION, "v1", "selfsubjectaccessreviews", "SelfSubjectAccessReview", _allowed),
    Review(_AUTHORIZATION, "v1", "selfsubjectrulesreviews", "SelfSubjectRulesReview", _rules),
    Review(_AUTHORIZATION, "v1", "subjectaccessreviews", "SubjectAccessReview", _allowed),
)


def review_at(group: str, version: str, plural: str) -> Review | None:
    """The review behind a path."""
    return next((r for r in REVIEWS if (r.group, r.version, r.plural) == (group, version, plural)), None)


def answer_review(request: Request, review: Review) -> Answer:
    """Answer a question that was POSTed."""
    if request.method != "POST":
        raise not_allowed()
    form = negotiate(request.headers.get("accept", ""), transforms=False)
    tree = _read(request, review)
    spec = tree.get("spec") or {}
    return answer_tree(request, {**tree, "status": review.answer(spec)}, form, 201)


def _read(request: Request, review: Review) -> JsonObject:
    try:
        tree: Any = read_tree(request)
    except NotReadableError as error:
        raise bad_request(
            f"the object provided is unrecognized (must be of type {review.kind}): {error}"
        ) from None
    if not isinstance(tree, dict):
        raise bad_request(f"the object provided is unrecognized (must be of type {review.kind})")
    expected = f"{review.group}/{review.version}"
    for field, value in (("apiVersion", expected), ("kind", review.kind)):
        if tree.setdefault(field, value) != value:
            raise bad_request(
                f"the {field} in the data ({tree[field]}) does not match the expected ({value})"
            )
    tree.setdefault("metadata", {})
    return tree
