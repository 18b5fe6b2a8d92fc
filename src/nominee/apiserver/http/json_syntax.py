"""What Go's decoder says of a text that is no JSON.

The words are those of encoding/json/scanner.go, Go 1.26, over which sigs.k8s.io/json reads. Nobody asks
before a faster reader has refused the text.
"""

from __future__ import annotations

import re

_DEEPEST = 10_000
_SPACE = re.compile(rb"[ \t\r\n]*")
_PLAIN = re.compile(rb'[^"\\\x00-\x1f]*')
_DIGITS = re.compile(rb"[0-9]*")
_LITERALS = {ord(word[:1]): word for word in (b"true", b"false", b"null")}
_SHOWN = {"'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\"}


class _Fault(Exception):  # noqa: N818 - it never leaves this module
    """What is wrong at the byte that was looked at."""


def syntax_fault(text: bytes) -> str:
    """`invalid character 'x' looking for beginning of value`; empty if the text is JSON after all."""
    scanner = _Scanner(text)
    try:
        scanner.document()
    except _Fault as fault:
        if scanner.at >= len(text):
            return "unexpected end of JSON input"
        return f"invalid character {_quoted(text[scanner.at])} {fault}"
    return ""


def _quoted(byte: int) -> str:
    char = chr(byte)
    if char in _SHOWN:
        return f"'{_SHOWN[char]}'"
    return f"'{char}'" if char.isprintable() else f"'\\x{byte:02x}'"


class _Scanner:
    """Walks over a text without recursion: `open` holds the brackets that are not closed yet."""

    def __init__(self, text: bytes) -> None:
        self.at = 0
        self._text = text
        self._open: list[int] = []

    def document(self) -> None:
        self._value()
        while self._open:
            self._after_value()
        if self._next() is not None:
            raise _Fault("after top-level value")

    def _next(self) -> int | None:
        """The byte that comes next, behind space."""
        self.at = _SPACE.match(self._text, self.at).end()  # type: ignore[union-attr]  # it matches nothing, too
        return self._here()

    def _here(self) -> int | None:
        return self._text[self.at] if self.at < len(self._text) else None

    def _value(self) -> None:
        """A value; of an object or a list what comes before its first element."""
        while (byte := self._next()) is not None and byte in b"[{":
            if self._bracket(byte):
                return
        self._scalar(byte)

    def _bracket(self, byte: int) -> bool:
        """Open one; whether it is closed at once, which makes it a value."""
        if len(self._open) >= _DEEPEST:
            raise _Fault("exceeded max depth")
        self.at += 1
        if self._next() == byte + 2:  # the closing bracket stands two behind the opening one
            self.at += 1
            return True
        self._open.append(byte)
        if byte == ord("{"):
            self._key()
        return False

    def _scalar(self, byte: int | None) -> None:
        if byte == ord('"'):
            self._string()
        elif byte in _LITERALS:
            self._literal(_LITERALS[byte])
        elif byte is not None and byte in b"-0123456789":
            self._number()
        else:
            raise _Fault("looking for beginning of value")

    def _after_value(self) -> None:
        bracket = self._open[-1]
        byte = self._next()
        if byte == bracket + 2:
            self._open.pop()
            self.at += 1
        elif byte == ord(","):
            self.at += 1
            if bracket == ord("{"):
                self._key()
            self._value()
        else:
            raise _Fault("after array element" if bracket == ord("[") else "after object key:value pair")

    def _key(self) -> None:
        if self._next() != ord('"'):
            raise _Fault("looking for beginning of object key string")
        self._string()
        if self._next() != ord(":"):
            raise _Fault("after object key")
        self.at += 1

    def _string(self) -> None:
        self.at += 1
        while True:
            self.at = _PLAIN.match(self._text, self.at).end()  # type: ignore[union-attr]  # likewise
            byte = self._here()
            if byte == ord("\\"):
                self._escape()
            elif byte != ord('"'):
                raise _Fault("in string literal")
            else:
                self.at += 1
                return

    def _escape(self) -> None:
        self.at += 1
        byte = self._here()
        if byte is None or byte not in b'bfnrt\\/"u':
            raise _Fault("in string escape code")
        self.at += 1
        for _ in range(4 if byte == ord("u") else 0):
            digit = self._here()
            if digit is None or digit not in b"0123456789abcdefABCDEF":
                raise _Fault("in \\u hexadecimal character escape")
            self.at += 1

    def _literal(self, word: bytes) -> None:
        for byte in word:
            if self._here() != byte:
                raise _Fault(f"in literal {word.decode()} (expecting {chr(byte)!r})")
            self.at += 1

    def _number(self) -> None:
        if self._here() == ord("-"):
            self.at += 1
        if self._here() == ord("0"):
            self.at += 1
        else:
            self._digits("in numeric literal")
        if self._here() == ord("."):
            self.at += 1
            self._digits("after decimal point in numeric literal")
        if self._here() in (ord("e"), ord("E")):
            self.at += 1
            if self._here() in (ord("+"), ord("-")):
                self.at += 1
            self._digits("in exponent of numeric literal")

    def _digits(self, where: str) -> None:
        end = _DIGITS.match(self._text, self.at).end()  # type: ignore[union-attr]  # likewise
        if end == self.at:
            raise _Fault(where)
        self.at = end
