"""The types of all kinds that the server knows, by their full names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from hashlib import sha256
from pathlib import Path

from nominee.apiserver.schema.notation import Package, Reader, read_package
from nominee.apiserver.schema.type import Struct


class Catalogue:
    """Types out of files in the notation of `schema.notation`, each read when it is first asked for."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._structs: dict[str, Struct] = {}

    @cached_property
    def _texts(self) -> list[str]:
        return [path.read_text("utf-8") for path in sorted(self._directory.glob("*.types"))]

    @cached_property
    def _packages(self) -> Mapping[str, Package]:
        return {package.name: package for package in map(read_package, self._texts)}

    @cached_property
    def fingerprint(self) -> str:
        """Differs from that of any other catalogue."""
        return sha256("".join(self._texts).encode()).hexdigest()

    def type(self, name: str) -> Struct:
        """The type of this name, such as `io.k8s.api.core.v1.Pod`; raises `KeyError`."""
        struct = self._structs.get(name)
        if struct is None:
            struct = self._structs[name] = self._read(name)
        return struct

    def _read(self, name: str) -> Struct:
        package_name, _, short = name.rpartition(".")
        package = self._packages[package_name]
        reader = Reader(package, self._packages, self.type)
        block = package.blocks.get(short)
        if block is not None:
            return reader.struct(block)
        element = self.type(name.removesuffix("List")) if short.endswith("List") else None
        if element is None or element.kind is None:
            raise KeyError(name)
        return reader.list_struct(element)

    def __contains__(self, name: str) -> bool:
        try:
            self.type(name)
        except KeyError:
            return False
        return True

    def names(self) -> Iterator[str]:
        """The full names of all types that are written down; lists come on top of them."""
        for package in self._packages.values():
            for short in package.blocks:
                yield f"{package.name}.{short}"


CATALOGUE = Catalogue(Path(__file__).parent / "types")
"""The types of the API that is built in."""
