"""Named formats of texts.

Reproduces staging/src/k8s.io/apiserver/pkg/cel/library/format.go, v1.37; what is wrong with a text is
said in one sentence of our own.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from nominee.model.cel import addresses, times
from nominee.model.cel.values import NONE, CelError, Optional, no_overload
from nominee.model.label_syntax import is_dns_subdomain, is_label_value, is_qualified_name

_LABEL = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?")
_LABEL_1035 = re.compile(r"[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?")
_UUID = re.compile(r"[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Format:
    """What a text may look like."""

    name: str
    holds: Callable[[str], bool]


def _prefix(holds: Callable[[str], bool]) -> Callable[[str], bool]:
    """A prefix of a name that something will be appended to may end in a dash."""
    return lambda text: holds(f"{text[:-1]}a" if len(text) > 1 and text.endswith("-") else text)


def _parsed_by(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    def holds(text: str) -> bool:
        try:
            parse(text)
        except (CelError, ValueError):
            return False
        return True

    return holds


def _label(text: str) -> bool:
    return _LABEL.fullmatch(text) is not None


def _label_1035(text: str) -> bool:
    return _LABEL_1035.fullmatch(text) is not None


FORMATS: Mapping[str, Format] = {
    name: Format(name, holds)
    for name, holds in (
        ("dns1123Label", _label),
        ("dns1123Subdomain", is_dns_subdomain),
        ("dns1035Label", _label_1035),
        ("qualifiedName", is_qualified_name),
        ("dns1123LabelPrefix", _prefix(_label)),
        ("dns1123SubdomainPrefix", _prefix(is_dns_subdomain)),
        ("dns1035LabelPrefix", _prefix(_label_1035)),
        ("labelValue", is_label_value),
        ("uri", _parsed_by(addresses.url)),
        ("uuid", lambda text: _UUID.fullmatch(text) is not None),
        ("byte", _parsed_by(lambda text: base64.b64decode(text, validate=True))),
        ("date", _parsed_by(lambda text: times.timestamp(f"{text}T00:00:00Z"))),
        ("datetime", _parsed_by(times.timestamp)),
    )
}


def _named(name: Any) -> Optional:
    if not isinstance(name, str):
        raise no_overload()
    return Optional(FORMATS[name]) if name in FORMATS else NONE


def _validate(form: Any, text: Any) -> Optional:
    """Nothing for a text that is of the form, else what is wrong with it."""
    if not isinstance(form, Format) or not isinstance(text, str):
        raise no_overload()
    return NONE if form.holds(text) else Optional((f"does not match the format {form.name}",))


def _constant(form: Format) -> Callable[[], Format]:
    return lambda: form


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "format.named": _named,
    **{f"format.{name}": _constant(form) for name, form in FORMATS.items()},
}
METHODS: Mapping[str, Callable[..., Any]] = {"validate": _validate}
