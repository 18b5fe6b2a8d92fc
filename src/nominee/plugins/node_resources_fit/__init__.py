"""NodeResourcesFit: whether a pod fits on what is left of a node, and how full that makes it."""

from __future__ import annotations

from nominee.plugins.node_resources_fit.plugin import NodeResourcesFit

__all__ = ["NodeResourcesFit"]
