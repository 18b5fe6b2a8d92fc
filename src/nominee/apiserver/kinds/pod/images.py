"""Names of images, as far as the server reads them."""

from __future__ import annotations

import re
from functools import lru_cache

_NAME = r"[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
_HOST = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
_REFERENCE = re.compile(
    rf"(?:(?:{_HOST}(?:\.{_HOST})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?/)?{_NAME}(?:/{_NAME})*"
    r"(?::(?P<tag>[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?"
    r"(?P<digest>@[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,})?"
)


@lru_cache(maxsize=4096)
def default_pull_policy(image: str) -> str:
    """When an image is pulled unless the container says: always if it is the latest.

    Reproduces SetDefaults_Container of pkg/apis/core/v1/defaults.go and ParseImageName of
    pkg/util/parsers/parsers.go, v1.37.
    """
    match = _REFERENCE.fullmatch(image) if len(image) <= 1024 else None
    if match is None:
        return "IfNotPresent"
    tag = match["tag"] or ("" if match["digest"] else "latest")
    return "Always" if tag == "latest" else "IfNotPresent"
