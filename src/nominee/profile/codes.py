"""What a filter said of each node, as one integer a node."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from nominee.framework import Ints, Rejection

UNRESOLVABLE = 1
_BITS = 61


class StatusCodes:
    """Turns the rejections of one filter into codes and back; 0 stands for "passed".

    Bit 0 of a code says unresolvable, bit i + 1 is the i-th reason this filter ever gave. A filter
    with more reasons than an integer has bits (one that names the node in its text, say) turns
    `wide` and gets a negative number per distinct combination from then on. Codes keep their
    meaning for good: what was remembered or handed out before stays readable.
    """

    __slots__ = ("_combinations", "_numbers", "_reasons", "wide")

    def __init__(self) -> None:
        self.wide = False
        self._reasons: dict[str, int] = {}
        self._combinations: list[tuple[tuple[str, ...], bool]] = []  # the code -1 - i is the i-th
        self._numbers: dict[tuple[tuple[str, ...], bool], int] = {}

    def encode(self, rejections: Iterable[Rejection], n: int) -> Ints | None:
        """The codes of `n` nodes, None when nobody was rejected. May turn `wide`."""
        codes: Ints | None = None
        rejections = list(rejections)
        if not rejections:
            return None
        if not self.wide:
            new = dict.fromkeys(r.reason for r in rejections if r.reason not in self._reasons)
            self.wide = len(self._reasons) + len(new) > _BITS
            if not self.wide:
                self._reasons |= {reason: len(self._reasons) + i for i, reason in enumerate(new)}
        if self.wide:
            return self._encode_wide(rejections, n)
        for rejection in rejections:
            more = _bits(rejection, 2 << self._reasons[rejection.reason], n)
            codes = more if codes is None else np.bitwise_or(codes, more, out=codes)
        return codes

    def decode(self, code: int) -> tuple[tuple[str, ...], bool]:
        """The reasons behind a code, and whether they are beyond remedy."""
        if code < 0:
            return self._combinations[-1 - code]
        reasons = tuple(reason for reason, i in self._reasons.items() if code >> (i + 1) & 1)
        return reasons, bool(code & UNRESOLVABLE)

    def unresolvable(self, codes: Ints) -> Ints:
        """By code, 1 where it is beyond remedy."""
        if not self.wide:
            return codes & UNRESOLVABLE
        table = np.array([0, *(hard for _, hard in self._combinations)], np.int64)
        return np.where(codes < 0, table[np.maximum(-codes, 0)], codes & UNRESOLVABLE)

    def _encode_wide(self, rejections: list[Rejection], n: int) -> Ints:
        reasons: list[list[str]] = [[] for _ in range(n)]
        hard = np.zeros(n, np.bool_)
        for rejection in rejections:
            _check(rejection, n)
            hard |= rejection.rows & rejection.unresolvable
            for i in np.flatnonzero(rejection.rows).tolist():
                reasons[i].append(rejection.reason)
        codes = np.zeros(n, np.int64)
        for i, texts in enumerate(reasons):
            if texts:
                codes[i] = self._number(tuple(texts), hard=bool(hard[i]))
        return codes

    def _number(self, reasons: tuple[str, ...], *, hard: bool) -> int:
        key = (reasons, hard)
        number = self._numbers.get(key)
        if number is None:
            self._combinations.append(key)
            number = self._numbers[key] = -len(self._combinations)
        return number


def _check(rejection: Rejection, n: int) -> None:
    rows: object = rejection.rows
    if not isinstance(rows, np.ndarray) or rows.dtype != np.bool_ or rows.shape != (n,):
        found = getattr(rows, "dtype", type(rows).__name__), getattr(rows, "shape", ())
        msg = f"rows of a rejection must be a bool mask of {n} nodes, not {found[0]} {found[1]}"
        raise TypeError(msg)


def _bits(rejection: Rejection, bit: int, n: int) -> Ints:
    _check(rejection, n)
    hard = rejection.unresolvable
    if hard is False:
        return np.multiply(rejection.rows, bit, dtype=np.int64)
    if hard is True:
        return np.multiply(rejection.rows, bit | UNRESOLVABLE, dtype=np.int64)
    codes = np.multiply(rejection.rows, bit, dtype=np.int64)
    codes |= rejection.rows & hard
    return codes
