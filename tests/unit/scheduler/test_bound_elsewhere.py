"""Somebody else binds a pod of ours, and not where we expected it."""

from __future__ import annotations

from nominee.testing import make_node, make_pod
from tests.unit.scheduler.harness import Bench


def test_who_kept_off_for_its_sake_hears_of_it() -> None:
    promised = make_pod("promised").req(cpu="4").priority(9).nominated("a").gate("later")
    bench = Bench(nodes=[make_node("a").capacity(cpu="4"), make_node("b").capacity(cpu="1")])
    bench.put(promised)
    bench.put(make_pod("hopeful").req(cpu="4"))
    bench.run()
    bench.expect_pending("hopeful", "unschedulable")
    bench.put(promised.node("b"))
    bench.pass_time(5)
    bench.expect_bound("hopeful", "a")
