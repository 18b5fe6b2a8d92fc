"""NodePorts over columns and what-ifs agrees with comparing every pair of ports."""

from hypothesis import given
from hypothesis import strategies as st

from nominee.plugins.node_ports import NodePorts
from nominee.testing import PodBuilder, filter_with, make_cluster, make_node, make_pod, what_if

Port = tuple[int, str, str]
VERDICT = ("Unschedulable", ("node(s) didn't have free ports for the requested pod ports",))
NAMES = ("a", "b", "c")
ports = st.lists(
    st.tuples(
        st.sampled_from([80, 81]),
        st.sampled_from(["", "TCP", "UDP"]),
        st.sampled_from(["", "0.0.0.0", "127.0.0.1", "10.0.0.1"]),
    ),
    max_size=2,
)
placed = st.lists(st.tuples(st.sampled_from(NAMES), ports), max_size=5)


def _pod(name: str, wanted: list[Port]) -> PodBuilder:
    pod = make_pod(name)
    for port, protocol, address in wanted:
        pod = pod.host_port(port, protocol, address)
    return pod


def _clash(one: Port, other: Port) -> bool:
    (port, protocol, address), (held, spoken, bound) = one, other
    if port != held or (protocol or "TCP") != (spoken or "TCP"):
        return False
    everywhere = {"", "0.0.0.0"}
    return address == bound or address in everywhere or bound in everywhere


def _named(port: Port) -> Port:
    """The port in full. Upstream keeps a set of these: one pod that goes frees it."""
    number, protocol, address = port
    return number, protocol or "TCP", address or "0.0.0.0"


def _rejected(wanted: list[Port], there: list[tuple[str, list[Port]]]) -> set[str]:
    return {node for node, held in there if any(_clash(one, other) for one in wanted for other in held)}


@given(ports, placed)
def test_filter(wanted: list[Port], there: list[tuple[str, list[Port]]]) -> None:
    pods = [_pod(f"p{i}", held).node(node) for i, (node, held) in enumerate(there)]
    cluster = make_cluster(nodes=map(make_node, NAMES), pods=pods)
    naive = dict.fromkeys(_rejected(wanted, there), VERDICT)
    assert filter_with(NodePorts(), _pod("new", wanted), cluster) == naive


@given(ports, placed, placed, st.data())
def test_filter_of_what_ifs(
    wanted: list[Port],
    there: list[tuple[str, list[Port]]],
    added: list[tuple[str, list[Port]]],
    data: st.DataObject,
) -> None:
    pods = [_pod(f"p{i}", held).node(node) for i, (node, held) in enumerate(there)]
    cluster = make_cluster(nodes=map(make_node, NAMES), pods=pods)
    gone = [data.draw(st.booleans()) for _ in there]
    add: dict[str, list[PodBuilder]] = {name: [] for name in NAMES}
    remove: dict[str, list[PodBuilder]] = {name: [] for name in NAMES}
    for i, (node, held) in enumerate(added):
        add[node].append(_pod(f"added{i}", held))
    for (node, _), pod, leaves in zip(there, pods, gone, strict=True):
        if leaves:
            remove[node].append(pod)
    freed = {
        (node, _named(port))
        for (node, held), leaves in zip(there, gone, strict=True)
        if leaves
        for port in held
    }
    left = [(node, [port for port in held if (node, _named(port)) not in freed]) for node, held in there]
    nodes = what_if(cluster, reversed(NAMES), add=add, remove=remove)
    naive = dict.fromkeys(_rejected(wanted, left + added), VERDICT)
    assert filter_with(NodePorts(), _pod("new", wanted), cluster, nodes=nodes) == naive
