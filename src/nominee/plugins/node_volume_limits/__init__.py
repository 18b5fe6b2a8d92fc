"""The plugin NodeVolumeLimits."""

from __future__ import annotations

from nominee.plugins.node_volume_limits.plugin import NodeVolumeLimits

__all__ = ["NodeVolumeLimits"]
