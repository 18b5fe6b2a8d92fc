"""The plugin VolumeBinding."""

from __future__ import annotations

from nominee.plugins.volume_binding.plugin import VolumeBinding

__all__ = ["VolumeBinding"]
