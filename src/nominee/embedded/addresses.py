"""Addresses for nodes and pods that are not there, none twice at a time."""

from __future__ import annotations

from ipaddress import IPv4Network


class Addresses:
    """Hands out the addresses of a network one after the other; those given back come round again."""

    def __init__(self, network: str) -> None:
        parsed = IPv4Network(network)
        self._first = int(parsed.network_address) + 1
        self._size = parsed.num_addresses - 2
        self._next = 0
        self._used: dict[str, int] = {}
        self._taken: set[int] = set()

    def of(self, owner: str) -> str:
        """The address of somebody, who keeps it until it is released."""
        number = self._used.get(owner)
        if number is None:
            number = self._free()
            self._take(owner, number)
        return _text(self._first + number)

    def restore(self, owner: str, address: str) -> None:
        """Somebody has had this one before."""
        number = _number(address) - self._first
        if 0 <= number < self._size:
            self._take(owner, number)

    def release(self, owner: str) -> None:
        """Somebody is no more."""
        number = self._used.pop(owner, None)
        if number is not None:
            self._taken.discard(number)

    def _free(self) -> int:
        while self._next in self._taken:
            self._next = (self._next + 1) % self._size
        return self._next

    def _take(self, owner: str, number: int) -> None:
        self._used[owner] = number
        self._taken.add(number)
        self._next = (number + 1) % self._size


def _text(number: int) -> str:
    return f"{number >> 24}.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def _number(address: str) -> int:
    parts = address.split(".")
    if len(parts) != 4 or not all(part.isascii() and part.isdigit() for part in parts):
        return -1
    return sum(int(part) << shift for part, shift in zip(parts, (24, 16, 8, 0), strict=True))
