"""Which number stands for which field: one line a message in the files of `numbers`.

::

    package io.k8s.api.core.v1
    Volume 1=name 2=>VolumeSource       2 is a message whose fields are the volume's own in JSON
    Lease 2=leaseDurationSeconds?       a pointer in Go, of which zero is a value

Names are those of JSON; types are known to the catalogue of types.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Numbered:
    """A field: its name, or the package and name of the message that it puts in line."""

    name: str = ""
    inline: str = ""
    pointer: bool = False


Message = Mapping[int, Numbered]


@cache
def messages() -> Mapping[str, Message]:
    """All messages, by the full names of their types."""
    found: dict[str, Message] = {}
    for path in sorted((Path(__file__).parent / "numbers").glob("*.numbers")):
        package = ""
        for line in path.read_text("utf-8").splitlines():
            name, *fields = line.split()
            if name == "package":
                package = fields[0]
            elif name != "#":
                found[f"{package}.{name}"] = dict(_numbered(package, field) for field in fields)
    return found


def _numbered(package: str, field: str) -> tuple[int, Numbered]:
    number, _, name = field.partition("=")
    if name.startswith(">"):
        return int(number), Numbered(inline=f"{package}.{name[1:]}")
    return int(number), Numbered(name.removesuffix("?"), pointer=name.endswith("?"))
