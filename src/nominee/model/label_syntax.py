"""What a label key, a label value and a qualified name may look like.

The rules of apimachinery pkg/util/validation/validation.go, v1.37.
"""

from __future__ import annotations

import re
from functools import lru_cache

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?")
_SUBDOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*")

LABEL_KEY_RULE = "a name of at most 63 letters, digits, '-', '_' or '.', with an optional 'dns.prefix/'"
LABEL_VALUE_RULE = "at most 63 letters, digits, '-', '_' or '.', a letter or digit at both ends, or nothing"


@lru_cache(maxsize=16384)
def is_qualified_name(text: str) -> bool:
    """Tell whether a text may be a label key or the name of an extended resource."""
    prefix, slash, name = text.rpartition("/")
    if slash and not is_dns_subdomain(prefix):
        return False
    return _NAME.fullmatch(name) is not None


def is_dns_subdomain(text: str) -> bool:
    """Tell whether a text may be the name of most objects."""
    return len(text) <= 253 and _SUBDOMAIN.fullmatch(text) is not None


@lru_cache(maxsize=16384)
def is_label_value(text: str) -> bool:
    """Tell whether a text may be the value of a label."""
    return not text or _NAME.fullmatch(text) is not None
