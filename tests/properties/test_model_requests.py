"""Requests of pods agree with the formula, one resource at a time and in fractions."""

import math
from fractions import Fraction
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nominee.model.codec import decode
from nominee.model.pod import Pod
from nominee.model.requests import nonzero_requests, placed_pod_requests, pod_requests

AMOUNTS = {
    "0": Fraction(0),
    "1": Fraction(1),
    "300m": Fraction(3, 10),
    "1u": Fraction(1, 10**6),
    "2Ki": Fraction(2048),
    "1.5": Fraction(3, 2),
}
UNITS = {"cpu": 1000, "memory": 1, "example.com/gpu": 1}
DEFAULTS = {"cpu": Fraction(1, 10), "memory": Fraction(200 << 20)}

Amounts = dict[str, str]
amounts = st.dictionaries(st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(AMOUNTS)))
containers = st.lists(amounts, min_size=1, max_size=3)
init_containers = st.lists(st.tuples(amounts, st.booleans()), max_size=4)
pod_level = st.dictionaries(st.sampled_from(["cpu", "memory"]), st.sampled_from(sorted(AMOUNTS)))


def _pod(
    main: list[Amounts], initial: list[tuple[Amounts, bool]], overhead: Amounts, whole: Amounts | None = None
) -> Pod:
    spec: dict[str, Any] = {
        "containers": [{"resources": {"requests": requests}} for requests in main],
        "initContainers": [
            {"resources": {"requests": requests}, "restartPolicy": "Always" if sidecar else None}
            for requests, sidecar in initial
        ],
        "overhead": overhead,
        "resources": {"requests": whole} if whole else None,
    }
    return decode(Pod, {"spec": spec})


def _naive(
    name: str,
    main: list[Amounts],
    initial: list[tuple[Amounts, bool]],
    default: Fraction = Fraction(0),
) -> Fraction:
    """Take the peak over time: each init container beside earlier sidecars, then everything that stays."""

    def of(requests: Amounts) -> Fraction:
        return AMOUNTS[requests[name]] if name in requests else default

    def sidecars(until: int) -> Fraction:
        return sum((of(requests) for requests, sidecar in initial[:until] if sidecar), Fraction(0))

    moments = [of(requests) + sidecars(place) for place, (requests, _) in enumerate(initial)]
    running = sum(map(of, main), Fraction(0)) + sidecars(len(initial))
    return max([running, *moments])


@given(containers, init_containers, amounts, pod_level)
def test_pod_requests(
    main: list[Amounts], initial: list[tuple[Amounts, bool]], overhead: Amounts, whole: Amounts
) -> None:
    found = pod_requests(_pod(main, initial, overhead, whole))
    for name, unit in UNITS.items():
        base = AMOUNTS[whole[name]] if name in whole else _naive(name, main, initial)
        assert found.get(name, 0) == math.ceil((base + AMOUNTS[overhead.get(name, "0")]) * unit)


@given(containers, init_containers, amounts, pod_level)
def test_a_pod_without_a_status_counts_on_its_node_what_it_asked_for(
    main: list[Amounts], initial: list[tuple[Amounts, bool]], overhead: Amounts, whole: Amounts
) -> None:
    pod = _pod(main, initial, overhead, whole)
    assert placed_pod_requests(pod) == pod_requests(pod)
    assert nonzero_requests(pod, placed=True) == nonzero_requests(pod)


@given(containers, init_containers, amounts)
def test_nonzero_requests(
    main: list[Amounts], initial: list[tuple[Amounts, bool]], overhead: Amounts
) -> None:
    found = nonzero_requests(_pod(main, initial, overhead))
    naive = [
        math.ceil(
            (_naive(name, main, initial, DEFAULTS[name]) + AMOUNTS[overhead.get(name, "0")]) * UNITS[name]
        )
        for name in ("cpu", "memory")
    ]
    assert list(found) == naive


@given(st.lists(st.tuples(*[st.sampled_from(sorted(AMOUNTS))] * 3), min_size=1, max_size=3))
def test_a_resize_in_flight_holds_the_largest_total(sizes: list[tuple[str, str, str]]) -> None:
    spec = [{"name": f"c{n}", "resources": {"requests": {"cpu": size[0]}}} for n, size in enumerate(sizes)]
    statuses = [
        {"name": f"c{n}", "allocatedResources": {"cpu": size[1]}, "resources": {"requests": {"cpu": size[2]}}}
        for n, size in enumerate(sizes)
    ]
    pod = decode(Pod, {"spec": {"containers": spec}, "status": {"containerStatuses": statuses}})
    totals = [sum((AMOUNTS[size[place]] for size in sizes), Fraction(0)) for place in range(3)]
    assert placed_pod_requests(pod) == {"cpu": math.ceil(max(totals) * 1000)}
