"""An object that makes no sense is reported once and left out; the rest goes on."""

from __future__ import annotations

from tests.e2e.harness.control_plane import ControlPlane
from tests.e2e.harness.faults import FaultProxy, Faults
from tests.e2e.harness.objects import node, pod
from tests.e2e.harness.schedulers import Starter
from tests.e2e.harness.world import World, node_of

# The API server lets nothing of the kind in, so the way to the scheduler is where it loses its sense.
LOST = Faults(garble=(b'"cpu":"777m"', b'"cpu":"lots"'))


async def test_an_object_that_cannot_be_decoded(
    world: World, start: Starter, control_plane: ControlPlane
) -> None:
    await world.add(node("sound"), node("broken", cpu="777m"), pod("before", cpu="777m"), pod("web"))
    async with FaultProxy.running(control_plane, LOST) as proxy:
        scheduler = start("nominee", server=proxy.url)
        await world.placed("web", on="sound")
        await world.add(pod("lost", cpu="777m"), pod("last"))
        await world.placed("last", on="sound")
        lines = [line for line in scheduler.log().splitlines() if "broken" in line]
        assert len(lines) == 1, lines
        assert node_of(await world.pod("lost")) == ""
        assert scheduler.alive
    assert LOST.counts["garbled"] > 0
