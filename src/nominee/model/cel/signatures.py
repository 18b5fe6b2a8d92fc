"""What functions take and give, as far as it is checked before they are called.

A function that is not here takes anything and gives one knows not what. One that is here is complete:
its signatures are those of cel-go's standard library and extensions and of k8s.io/apiserver
pkg/cel/library, v1.37, as the environment of device selectors has them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from nominee.model.cel import formats
from nominee.model.cel.kinds import DYN, UNKNOWN, Kind, bound, filled_in, no_overload

_SHORT = {
    "Quantity": "kubernetes.Quantity",
    "Semver": "kubernetes.Semver",
    "URL": "kubernetes.URL",
    "Format": "kubernetes.NamedFormat",
    "IP": "net.IP",
    "CIDR": "net.CIDR",
    "optional": "optional_type",
}


class Signature(NamedTuple):
    """One way to call a function."""

    takes: tuple[Kind, ...]
    gives: Kind


_NUMBERS = ("int", "uint", "double")
_ORDERED = [f"{a},{b}" for a, b in product(_NUMBERS, _NUMBERS)]
_ORDERED += [f"{each},{each}" for each in ("bool", "string", "bytes", "timestamp", "duration")]
_COMPARED = " | ".join(f"{pair}: bool" for pair in _ORDERED)
_ARITHMETIC = "int,int: int | uint,uint: uint | double,double: double"
_SIZE = "string: int | bytes: int | list(A): int | map(A,B): int"
_TEXT_IN_TEXT = "string,string: bool"
_POSITION = "string,string: int | string,string,int: int | list(A),A: int"
_COMPARED_AMOUNTS = "Quantity,Quantity: bool | Semver,Semver: bool"
_SUM = "Quantity,Quantity: Quantity | Quantity,int: Quantity"
_SETS = "list(A),list(A): bool"
_PART_OF_DATE = "timestamp: int | timestamp,string: int"
_PART_OF_TIME = f"{_PART_OF_DATE} | duration: int"
_ONE_OF, _SAME = "list(A): A", "list(A): list(A)"
_END = "list(A): optional(A)"

_WRITABLE = ("string", "bool", "int", "uint", "double", "bytes", "timestamp", "duration", "IP", "CIDR")
_WRITTEN = " | ".join(f"{each}: string" for each in _WRITABLE)

_SORTABLE = ("int", "uint", "double", "bool", "string", "bytes", "timestamp", "duration")
_SORTED = " | ".join(f"list({each}): list({each})" for each in _SORTABLE)

_FUNCTIONS: Mapping[str, str] = {
    "_+_": (
        f"{_ARITHMETIC} | string,string: string | bytes,bytes: bytes | list(A),list(A): list(A)"
        " | duration,duration: duration | timestamp,duration: timestamp | duration,timestamp: timestamp"
    ),
    "_-_": (
        f"{_ARITHMETIC} | duration,duration: duration | timestamp,timestamp: duration"
        " | timestamp,duration: timestamp"
    ),
    "_*_": _ARITHMETIC,
    "_/_": _ARITHMETIC,
    "_%_": "int,int: int | uint,uint: uint",
    "-_": "int: int | double: double",
    "!_": "bool: bool",
    "_&&_": "bool,bool: bool",
    "_||_": "bool,bool: bool",
    "_==_": "A,A: bool",
    "_!=_": "A,A: bool",
    "_<_": _COMPARED,
    "_<=_": _COMPARED,
    "_>_": _COMPARED,
    "_>=_": _COMPARED,
    "_in_": "A,list(A): bool | A,map(A,B): bool",
    "size": _SIZE,
    "dyn": "A: dyn",
    "type": "A: type(A)",
    "int": "int: int | uint: int | double: int | string: int | timestamp: int | duration: int",
    "uint": "uint: uint | int: uint | double: uint | string: uint",
    "double": "double: double | int: double | uint: double | string: double",
    "bool": "bool: bool | string: bool",
    "bytes": "bytes: bytes | string: bytes",
    "string": _WRITTEN,
    "timestamp": "timestamp: timestamp | string: timestamp | int: timestamp",
    "duration": "duration: duration | string: duration | int: duration",
    "quantity": "string: Quantity",
    "isQuantity": "string: bool",
    "semver": "string: Semver | string,bool: Semver",
    "isSemver": "string: bool | string,bool: bool",
    "matches": _TEXT_IN_TEXT,
    "optional.of": "A: optional(A)",
    "optional.none": ": optional(unknown)",
    "optional.ofNonZeroValue": "A: optional(A)",
    "lists.range": "int: list(int)",
    "ip": "string: IP",
    "isIP": "string: bool",
    "ip.isCanonical": "string: bool",
    "cidr": "string: CIDR",
    "isCIDR": "string: bool",
    "url": "string: URL",
    "isURL": "string: bool",
    "sets.contains": _SETS,
    "sets.equivalent": _SETS,
    "sets.intersects": _SETS,
    "format.named": "string: optional(Format)",
    **{name: ": Format" for name in formats.FUNCTIONS if name != "format.named"},
}
_METHODS: Mapping[str, str] = {
    "size": _SIZE,
    "contains": _TEXT_IN_TEXT,
    "startsWith": _TEXT_IN_TEXT,
    "endsWith": _TEXT_IN_TEXT,
    "matches": _TEXT_IN_TEXT,
    "lowerAscii": "string: string",
    "upperAscii": "string: string",
    "trim": "string: string",
    "charAt": "string,int: string",
    "replace": "string,string,string: string | string,string,string,int: string",
    "split": "string,string: list(string) | string,string,int: list(string)",
    "substring": "string,int: string | string,int,int: string",
    "join": "list(string): string | list(string),string: string",
    "format": "string,list(dyn): string",
    "find": "string,string: string",
    "findAll": "string,string: list(string) | string,string,int: list(string)",
    "indexOf": _POSITION,
    "lastIndexOf": _POSITION,
    "compareTo": "Quantity,Quantity: int | Semver,Semver: int",
    "isGreaterThan": _COMPARED_AMOUNTS,
    "isLessThan": _COMPARED_AMOUNTS,
    "add": _SUM,
    "sub": _SUM,
    "sign": "Quantity: int",
    "isInteger": "Quantity: bool",
    "asInteger": "Quantity: int",
    "asApproximateFloat": "Quantity: double",
    "major": "Semver: int",
    "minor": "Semver: int",
    "patch": "Semver: int",
    "includes": "A,B: bool",
    "isSorted": "list(A): bool",
    "sum": _ONE_OF,
    "min": _ONE_OF,
    "max": _ONE_OF,
    "first": _END,
    "last": _END,
    "distinct": _SAME,
    "sort": _SORTED,
    "reverse": f"{_SAME} | string: string",
    "getFullYear": _PART_OF_DATE,
    "getMonth": _PART_OF_DATE,
    "getDate": _PART_OF_DATE,
    "getDayOfMonth": _PART_OF_DATE,
    "getDayOfWeek": _PART_OF_DATE,
    "getDayOfYear": _PART_OF_DATE,
    "getHours": _PART_OF_TIME,
    "getMinutes": _PART_OF_TIME,
    "getSeconds": _PART_OF_TIME,
    "getMilliseconds": _PART_OF_TIME,
    "family": "IP: int",
    "isUnspecified": "IP: bool",
    "isLoopback": "IP: bool",
    "isLinkLocalMulticast": "IP: bool",
    "isLinkLocalUnicast": "IP: bool",
    "isGlobalUnicast": "IP: bool",
    "containsIP": "CIDR,IP: bool | CIDR,string: bool",
    "containsCIDR": "CIDR,CIDR: bool | CIDR,string: bool",
    "ip": "CIDR: IP",
    "masked": "CIDR: CIDR",
    "prefixLength": "CIDR: int",
    "getScheme": "URL: string",
    "getHost": "URL: string",
    "getHostname": "URL: string",
    "getPort": "URL: string",
    "getEscapedPath": "URL: string",
    "getQuery": "URL: map(string,list(string))",
    "validate": "Format,string: optional(list(string))",
    "hasValue": "optional(A): bool",
    "value": "optional(A): A",
    "orValue": "optional(A),A: A",
    "or": "optional(A),optional(A): optional(A)",
}


def _kind(text: str) -> Kind:
    name, _, inner = text.strip().partition("(")
    return Kind(_SHORT.get(name, name), tuple(map(_kind, _parts(inner.removesuffix(")")))))


def _parts(text: str) -> Iterator[str]:
    """What commas part, but for those within parentheses."""
    depth, begin = 0, 0
    for position, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if sign == "," and not depth:
            yield text[begin:position]
            begin = position + 1
    if text[begin:].strip():
        yield text[begin:]


def _signatures(text: str) -> tuple[Signature, ...]:
    made = (way.partition(": ") for way in text.split(" | "))
    return tuple(Signature(tuple(map(_kind, _parts(takes))), _kind(gives)) for takes, _, gives in made)


FUNCTIONS: Mapping[str, tuple[Signature, ...]] = {name: _signatures(t) for name, t in _FUNCTIONS.items()}
METHODS: Mapping[str, tuple[Signature, ...]] = {name: _signatures(t) for name, t in _METHODS.items()}
"""For methods the target is what they take first."""


def applied(name: str, signatures: tuple[Signature, ...] | None, arguments: Sequence[Kind]) -> Kind:
    """The kind that a call gives; raises CelError if the function does not take these arguments."""
    if signatures is None:
        return UNKNOWN
    gives: list[Kind] = []
    for signature in signatures:
        known: dict[str, Kind] = {}
        if len(signature.takes) == len(arguments) and all(
            bound(formal, actual, known) for formal, actual in zip(signature.takes, arguments, strict=True)
        ):
            gives.append(filled_in(signature.gives, known))
    if not gives:
        raise no_overload(name, arguments)
    return gives[0] if all(kind == gives[0] for kind in gives) else DYN
