"""The lease that leaders hold, looked at and taken from outside."""

from __future__ import annotations

import datetime as dt
from contextlib import suppress

from tests.e2e.harness.api import Missing
from tests.e2e.harness.until import until
from tests.e2e.harness.world import World

NAME, NAMESPACE = "kube-scheduler", "kube-system"
FAST_ELECTION = {
    "leaderElect": True,
    "leaseDuration": "8s",
    "renewDeadline": "6s",
    "retryPeriod": "500ms",
}


async def forget_leaders(world: World) -> None:
    """Let no lease of an earlier test be waited for."""
    with suppress(Missing):
        await world.api.delete("Lease", NAME, NAMESPACE)


async def holder(world: World, other_than: str = "") -> str:
    """Who holds the lease, once somebody does, and somebody else than this."""

    async def look() -> str:
        with suppress(Missing):
            lease = await world.api.get("Lease", NAME, NAMESPACE)
            found = str(lease["spec"].get("holderIdentity") or "")
            return found if found != other_than else ""
        return ""

    return await until(look, f"somebody other than {other_than!r} leads")


async def take_over(world: World, identity: str) -> None:
    """Hold the lease from now on, as another replica would."""
    now = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    spec = {"holderIdentity": identity, "renewTime": now, "acquireTime": now, "leaseDurationSeconds": 600}
    await world.api.patch("Lease", NAME, {"spec": spec}, namespace=NAMESPACE)
