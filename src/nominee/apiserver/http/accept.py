"""In what form a client wants its answer.

apiserver/pkg/endpoints/handlers/negotiation/negotiate.go, v1.37.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from nominee.apiserver.status import refusal

YAML = "application/yaml"
_JSON_LIKE = ("application/json", "application/*", "*/*")
_AS = ("Table", "PartialObjectMetadata", "PartialObjectMetadataList")


@dataclass(frozen=True, slots=True)
class Form:
    """JSON or YAML, and whether objects are turned into something else.

    kind     Table, PartialObjectMetadata(List), or "" for the objects themselves
    version  of meta.k8s.io: v1 or v1beta1
    """

    media: str = "application/json"
    kind: str = ""
    version: str = "v1"

    @property
    def yaml(self) -> bool:
        return self.media == YAML

    @property
    def api_version(self) -> str:
        return f"meta.k8s.io/{self.version}"


PLAIN = Form()


@dataclass(frozen=True, slots=True)
class Clause:
    """A media type that a client accepts, with its parameters; the first is the most wanted."""

    media: str
    parameters: dict[str, str]
    quality: float


@lru_cache(maxsize=256)
def clauses(accept: str) -> tuple[Clause, ...]:
    """The clauses of an Accept header, by preference."""
    found = [_clause(text) for text in accept.split(",") if text.strip()]
    return tuple(sorted((c for c in found if c.quality > 0), key=lambda clause: -clause.quality))


def _clause(text: str) -> Clause:
    media, *pairs = (part.strip() for part in text.split(";"))
    parameters = {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        parameters[name.strip().lower()] = value.strip().strip('"')
    return Clause(media.lower(), parameters, _quality(parameters.get("q", "1")))


def _quality(text: str) -> float:
    try:
        return min(max(float(text), 0.0), 1.0)
    except ValueError:
        return 1.0


@lru_cache(maxsize=256)
def negotiate(accept: str, *, transforms: bool = True) -> Form:
    """The form that suits best; raises 406 if none does."""
    if not accept:
        return PLAIN
    for clause in clauses(accept):
        form = _form(clause, transforms=transforms)
        if form is not None:
            return form
    raise refusal(
        406,
        "NotAcceptable",
        "406: Not Acceptable\n\nAvailable representations: application/json, application/yaml",
        details={},
    )


def _form(clause: Clause, *, transforms: bool) -> Form | None:
    if clause.media in _JSON_LIKE:
        media = "application/json"
    elif clause.media == YAML:
        media = YAML
    else:
        return None
    kind = clause.parameters.get("as", "")
    if not kind:
        return Form(media)
    version = clause.parameters.get("v", "")
    known = clause.parameters.get("g") == "meta.k8s.io" and version in ("v1", "v1beta1")
    return Form(media, kind, version) if transforms and known and kind in _AS else None
