"""Trees as Go's `%+v` writes them: some messages quote a patch so."""

from __future__ import annotations

from typing import Any


def go_text(tree: Any) -> str:
    """`map[a:1 b:[x y]]`."""
    if isinstance(tree, dict):
        return "map[" + " ".join(f"{name}:{go_text(tree[name])}" for name in sorted(tree)) + "]"
    if isinstance(tree, list):
        return "[" + " ".join(map(go_text, tree)) + "]"
    if tree is None:
        return "<nil>"
    return str(tree).lower() if isinstance(tree, bool) else str(tree)
