"""DynamicResources: pods that claim devices.

::

    pre_filter ── attempt: claims, demands, extended resources
    filter ────── pools (entries, taints) ─> allocator (usage: constraints, counters, capacity)
    score ─────── scoring
    post_filter ─ rescue ──────────┐
    reserve ───── results, ledger  ├── writing
    pre_bind ──── binding, readiness
    unreserve ─── reserving ───────┘
"""

from __future__ import annotations

from nominee.plugins.dynamic_resources.plugin import DynamicResources

__all__ = ["DynamicResources"]
