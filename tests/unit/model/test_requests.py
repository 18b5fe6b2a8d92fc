"""What pods ask for, in all the ways a pod can ask."""

from typing import Any

import pytest

from nominee.model.base import ResourceList
from nominee.model.codec import decode
from nominee.model.node import Node, NodeStatus
from nominee.model.pod import Pod
from nominee.model.requests import node_allocatable, nonzero_requests, placed_pod_requests, pod_requests

MI = 1 << 20


def _container(name: str = "c", *, restart: str | None = None, **requests: str) -> dict[str, Any]:
    return {"name": name, "restartPolicy": restart, "resources": {"requests": requests}}


def _pod(*containers: dict[str, Any], status: dict[str, Any] | None = None, **spec: Any) -> Pod:
    spec["containers"] = containers or [_container()]
    return decode(Pod, {"spec": spec, "status": status or {}})


def _status(*, allocated: str = "", held: str = "", infeasible: bool = False) -> dict[str, Any]:
    status: dict[str, Any] = {"name": "c"}
    if allocated:
        status["allocatedResources"] = {"cpu": allocated}
    if held:
        status["resources"] = {"requests": {"cpu": held}}
    pending = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}
    return {"containerStatuses": [status], "conditions": [pending] if infeasible else []}


def test_containers_add_up_and_are_rounded_once() -> None:
    pod = _pod(_container(cpu="100u", memory="0.5"), _container(cpu="250m", memory="0.5"))
    assert pod_requests(pod) == {"cpu": 251, "memory": 1}


def test_the_largest_init_container_counts_if_it_needs_more() -> None:
    pod = _pod(_container(cpu="1", memory="4"), initContainers=[_container(cpu="3", memory="2")])
    assert pod_requests(pod) == {"cpu": 3000, "memory": 4}


def test_sidecars_run_beside_containers_and_later_init_containers() -> None:
    first, sidecar = _container(cpu="2"), _container(restart="Always", cpu="1")
    pod = _pod(_container(cpu="500m"), initContainers=[first, sidecar])
    assert pod_requests(pod) == {"cpu": 2000}
    assert pod_requests(_pod(_container(cpu="500m"), initContainers=[sidecar, first])) == {"cpu": 3000}
    assert pod_requests(_pod(_container(cpu="500m"), initContainers=[sidecar, sidecar])) == {"cpu": 2500}


def test_overhead_comes_on_top() -> None:
    assert pod_requests(_pod(_container(cpu="1"), overhead={"cpu": "250m", "memory": "1Mi"})) == {
        "cpu": 1250,
        "memory": MI,
    }


def test_requests_of_the_pod_replace_those_of_its_containers() -> None:
    requests = {"cpu": "4", "hugepages-2Mi": "4Mi", "example.com/gpu": "9"}
    pod = _pod(_container(cpu="1", memory="5"), resources={"requests": requests}, overhead={"cpu": "1"})
    assert pod_requests(pod) == {"cpu": 5000, "memory": 5, "hugepages-2Mi": 4 * MI}
    assert pod_requests(pod, pod_level=False) == {"cpu": 2000, "memory": 5}


def test_what_no_node_counts_is_left_out() -> None:
    amounts = {"pods": "1", "storage": "1", "foo": "1", "requests.example.com/a": "1", "example.com/gpu": "2"}
    assert pod_requests(_pod(_container(**amounts))) == {"example.com/gpu": 2}


def test_an_explicit_zero_is_kept() -> None:
    assert pod_requests(_pod(_container(cpu="0"))) == {"cpu": 0}


@pytest.mark.parametrize(
    ("status", "cpu"),
    [
        ({}, 1000),
        (_status(allocated="2"), 2000),
        (_status(allocated="500m"), 1000),
        (_status(held="3"), 3000),
        (_status(allocated="2", held="3"), 3000),
        (_status(allocated="2", held="500m"), 2000),
        (_status(allocated="500m", infeasible=True), 500),
        (_status(allocated="500m", held="700m", infeasible=True), 700),
    ],
)
def test_a_resize_holds_the_largest_of_spec_allocated_and_actual(status: dict[str, Any], cpu: int) -> None:
    pod = _pod(_container(cpu="1"), status=status)
    assert placed_pod_requests(pod) == {"cpu": cpu}
    assert pod_requests(pod) == {"cpu": 1000}


@pytest.mark.parametrize("statuses", [{}, {"containerStatuses": [{"name": "c"}]}])
def test_an_infeasible_resize_without_a_status_leaves_nothing(statuses: dict[str, Any]) -> None:
    status = {**_status(infeasible=True), "containerStatuses": [], **statuses}
    pod = _pod(_container(cpu="1"), status=status)
    assert placed_pod_requests(pod) == {}
    assert nonzero_requests(pod, placed=True) == (100, 200 * MI)


def test_statuses_of_init_containers_count_too() -> None:
    status = {"initContainerStatuses": [{"name": "s", "allocatedResources": {"cpu": "3"}}]}
    pod = _pod(
        _container(cpu="1"), initContainers=[_container("s", restart="Always", cpu="1")], status=status
    )
    assert placed_pod_requests(pod) == {"cpu": 4000}


def test_a_resize_of_the_pod_as_a_whole() -> None:
    status = {"resources": {"requests": {"cpu": "5"}}, "allocatedResources": {"cpu": "3"}}
    pod = _pod(
        _container(cpu="1"), resources={"requests": {"cpu": "2"}}, overhead={"cpu": "1"}, status=status
    )
    assert placed_pod_requests(pod) == {"cpu": 6000}  # the overhead comes on top, as it does to the spec
    assert placed_pod_requests(pod, pod_level_status=False) == {"cpu": 3000}


def test_the_aggregate_status_of_a_pod_stands_for_its_containers() -> None:
    status = {"resources": {"requests": {"cpu": "5"}}, "allocatedResources": {"cpu": "3"}}
    assert placed_pod_requests(_pod(_container(cpu="1"), status=status)) == {"cpu": 5000}


def test_each_container_without_a_request_counts_a_default() -> None:
    pod = _pod(_container(cpu="1"), _container(memory="1Mi"), _container(cpu="0", memory="0"))
    assert nonzero_requests(pod) == (1100, 201 * MI)
    assert nonzero_requests(_pod(_container(), overhead={"cpu": "1"})) == (1100, 200 * MI)


def test_defaults_apply_to_what_neither_pod_nor_containers_request() -> None:
    whole = {"requests": {"cpu": "2"}}
    assert nonzero_requests(_pod(_container(), _container(), resources=whole)) == (2000, 400 * MI)
    partly = _pod(_container(memory="1Mi"), _container(), resources=whole)
    assert nonzero_requests(partly) == (2000, MI)
    assert nonzero_requests(partly, pod_level=False) == (200, 201 * MI)


def test_what_a_node_offers() -> None:
    amounts: ResourceList = {"cpu": "3920m", "memory": "1Mi", "pods": "110", "foo": "1", "example.com/gpu": 2}
    offered = {"cpu": 3920, "memory": MI, "pods": 110, "example.com/gpu": 2}
    assert node_allocatable(Node(status=NodeStatus(allocatable=amounts))) == offered
    assert node_allocatable(Node(status=NodeStatus(capacity=amounts))) == offered
