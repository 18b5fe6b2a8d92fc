"""What is drawn by lot: uids, and the ends of generated names."""

from __future__ import annotations

from random import Random

_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""No vowels and nothing that looks like one, so that no words come out."""

_SUFFIX = 5
_LONGEST = 63


class Identity:
    """Draws from `dice`, which a test seeds."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice

    def uid(self) -> str:
        """A random UUID (version 4)."""
        bits = f"{self._dice.getrandbits(128):032x}"
        variant = "89ab"[int(bits[16], 16) & 3]
        return f"{bits[:8]}-{bits[8:12]}-4{bits[13:16]}-{variant}{bits[17:20]}-{bits[20:]}"

    def name(self, base: str) -> str:
        """A name that begins with `base`.

        apiserver/pkg/storage/names/generate.go, SimpleNameGenerator, v1.37.
        """
        return base[: _LONGEST - _SUFFIX] + "".join(self._dice.choices(_LETTERS, k=_SUFFIX))
