"""The choice of one node."""

import pytest

from nominee.preemption import Candidates, from_victims
from nominee.testing import PodBuilder, make_cluster, make_node, pod_of
from tests.unit.preemption.fake_filters import small

LOWEST = -(2**31)


def candidates(*by_node: list[PodBuilder], violations: tuple[int, ...] = ()) -> Candidates:
    """Row i has these victims and so many violations (0 unless given)."""
    nodes = [make_node(f"n{i}").capacity(cpu="9") for i in range(len(by_node))]
    cluster = make_cluster(nodes, [pod for pods in by_node for pod in pods])
    broken = [*violations, *[0] * len(by_node)]
    return from_victims(
        cluster, {i: ([pod_of(cluster, p) for p in pods], broken[i]) for i, pods in enumerate(by_node)}
    )


def victims(node: int, *priorities: int, start: float = 1.0) -> list[PodBuilder]:
    return [small(f"v{node}-{i}", f"n{node}", priority=p).started(start) for i, p in enumerate(priorities)]


def test_fewest_violations_come_first() -> None:
    found = candidates(victims(0, 1), victims(1, 9, 9), violations=(1, 0))

    assert found.picks().tolist() == [1]


def test_then_the_least_important_first_victim() -> None:
    assert candidates(victims(0, 5), victims(1, 4, 4, 4)).picks().tolist() == [1]


def test_then_the_smallest_sum_of_priorities() -> None:
    assert candidates(victims(0, 5, 4), victims(1, 5, 3)).picks().tolist() == [1]


def test_every_victim_adds_to_the_sum_however_low_its_priority() -> None:
    assert candidates(victims(0, 5, -1000), victims(1, 5)).picks().tolist() == [1]


def test_then_the_fewest_victims_which_matters_for_the_lowest_priority_alone() -> None:
    found = candidates(victims(0, 5, LOWEST), victims(1, 5))

    assert found.priority_sums[0] == found.priority_sums[1]
    assert found.picks().tolist() == [1]


def test_then_the_latest_start_of_the_first_started_among_the_most_important() -> None:
    early, late = victims(0, 5, start=10), victims(1, 5, start=20)

    assert candidates(early, late).picks().tolist() == [1]


def test_the_start_of_less_important_victims_plays_no_part() -> None:
    one = [*victims(0, 5, start=10), small("w0", "n0", priority=1).started(99)]
    two = [*victims(1, 5, start=10), small("w1", "n1", priority=1).started(1)]

    assert candidates(one, two).picks().tolist() == [0, 1]


@pytest.mark.parametrize(("start_row", "chosen"), [(0, 0), (1, 2), (2, 2), (3, 0)])
def test_equal_nodes_are_chosen_from_a_given_row_on(start_row: int, chosen: int) -> None:
    found = candidates(victims(0, 1), victims(1, 2), victims(2, 1))

    assert found.choose(start_row) == chosen


def test_victims_are_listed_by_importance_whatever_their_order_was() -> None:
    found = candidates(victims(0, 1, 5, 3))

    assert [pod.priority for pod in found.victims(0)] == [5, 3, 1]
