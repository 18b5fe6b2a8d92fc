"""Words of CEL: numbers, texts, names and signs."""

from __future__ import annotations

import re
from typing import NamedTuple

from nominee.model.cel.values import CelError, UInt

_TOKEN = re.compile(
    r"""
    (?P<space>[ \t\r\n\f]+|//[^\n]*)
  | (?P<float>[0-9]+\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+|\.[0-9]+(?:[eE][+-]?[0-9]+)?)
  | (?P<int>0x[0-9a-fA-F]+[uU]?|[0-9]+[uU]?)
  | (?P<text>(?:[rR][bB]?|[bB][rR]?)?(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|'''(?:\\.|[^\\])*?'''
      |"(?:\\.|[^\\"\n])*"|'(?:\\.|[^\\'\n])*'))
  | (?P<quoted>`[A-Za-z0-9_.\-/ ]+`)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<sign>&&|\|\||[<>=!]=|\[\?|\.\?|[-+*/%!<>?:.,()\[\]{}])
    """,
    re.VERBOSE | re.DOTALL,
)
# A raw text may end in a backslash before the closing quote only if that is not meant to escape it.
_ESCAPE = re.compile(
    r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))", re.DOTALL
)
_SIMPLE = {
    "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
    "\\": "\\", "?": "?", '"': '"', "'": "'", "`": "`",
}  # fmt: skip
MAX_LENGTH = 10 * 1024
"""How long an expression may be: the API's limit."""


class Token(NamedTuple):
    """One word: its kind, its text (or the value of a literal) and where it stands."""

    kind: str
    value: object
    position: int


def tokens_of(text: str) -> list[Token]:
    """Cut an expression into words; raises CelError where that is not possible."""
    if len(text) > MAX_LENGTH:
        raise CelError(f"expression is longer than {MAX_LENGTH} characters")
    tokens, position = [], 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise CelError(f"syntax error at character {position + 1}: {text[position : position + 20]!r}")
        kind = str(match.lastgroup)
        if kind != "space":
            tokens.append(_token(kind, match[0], position))
        position = match.end()
    return [*tokens, Token("end", "", position)]


def _token(kind: str, word: str, position: int) -> Token:
    match kind:
        case "float":
            return Token("literal", float(word), position)
        case "int":
            return Token("literal", _integer(word), position)
        case "text":
            return Token("literal", _text(word), position)
        case "quoted":
            return Token("quoted", word[1:-1], position)
        case _:
            return Token(kind, word, position)


def _integer(word: str) -> int:
    digits = word.rstrip("uU")
    number = int(digits, 16 if digits.startswith("0x") else 10)
    return UInt(number) if digits != word else number


def _text(word: str) -> str | bytes:
    start = min(i for i in (word.find('"'), word.find("'")) if i >= 0)
    prefix, body = word[:start].lower(), word[start:]
    width = 3 if len(body) >= 6 and body[:3] in ('"""', "'''") else 1
    body = body[width:-width]
    if "r" not in prefix:
        body = _ESCAPE.sub(_unescaped, body)
    return body.encode() if "b" in prefix else body


def _unescaped(match: re.Match[str]) -> str:
    for group, base in ((1, 16), (2, 16), (3, 16), (4, 8)):
        if match[group]:
            return chr(int(match[group], base))
    if match[5] not in _SIMPLE:
        raise CelError(f"syntax error: unknown escape {match[0]!r}")
    return _SIMPLE[match[5]]
