import pytest

from nominee.scheduler.selection import nodes_to_find


@pytest.mark.parametrize(
    ("percentage", "nodes", "wanted"), [(10, 50, 50), (10, 99, 99), (10, 500, 100), (50, 500, 250)]
)
def test_how_many_feasible_nodes_are_enough(percentage: int, nodes: int, wanted: int) -> None:
    assert nodes_to_find(percentage, nodes) == wanted
