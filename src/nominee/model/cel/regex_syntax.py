"""The syntax of regular expressions, as RE2 has it: no look-around and no back references."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from nominee.model.cel.unicode_classes import unicode_class
from nominee.model.cel.values import CelError

Eats: TypeAlias = Callable[[str], bool]
Holds: TypeAlias = Callable[[str, int], bool]


@dataclass(frozen=True, slots=True)
class Characters:
    """One character of a kind."""

    eats: Eats


class UnknownClassError(CelError):
    """A class of characters that may exist, but not here."""


@dataclass(frozen=True, slots=True)
class Assertion:
    """Something about a position in the text."""

    holds: Holds


@dataclass(frozen=True, slots=True)
class Sequence:
    """One after the other."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Alternatives:
    """One of these, the first that leads to a match."""

    branches: tuple[Pattern, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """So many times; `most` is None without a limit."""

    part: Pattern
    least: int
    most: int | None
    lazy: bool


Pattern: TypeAlias = Characters | Assertion | Sequence | Alternatives | Repeat

_COUNT = re.compile(r"\{([0-9]{1,4})(?:(,)([0-9]{1,4})?)?\}")
_GROUP = re.compile(r"\?(?:P?<[A-Za-z0-9_]+>|([imsU]*)(?:-([imsU]+))?([:)]))")
_CLASS = re.compile(r"\[:(\^?)([a-z]+):\]")
_OCTAL = re.compile(r"0[0-7]{0,2}|[1-7][0-7]{1,2}")
_MAX_REPEAT, _MAX_DEPTH = 1000, 100
_CONTROL = {"a": "\a", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_DIGITS, _SPACES = "0123456789", "\t\n\f\r "
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_PERL = {"d": frozenset(_DIGITS), "s": frozenset(_SPACES), "w": frozenset(_DIGITS + _LETTERS + "_")}
_NAMED = {
    "alnum": frozenset(_DIGITS + _LETTERS),
    "alpha": frozenset(_LETTERS),
    "digit": frozenset(_DIGITS),
    "lower": frozenset(_LETTERS[:26]),
    "upper": frozenset(_LETTERS[26:]),
    "space": frozenset(_SPACES + "\v"),
    "word": frozenset(_DIGITS + _LETTERS + "_"),
    "xdigit": frozenset("0123456789abcdefABCDEF"),
    "punct": frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"),
}


def parse_regex(pattern: str) -> Pattern:
    """The tree of a pattern; raises CelError."""
    parser = _Parser(pattern)
    tree = parser.alternatives()
    if parser.at < len(pattern):
        raise parser.error("unexpected )")
    return tree


def _is_word(text: str, position: int) -> bool:
    return 0 <= position < len(text) and text[position] in _PERL["w"]


def _at_boundary(text: str, position: int) -> bool:
    return _is_word(text, position - 1) != _is_word(text, position)


_POSITIONS: dict[str, Holds] = {
    "A": lambda _, position: position == 0,
    "z": lambda text, position: position == len(text),
    "b": _at_boundary,
    "B": lambda text, position: not _at_boundary(text, position),
}


class _Parser:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self.at = 0
        self._flags: frozenset[str] = frozenset()
        self._depth = 0

    def error(self, problem: str) -> CelError:
        return CelError(f"illegal regex: {problem} in {self._pattern[:80]!r}")

    def _peek(self) -> str:
        return self._pattern[self.at : self.at + 1]

    def _next(self) -> str:
        character = self._peek()
        if not character:
            raise self.error("unexpected end")
        self.at += 1
        return character

    def alternatives(self) -> Pattern:
        branches = [self._sequence()]
        while self._peek() == "|":
            self.at += 1
            branches.append(self._sequence())
        return branches[0] if len(branches) == 1 else Alternatives(tuple(branches))

    def _sequence(self) -> Pattern:
        parts: list[Pattern] = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._repeated(self._atom()))
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def _repeated(self, part: Pattern) -> Pattern:
        counts = {"*": (0, None), "+": (1, None), "?": (0, 1)}
        sign = self._peek()
        if sign in counts and sign:
            self.at += 1
            least, most = counts[sign]
        elif sign == "{" and (match := _COUNT.match(self._pattern, self.at)) is not None:
            self.at = match.end()
            least = int(match[1])
            most = least if not match[2] else int(match[3]) if match[3] else None
        else:
            return part
        if least > _MAX_REPEAT or (most is not None and not least <= most <= _MAX_REPEAT):
            raise self.error("invalid repeat count")
        lazy = self._peek() == "?"
        self.at += lazy
        if self._peek() in ("*", "+"):
            raise self.error("invalid nested repetition operator")
        return Repeat(part, least, most, lazy != ("U" in self._flags))

    def _atom(self) -> Pattern:
        character = self._next()
        match character:
            case "(":
                return self._group()
            case "[":
                return Characters(self._class())
            case ".":
                return Characters((lambda _: True) if "s" in self._flags else (lambda c: c != "\n"))
            case "^" | "$":
                return Assertion(self._anchor(character))
            case "\\":
                return self._escaped()
            case "*" | "+" | "?":
                raise self.error("missing argument to repetition operator")
            case _:
                return self._literal(character)

    def _literal(self, character: str) -> Pattern:
        if "i" in self._flags:
            either = frozenset((character.lower(), character.upper()))
            return Characters(either.__contains__)
        return Characters(lambda c: c == character)

    def _anchor(self, sign: str) -> Holds:
        multiline = "m" in self._flags
        if sign == "^":
            return lambda text, at: at == 0 or (multiline and text[at - 1] == "\n")
        return lambda text, at: at == len(text) or (multiline and text[at] == "\n")

    def _group(self) -> Pattern:
        before = self._flags
        if self._peek() == "?":
            match = _GROUP.match(self._pattern, self.at)
            if match is None:
                raise self.error("invalid or unsupported group")
            self.at = match.end()
            self._flags = (self._flags | set(match[1] or "")) - set(match[2] or "")
            if match[3] == ")":
                return Sequence(())  # flags for the rest of the group around it
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self.error("nested too deeply")
        inner = self.alternatives()
        if self._peek() != ")":
            raise self.error("missing closing )")
        self.at += 1
        self._depth -= 1
        self._flags = before
        return inner

    def _escaped(self) -> Pattern:
        character = self._next()
        if character in _POSITIONS:
            return Assertion(_POSITIONS[character])
        if character.lower() in _PERL:
            return Characters(_among(_PERL[character.lower()], negated=character.isupper()))
        if character in ("p", "P"):
            return Characters(self._of_unicode(character))
        if character == "Q":
            end = self._pattern.find("\\E", self.at)
            quoted = self._pattern[self.at : end if end >= 0 else None]
            self.at = end + 2 if end >= 0 else len(self._pattern)
            return Sequence(tuple(map(self._literal, quoted)))
        return self._literal(self._character(character))

    def _of_unicode(self, escape: str) -> Eats:
        known, self.at = unicode_class(self._pattern, self.at, negated=escape == "P")
        if known is None:
            raise UnknownClassError(self.error(f"unknown character class \\{escape}").message)
        return known

    def _character(self, escape: str) -> str:
        """The character that an escape stands for."""
        if escape in _CONTROL:
            return _CONTROL[escape]
        if escape == "x":
            match = re.compile(r"([0-9a-fA-F]{2})|\{([0-9a-fA-F]{1,6})\}").match(self._pattern, self.at)
            if match is None:
                raise self.error("invalid escape")
            self.at = match.end()
            return chr(min(int(match[1] or match[2], 16), 0x10FFFF))
        if (octal := _OCTAL.match(self._pattern, self.at - 1)) is not None:
            self.at = octal.end()
            return chr(int(octal[0], 8))
        if escape.isalnum():
            raise self.error(f"invalid escape \\{escape}")
        return escape

    # -- classes --------------------------------------------------------------------------------

    def _class(self) -> Eats:
        negated = self._peek() == "^"
        self.at += negated
        kinds: list[Eats] = []
        first = True
        while first or self._peek() != "]":
            kinds.append(self._class_item())
            first = False
        self.at += 1
        if "i" in self._flags:
            return lambda c: any(k(c.lower()) or k(c.upper()) for k in kinds) != negated
        return lambda c: any(kind(c) for kind in kinds) != negated

    def _class_item(self) -> Eats:
        if (named := _CLASS.match(self._pattern, self.at)) is not None:
            if named[2] not in _NAMED:
                raise self.error(f"invalid character class {named[0]}")
            self.at = named.end()
            return _among(_NAMED[named[2]], negated=bool(named[1]))
        character = self._next()
        if character == "\\":
            escape = self._next()
            if escape.lower() in _PERL:
                return _among(_PERL[escape.lower()], negated=escape.isupper())
            if escape in ("p", "P"):
                return self._of_unicode(escape)
            character = self._character(escape)
        if self._peek() != "-" or self._pattern[self.at + 1 : self.at + 2] in ("]", ""):
            return lambda c: c == character
        self.at += 1
        last = self._next()
        if last == "\\":
            last = self._character(self._next())
        if last < character:
            raise self.error("invalid character class range")
        return lambda c: character <= c <= last


def _among(characters: frozenset[str], *, negated: bool) -> Eats:
    return (lambda c: c not in characters) if negated else characters.__contains__
