r"""Classes of characters by what Unicode says of them, as regular expressions name them: `\pL`, `\p{Lu}`."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

_NAME = re.compile(r"([A-Za-z])|\{(\^?)([^}]*)\}")
_CATEGORIES = {"C": "cfos", "L": "lmotu", "M": "cen", "N": "dlo", "P": "cdefios", "S": "ckmo", "Z": "lps"}


def unicode_class(pattern: str, at: int, *, negated: bool) -> tuple[Callable[[str], bool] | None, int]:
    """The class named from there on, and where its name ends; None for one that is not known.

    Known are the general categories. Scripts, which Go knows too, are not in Python's tables.
    """
    match = _NAME.match(pattern, at)
    if match is None:
        return None, at
    name = match[1] or match[3]
    if name == "Any":
        prefix: tuple[str, ...] = ("",)
    elif name[:1] in _CATEGORIES and name[1:] in ("", *_CATEGORIES[name[0]]):
        prefix = (name,)
    else:
        return None, match.end()
    wanted = negated == bool(match[2])
    return (lambda c: unicodedata.category(c).startswith(prefix) is wanted), match.end()
