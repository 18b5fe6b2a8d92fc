"""Short names for what is in a template."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

# No vowels, no digits that look like letters: apimachinery/pkg/util/rand, v1.37.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"


def template_hash(template: Any, collisions: int = 0) -> str:
    """A word for a template; another one if this one was taken by something else."""
    digest = hashlib.blake2s(orjson.dumps(template, option=orjson.OPT_SORT_KEYS), digest_size=4)
    if collisions:
        digest.update(str(collisions).encode())
    return safe(str(int.from_bytes(digest.digest(), "big")))


def safe(text: str) -> str:
    """The same text in letters that make no words."""
    return "".join(_ALPHABET[ord(char) % len(_ALPHABET)] for char in text)
