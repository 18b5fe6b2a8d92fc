"""ImageLocality over columns agrees with the rule written out node by node."""

from hypothesis import given
from hypothesis import strategies as st

from nominee.plugins.image_locality import ImageLocality
from nominee.testing import make_cluster, make_cycle, make_node, make_pod, nodes_named, pod_of, score_with

MIB = 1 << 20
IMAGES = ("a:latest", "b:1", "host:5000/c:latest")
sizes = st.integers(0, 3000 * MIB) | st.sampled_from([23 * MIB, 1000 * MIB])
clusters = st.lists(st.dictionaries(st.sampled_from(IMAGES), sizes), min_size=1, max_size=6)
wanted = st.lists(st.sampled_from([*IMAGES, "a", "host:5000/c", "unknown"]), min_size=1, max_size=4)


def _tagged(image: str) -> str:
    return image if ":" in image.rpartition("/")[2] else f"{image}:latest"


def _score(here: dict[str, int], by_node: list[dict[str, int]], images: list[str]) -> int:
    total = 0
    for image in map(_tagged, images):
        if image in here:
            total += int(here[image] * (sum(image in other for other in by_node) / len(by_node)))
    most = 1000 * MIB * len(images)
    return 100 * (min(max(total, 23 * MIB), most) - 23 * MIB) // (most - 23 * MIB)


@given(clusters, wanted)
def test_score(by_node: list[dict[str, int]], images: list[str]) -> None:
    nodes, pod = [make_node(f"n{i}") for i in range(len(by_node))], make_pod("p").image(images[0])
    for i, there in enumerate(by_node):
        for name, size in there.items():
            nodes[i] = nodes[i].image(name, size)
    for image in images[1:]:
        pod = pod.container(image)
    cluster = make_cluster(nodes=nodes)
    naive = {f"n{i}": _score(there, by_node, images) for i, there in enumerate(by_node)}
    scores = score_with(ImageLocality(), pod, cluster)
    assert scores == naive or (not scores and not any(naive.values()))
    some = nodes_named(cluster, list(naive)[::-2])
    of_some = ImageLocality().score(pod_of(cluster, pod), some, make_cycle(cluster))
    assert of_some.tolist() == list(naive.values())[::-2]
