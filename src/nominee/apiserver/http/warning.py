"""Warnings that go with an answer, as `Warning` headers (RFC 9110, code 299).

apimachinery/pkg/util/net/http.go, NewWarningHeader, v1.37.
"""

from __future__ import annotations

from nominee.apiserver.http.message import Answer
from nominee.apiserver.kind import Context

_MOST = 4096
"""Bytes of all warnings of an answer; what comes after is cut, as upstream cuts it."""


def with_warnings(answer: Answer, context: Context) -> Answer:
    """The same answer, with the context's warnings, each told once."""
    left = _MOST
    for warning in dict.fromkeys(context.warnings):
        text = warning[:left]
        left -= len(text)
        if text:
            answer.headers.append(("Warning", f"299 - {_quoted(text)}"))
    return answer


def _quoted(text: str) -> str:
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    escaped = plain.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + escaped.encode().decode("latin-1") + '"'
