"""Functions of texts.

Follows cel-go's string extension, version 2, and
staging/src/k8s.io/apiserver/pkg/cel/library/regex.go, v1.37.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from nominee.model.cel.addresses import CIDR, IP
from nominee.model.cel.regex import compile_regex
from nominee.model.cel.times import Duration, Timestamp
from nominee.model.cel.values import CelError, Semver, no_overload

_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"
)
_UPPER = {ord(c): ord(c) + 32 for c in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
_LOWER = {upper: code for code, upper in _UPPER.items()}


_EXPONENT_FROM = 6  # powers of ten; what strconv.FormatFloat(value, 'g', -1, 64) does


def to_string(value: Any) -> str:
    """`string(value)`."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value
        case bytes():
            return value.decode()
        case float():
            return _double_text(value)
        case int():
            return str(int(value))
        case Semver():
            core = ".".join(map(str, value.numbers))
            return f"{core}-{'.'.join(value.prerelease)}" if value.prerelease else core
        case Duration() | Timestamp() | IP() | CIDR():
            return str(value)
        case _:
            raise no_overload()


def _double_text(value: float) -> str:
    """As Go writes a double: the fewest digits that mean it, with an exponent if it is large or small."""
    if not math.isfinite(value):
        return {math.inf: "+Inf", -math.inf: "-Inf"}.get(value, "NaN")
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) + int(exponent) - 1
    if value and not -4 <= power < _EXPONENT_FROM:
        mantissa = "".join(map(str, digits))
        point = "." if len(digits) > 1 else ""
        return f"{'-' if sign else ''}{mantissa[0]}{point}{mantissa[1:]}e{power:+03d}"
    return f"{Decimal(repr(value)).normalize():f}"


def _texts(*values: Any) -> None:
    if not all(isinstance(value, str) for value in values):
        raise no_overload()


def _char_at(text: str, index: int) -> str:
    _texts(text)
    if not 0 <= index <= len(text):
        raise CelError(f"index out of range: {index}")
    return text[index : index + 1]


def index_of(text: str, part: str, start: int = 0) -> int:
    """Where the part first stands at or after `start`, else -1."""
    _texts(text, part)
    if not 0 <= start <= len(text):
        raise CelError(f"index out of range: {start}")
    return text.find(part, start)


def last_index_of(text: str, part: str, last: int | None = None) -> int:
    """Where the part last stands at or before `last`, else -1."""
    _texts(text, part)
    if last is None:
        return text.rfind(part)
    if not 0 <= last <= len(text):
        raise CelError(f"index out of range: {last}")
    return text.rfind(part, 0, last + len(part))


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    _texts(text, old, new)
    return text.replace(old, new, limit)


def _split(text: str, separator: str, limit: int = -1) -> tuple[str, ...]:
    _texts(text, separator)
    if limit == 0:
        return ()
    if not separator:
        characters = list(text)
        cut = characters if limit < 0 else [*characters[: limit - 1], text[limit - 1 :]]
        return tuple(part for part in cut if part)
    return tuple(text.split(separator, limit - 1 if limit > 0 else -1))


def _substring(text: str, start: int, end: int | None = None) -> str:
    _texts(text)
    end = len(text) if end is None else end
    if not 0 <= start <= end <= len(text):
        raise CelError(f"index out of range: {start if not 0 <= start <= len(text) else end}")
    return text[start:end]


def _quote(text: str) -> str:
    _texts(text)
    escapes = {"\a": r"\a", "\b": r"\b", "\f": r"\f", "\n": r"\n", "\r": r"\r", "\t": r"\t", "\v": r"\v"}
    escapes |= {"\\": "\\\\", '"': '\\"'}
    return '"' + "".join(escapes.get(c, c) for c in text) + '"'


def _join(items: tuple[str, ...], separator: str = "") -> str:
    _texts(separator, *items)
    return separator.join(items)


def _format(pattern: str, arguments: tuple[Any, ...]) -> str:
    """`'%s and %d'.format([…])`, without precisions other than those of %f and %e."""
    _texts(pattern)
    if not isinstance(arguments, tuple):
        raise no_overload()
    parts, values, i = [], iter(arguments), 0
    while i < len(pattern):
        if pattern[i] != "%":
            parts.append(pattern[i])
            i += 1
            continue
        end = i + 1
        while end < len(pattern) and pattern[end] in ".0123456789":
            end += 1
        parts.append(_clause(pattern[i + 1 : end], pattern[end : end + 1], values))
        i = end + 1
    return "".join(parts)


def _shown(value: Any) -> str:
    """What %s makes of a value."""
    if value is None:
        return "null"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shown_within, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(sorted(f'{_shown_within(k)}:{_shown_within(v)}' for k, v in value.items()))}}}"
    return to_string(value)


def _shown_within(value: Any) -> str:
    """The same for a member of a list or a map."""
    match value:
        case str():
            return _quote(value)
        case bytes():
            return f"b{_quote(value.decode())}"
        case float() if math.isfinite(value):
            return f"{value:.6f}"
        case Timestamp():
            return f"timestamp({_quote(str(value))})"
        case Duration():
            return f"duration({_quote(str(value))})"
        case _:
            return _shown(value)


_MISSING = object()


def _clause(precision: str, verb: str, values: Any) -> str:
    if verb == "%":
        return "%"
    value = next(values, _MISSING)
    if value is _MISSING:
        raise CelError("too few arguments to format")
    match verb:
        case "s":
            return _shown(value)
        case "d" if isinstance(value, int):
            return str(int(value))
        case "f" if isinstance(value, int | float):
            return format(float(value), f",{precision or '.6'}f")
        case "e" if isinstance(value, int | float):
            return format(float(value), f"{precision or '.6'}e")
        case "b" | "o" | "x" | "X" if isinstance(value, int):
            return format(int(value), verb)
        case "x" | "X" if isinstance(value, str | bytes):
            digits = (value.encode() if isinstance(value, str) else value).hex()
            return digits if verb == "x" else digits.upper()
    raise CelError(f"unrecognized formatting clause {verb!r}")


def _contained(method: Callable[[str, str], bool]) -> Callable[[str, str], bool]:
    def asked(text: str, part: str) -> bool:
        _texts(text, part)
        return method(text, part)

    return asked


def _matches(text: str, pattern: str) -> bool:
    _texts(text, pattern)
    return compile_regex(pattern).search(text) is not None


def _find(text: str, pattern: str) -> str:
    _texts(text, pattern)
    found = compile_regex(pattern).search(text)
    return text[found[0] : found[1]] if found is not None else ""


def _find_all(text: str, pattern: str, limit: int = -1) -> tuple[str, ...]:
    _texts(text, pattern)
    found = [text[start:end] for start, end in compile_regex(pattern).search_all(text)]
    return tuple(found if limit < 0 else found[:limit])


FUNCTIONS: Mapping[str, Callable[..., Any]] = {"matches": _matches, "strings.quote": _quote}
METHODS: Mapping[str, Callable[..., Any]] = {
    "contains": _contained(str.__contains__),
    "startsWith": _contained(str.startswith),
    "endsWith": _contained(str.endswith),
    "matches": _matches,
    "find": _find,
    "findAll": _find_all,
    "charAt": _char_at,
    "replace": _replace,
    "split": _split,
    "substring": _substring,
    "trim": lambda text: text.strip(_SPACE),
    "lowerAscii": lambda text: text.translate(_UPPER),
    "upperAscii": lambda text: text.translate(_LOWER),
    "join": _join,
    "format": _format,
}
