"""Warnings that go with an answer, as `Warning` headers (RFC 9110, code 299).

apimachinery/pkg/util/net/http.go, NewWarningHeader, v1.37.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from nominee.apiserver.http.message import Answer
from nominee.apiserver.kind import Context
from nominee.errors import ApiError

_MOST = 4096
"""Bytes of all warnings of an answer; what comes after is cut, as upstream cuts it."""


@contextmanager
def warned(context: Context) -> Iterator[None]:
    """What is refused in here goes out with the warnings so far, as an answer would."""
    try:
        yield
    except ApiError as error:
        error.warnings = tuple(context.warnings)
        raise


def with_warnings(answer: Answer, warnings: Iterable[str]) -> Answer:
    """The same answer, with warnings, each told once."""
    left = _MOST
    for warning in dict.fromkeys(warnings):
        text = warning[:left]
        left -= len(text)
        if text:
            answer.headers.append(("Warning", f"299 - {_quoted(text)}"))
    return answer


def _quoted(text: str) -> str:
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.encode().decode("latin-1") + '"'
