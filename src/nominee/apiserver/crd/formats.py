"""Formats of strings that a schema may ask for.

kube-openapi/pkg/validation/strfmt/default.go, v1.37.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import ipaddress
import re
from collections.abc import Callable, Mapping

from nominee.errors import InputError
from nominee.model.timestamps import parse_time

_UUID = re.compile(r"(?i)[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}")
_HOST = re.compile(
    r"(?=.{1,253}$)[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?(\.[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?)*"
)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+")
_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]*:[^\s]*|/[^\s]*")
_DURATION = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?\s*(ns|us|µs|ms|s|m|h|d|w)\s*)+")


def _works(parse: Callable[[str], object]) -> Callable[[str], bool]:
    def check(text: str) -> bool:
        try:
            parse(text)
        except (ValueError, InputError, binascii.Error):
            return False
        return True

    return check


def _fully(pattern: re.Pattern[str]) -> Callable[[str], bool]:
    return lambda text: pattern.fullmatch(text) is not None


FORMATS: Mapping[str, Callable[[str], bool]] = {
    "date-time": _works(parse_time),
    "datetime": _works(parse_time),
    "date": _works(dt.date.fromisoformat),
    "duration": _fully(_DURATION),
    "ipv4": _works(ipaddress.IPv4Address),
    "ipv6": _works(ipaddress.IPv6Address),
    "cidr": _works(lambda text: ipaddress.ip_network(text, strict=False)),
    "uuid": _fully(_UUID),
    "hostname": _fully(_HOST),
    "email": _fully(_MAIL),
    "uri": _fully(_URI),
    "byte": _works(lambda text: base64.b64decode(text, validate=True)),
}
