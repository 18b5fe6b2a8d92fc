"""Pods by the nodes to which they are bound, kept up to date with every write."""

from __future__ import annotations

from nominee.store.ports import Change


class Placed:
    """Looks up the pods of a node."""

    def __init__(self) -> None:
        self._keys: dict[str, set[str]] = {}

    def apply(self, change: Change) -> None:
        """Take a write of a pod in."""
        stored = change.stored
        node = stored.object["spec"].get("nodeName")
        if not node:
            return
        if change.type == "DELETED":
            keys = self._keys.get(node)
            if keys is not None:
                keys.discard(stored.key)
                if not keys:
                    del self._keys[node]
        else:
            self._keys.setdefault(node, set()).add(stored.key)

    def on(self, node: str) -> list[str]:
        """The keys of the pods on a node."""
        return sorted(self._keys.get(node, ()))
