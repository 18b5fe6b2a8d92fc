"""Nodes that have a pod's images already start it sooner."""

import pytest

from nominee.framework import SkipWhile
from nominee.model.pod import Volume
from nominee.model.volumes import ImageVolume
from nominee.plugins.image_locality import ImageLocality, _full_name
from nominee.testing import make_cluster, make_cycle, make_node, make_pod, nodes_named, pod_of, score_with

MIB = 1 << 20
BIG, SMALL = "registry:5000/big:v1", "small:latest"
CLUSTER = make_cluster(
    nodes=[
        make_node("both").image(BIG, 1200 * MIB).image(SMALL, 80 * MIB),
        make_node("one").image(BIG, 1200 * MIB),
        make_node("none"),
    ]
)


@pytest.mark.parametrize(
    ("image", "full"),
    [
        ("web", "web:latest"),
        ("web:1.0", "web:1.0"),
        ("host:5000/web", "host:5000/web:latest"),
        ("host:5000/web:1.0", "host:5000/web:1.0"),
        ("web@sha256:0123", "web@sha256:0123"),
        ("", ":latest"),
    ],
)
def test_images_without_a_tag_mean_latest(image: str, full: str) -> None:
    assert _full_name(image) == full


def test_an_image_counts_by_its_size_and_its_spread() -> None:
    # 1200 MiB on 2 of 3 nodes count 800 MiB: 100 * (800 - 23) // (1000 - 23)
    assert score_with(ImageLocality(), make_pod("p").image(BIG), CLUSTER) == {
        "both": 79,
        "one": 79,
        "none": 0,
    }


def test_small_images_do_not_count() -> None:
    # 80 MiB on 1 of 3 nodes count 26 MiB, hardly more than the 23 MiB that count nothing
    assert set(score_with(ImageLocality(), make_pod("p").image(SMALL), CLUSTER).values()) == {0}


def test_images_of_all_containers_and_volumes_add_up() -> None:
    mounted = Volume(name="data", image=ImageVolume(reference=BIG))
    pod = make_pod("p").image("unknown").volume(mounted)
    # two images: 100 * (800 - 23) // (2000 - 23)
    assert score_with(ImageLocality(), pod, CLUSTER) == {"both": 39, "one": 39, "none": 0}
    assert score_with(ImageLocality(), pod.image(BIG), CLUSTER)["one"] == 100 * (1600 - 23) // (3000 - 23)


def test_a_name_that_a_node_gives_twice_has_the_first_size() -> None:
    twice = make_node("a").image(BIG, 500 * MIB).image(BIG, 1200 * MIB)
    assert score_with(ImageLocality(), make_pod("p").image(BIG), make_cluster([twice])) == {
        "a": 100 * (500 - 23) // (1000 - 23)
    }


def test_skips_pods_whose_images_are_nowhere_until_they_are_somewhere() -> None:
    cluster = make_cluster(nodes=[make_node("a")])
    pod, cycle = pod_of(cluster, make_pod("p").image(BIG)), make_cycle(cluster)
    skip = ImageLocality().pre_score(pod, cluster.all_nodes(), cycle)
    assert isinstance(skip, SkipWhile)
    before = skip.unchanged()
    cluster.add_node(make_node("a").image(BIG, 1200 * MIB).obj)
    assert skip.unchanged() != before
    assert ImageLocality().pre_score(pod, cluster.all_nodes(), cycle) is None
    assert score_with(ImageLocality(), pod, cluster) == {"a": 100}


def test_scores_are_forgotten_when_nodes_come_or_images_go() -> None:
    cluster = make_cluster(nodes=[make_node("a").image(BIG, 500 * MIB)])
    pod = pod_of(cluster, make_pod("p").image(BIG))
    assert score_with(ImageLocality(), pod, cluster) == {"a": 48}
    cluster.add_node(make_node("b").obj)
    assert score_with(ImageLocality(), pod, cluster) == {"a": 23, "b": 0}
    cluster.remove_node("b")
    assert score_with(ImageLocality(), pod, cluster) == {"a": 48}
    cluster.add_node(make_node("a").obj)
    assert score_with(ImageLocality(), pod, cluster) == {}


def test_a_few_nodes_are_scored_as_among_all() -> None:
    pod, cycle = pod_of(CLUSTER, make_pod("p").image(BIG)), make_cycle(CLUSTER)
    some = nodes_named(CLUSTER, ["none", "one"])
    assert ImageLocality().score(pod, some, cycle).tolist() == [0, 79]


def test_the_order_of_the_view_does_not_matter() -> None:
    pod, cycle = pod_of(CLUSTER, make_pod("p").image(BIG)), make_cycle(CLUSTER)
    for names, scores in ((["none", "one", "both"], [0, 79, 79]), (["one", "none", "both"], [79, 0, 79])):
        assert ImageLocality().score(pod, nodes_named(CLUSTER, names), cycle).tolist() == scores
