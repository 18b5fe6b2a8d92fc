"""What names, keys, values and ports may look like, and what Kubernetes says of those that do not.

Each function answers with sentences, none for a text that is as it should be. Rules and wordings are
those of apimachinery/pkg/util/validation/validation.go and pkg/api/validate/content, v1.37. Answers are
remembered, since the same names come again and again.
"""

from __future__ import annotations

import re
from functools import lru_cache

Faults = tuple[str, ...]

_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_CONFIG_KEY = "[-._a-zA-Z0-9]+"
_HTTP_HEADER = "[-A-Za-z0-9]+"
_PERCENT = "[0-9]+%"

_label = re.compile(_LABEL).fullmatch
_subdomain = re.compile(_SUBDOMAIN).fullmatch
_key = re.compile(_KEY).fullmatch
_config_key = re.compile(_CONFIG_KEY).fullmatch
_http_header = re.compile(_HTTP_HEADER).fullmatch
_percent = re.compile(_PERCENT).fullmatch
_port_letters = re.compile("[-a-z0-9]+").fullmatch
_letter = re.compile("[a-z]").search

_KEY_FAULT = (
    "must consist of alphanumeric characters, '-', '_' or '.', "
    "and must start and end with an alphanumeric character"
)


def max_length(limit: int) -> str:
    """What is said of a text that is too long."""
    return f"must be no more than {limit} characters"


def max_bytes(limit: int) -> str:
    """The same where the newer rules count."""
    return f"must be no more than {limit} bytes"


def between(low: int, high: int) -> str:
    """What is said of a number outside a range."""
    return f"must be between {low} and {high}, inclusive"


def regex_fault(rule: str, pattern: str, *examples: str) -> str:
    """What is said of a text that does not match: the rule, examples, the expression."""
    if not examples:
        return f"{rule} (regex used for validation is '{pattern}')"
    shown = " or ".join(f"'{example}', " for example in examples)
    return f"{rule} (e.g. {shown}regex used for validation is '{pattern}')"


@lru_cache(maxsize=16384)
def dns_subdomain(text: str) -> Faults:
    """What is wrong with the name of most objects."""
    faults = (max_length(253),) if len(text) > 253 else ()
    if _subdomain(text):
        return faults
    rule = (
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', "
        "and must start and end with an alphanumeric character"
    )
    return (*faults, regex_fault(rule, _SUBDOMAIN, "example.com"))


def wildcard_subdomain(text: str) -> Faults:
    """What is wrong with `*.example.com`."""
    faults = (max_length(253),) if len(text) > 253 else ()
    if text.startswith("*.") and _subdomain(text[2:]):
        return faults
    rule = (
        "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must "
        "consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character"
    )
    return (*faults, regex_fault(rule, rf"\*\.{_SUBDOMAIN}", "*.example.com"))


@lru_cache(maxsize=16384)
def dns_label(text: str) -> Faults:
    """What is wrong with the name of a namespace, a container, a volume."""
    faults = (max_length(63),) if len(text) > 63 else ()
    if _label(text):
        return faults
    if _subdomain(text):
        return (*faults, "must not contain dots")
    rule = (
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', "
        "and must start and end with an alphanumeric character"
    )
    return (*faults, regex_fault(rule, _LABEL, "my-name", "123-abc"))


def path_segment(text: str) -> Faults:
    """What is wrong with a name that a URL must hold.

    Reproduces IsPathSegmentName of apimachinery/pkg/api/validate/content/path.go, v1.37.
    """
    if text in (".", ".."):
        return (f"may not be '{text}'",)
    return tuple(f"may not contain '{char}'" for char in "/%" if char in text)


@lru_cache(maxsize=16384)
def label_key(text: str) -> Faults:
    """What is wrong with a label's key, or with another qualified name."""
    prefix, slash, name = text.partition("/")
    if "/" in name:
        fault = regex_fault(_KEY_FAULT, _KEY, "MyName", "my.name", "123-abc")
        prefixed = " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        return (f"a valid label key {fault}{prefixed}",)
    if not slash:
        return _name_part(prefix)
    if not prefix:
        return ("prefix part must be non-empty", *_name_part(name))
    return (*(f"prefix part {fault}" for fault in _prefix_faults(prefix)), *_name_part(name))


def _prefix_faults(prefix: str) -> Faults:
    # The newer rules, which label keys follow, count bytes where the older ones count characters.
    return tuple(
        fault.replace("characters", "bytes") if fault == max_length(253) else fault
        for fault in dns_subdomain(prefix)
    )


def _name_part(name: str) -> Faults:
    faults: Faults = ()
    if not name:
        faults = ("name part must be non-empty",)
    elif len(name) > 63:
        faults = (f"name part {max_bytes(63)}",)
    if _key(name):
        return faults
    return (*faults, "name part " + regex_fault(_KEY_FAULT, _KEY, "MyName", "my.name", "123-abc"))


@lru_cache(maxsize=16384)
def label_value(text: str) -> Faults:
    """What is wrong with the value of a label."""
    faults = (max_bytes(63),) if len(text) > 63 else ()
    if not text or _key(text):
        return faults
    rule = (
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', "
        "and must start and end with an alphanumeric character"
    )
    return (*faults, regex_fault(rule, f"({_KEY})?", "MyValue", "my_value", "12345"))


@lru_cache(maxsize=4096)
def config_key(text: str) -> Faults:
    """What is wrong with a key of a config map or secret."""
    faults = (max_length(253),) if len(text) > 253 else ()
    if not _config_key(text):
        rule = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
        faults = (*faults, regex_fault(rule, _CONFIG_KEY, "key.name", "KEY_NAME", "key-name"))
    return faults + _directory_prefix(text)


def _directory_prefix(text: str) -> Faults:
    if text in (".", ".."):
        return (f"must not be '{text}'",)
    return ("must not start with '..'",) if text.startswith("..") else ()


@lru_cache(maxsize=4096)
def env_name(text: str) -> Faults:
    """What is wrong with the name of an environment variable (the relaxed rule of v1.34 and later)."""
    faults: Faults = () if text else ("environment variable name must be non-empty",)
    if all(" " <= char <= "~" and char != "=" for char in text):
        return faults
    rule = "a valid environment variable name must consist only of printable ASCII characters other than '='"
    return (*faults, rule)


@lru_cache(maxsize=4096)
def port_name(text: str) -> Faults:
    """What is wrong with the name of a port."""
    faults = []
    if len(text) > 15:
        faults.append(max_length(15))
    if not _port_letters(text):
        faults.append("must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)")
    if not _letter(text):
        faults.append("must contain at least one letter (a-z)")
    if "--" in text:
        faults.append("must not contain consecutive hyphens")
    if text[:1] == "-" or text[-1:] == "-":
        faults.append("must not begin or end with a hyphen")
    return tuple(faults)


def port_number(port: int) -> Faults:
    """What is wrong with a port's number."""
    return () if 1 <= port <= 65535 else (between(1, 65535),)


def in_range(number: int, low: int, high: int) -> Faults:
    """What is wrong with a number that has bounds."""
    return () if low <= number <= high else (between(low, high),)


def http_header(text: str) -> Faults:
    """What is wrong with the name of an HTTP header."""
    if _http_header(text):
        return ()
    return (
        regex_fault(
            "a valid HTTP header must consist of alphanumeric characters or '-'",
            _HTTP_HEADER,
            "X-Header-Name",
        ),
    )


def percentage(text: str) -> Faults:
    """What is wrong with a share of something."""
    if _percent(text):
        return ()
    rule = "a valid percent string must be a numeric string followed by an ending '%'"
    return (regex_fault(rule, _PERCENT, "1%", "93%"),)
