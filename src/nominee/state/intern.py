"""Resources as interned columns: a name gets the next column once and keeps it."""

from __future__ import annotations

CPU, MEMORY, EPHEMERAL_STORAGE, PODS = range(4)
NATIVE = ("cpu", "memory", "ephemeral-storage", "pods")


class ResourceIndex:
    """Resource name to column and back; the native ones have fixed columns."""

    __slots__ = ("_columns", "names")

    def __init__(self) -> None:
        self.names: list[str] = list(NATIVE)
        self._columns = {name: column for column, name in enumerate(NATIVE)}

    def __len__(self) -> int:
        return len(self.names)

    def column(self, name: str) -> int | None:
        """The column of a resource that some node or pod has named, else None."""
        return self._columns.get(name)

    def intern(self, name: str) -> int:
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = len(self.names)
            self.names.append(name)
        return column
