"""Where RackOwner lets pods go, and that it keeps nominee's contract."""

from importlib.metadata import entry_points

from nominee.testing import filter_with, make_cluster, make_node, make_pod
from nominee.testing.checks import check_plugin

from nominee_rack import ANOTHER_TEAMS_RACK, NOT_ON_A_RACK, RackOwner

RED = make_node("red").labels({"example.com/rack": "r1", "example.com/team": "red"})
BLUE = make_node("blue").labels({"example.com/rack": "r2", "example.com/team": "blue"})
LOOSE = make_node("loose").label("example.com/team", "red")
CLUSTER = make_cluster([RED, BLUE, LOOSE])
UNRESOLVABLE = "UnschedulableAndUnresolvable"


def test_a_pod_goes_to_racks_of_its_team() -> None:
    rejected = filter_with(RackOwner(), make_pod("web").label("team", "red"), CLUSTER)
    assert rejected == {
        "blue": (UNRESOLVABLE, (ANOTHER_TEAMS_RACK,)),
        "loose": (UNRESOLVABLE, (NOT_ON_A_RACK,)),
    }


def test_a_pod_of_no_team_goes_to_racks_of_no_team() -> None:
    cluster = make_cluster([RED, make_node("free").label("example.com/rack", "r3")])
    assert filter_with(RackOwner(), make_pod("web"), cluster).keys() == {"red"}


def test_the_labels_are_arguments() -> None:
    plugin = RackOwner(rack_label="example.com/team")
    assert filter_with(plugin, make_pod("web").label("team", "red"), CLUSTER).keys() == {"blue"}


def test_it_keeps_the_contract() -> None:
    pods = [make_pod(f"of-{team}").label("team", team) for team in ("red", "blue")]
    checked = check_plugin(RackOwner(), pods=pods, clusters=[CLUSTER])
    assert 0 < checked.rejected < checked.asked


def test_nominee_finds_it() -> None:
    (found,) = [e for e in entry_points(group="nominee.plugins") if e.name == "RackOwner"]
    assert found.load() is RackOwner
