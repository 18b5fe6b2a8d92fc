"""InterPodAffinity: keep pods near to, or away from, other pods."""

from __future__ import annotations

from nominee.plugins.inter_pod_affinity.plugin import InterPodAffinity

__all__ = ["InterPodAffinity"]
