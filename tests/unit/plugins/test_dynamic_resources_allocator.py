"""The search for devices on one node."""

from __future__ import annotations

import pytest

from nominee.model.devices import (
    CapacityRequestPolicy,
    CapacityRequestPolicyRange,
    Device,
    DeviceCapacity,
    DeviceTaint,
    DeviceTaintRule,
    DeviceTaintRuleSpec,
    DeviceTaintSelector,
    ResourceSlice,
)
from nominee.model.dra import CapacityRequirements, DeviceConstraint, DeviceToleration, ResourceClaim
from nominee.model.meta import NodeSelector, ObjectMeta
from nominee.plugins.dynamic_resources.allocator import TimedOut
from nominee.plugins.dynamic_resources.demands import DemandError
from nominee.plugins.dynamic_resources.usage import Features
from nominee.testing import make_allocated_claim, make_claim, make_device, make_device_class, make_slice
from nominee.testing.devices import DRIVER, alternative, first_of, request
from tests.dra_objects import allocate, devices

THREE = [make_slice("n", ["d0", "d1", "d2"])]
MODELS = [
    make_slice(
        "n", [make_device(f"d{i}", {"model": m, "index": i}) for i, m in enumerate(["a", "b", "a", "b"])]
    )
]


def attribute(name: str) -> str:
    return f"device.attributes['{DRIVER}'].{name}"


# -- counts -----------------------------------------------------------------------------------------


def test_takes_the_first_devices_in_order() -> None:
    assert devices(allocate(THREE, make_claim("c", request(count=2)))) == ["d0", "d1"]


def test_there_may_be_too_few() -> None:
    assert allocate(THREE, make_claim("c", request(count=4))) is None


def test_all_devices_must_be_free() -> None:
    everything = make_claim("c", request(count=None))
    assert devices(allocate(THREE, everything)) == ["d0", "d1", "d2"]
    assert allocate(THREE, everything, allocated=[make_allocated_claim("x", ("n", "d1"))]) is None


def test_all_of_none_is_no_solution() -> None:
    assert allocate([], make_claim("c", request(count=None))) is None


def test_devices_of_other_claims_are_passed_over() -> None:
    taken = [make_allocated_claim("x", ("n", "d0"))]
    assert devices(allocate(THREE, make_claim(), allocated=taken)) == ["d1"]


def test_two_claims_do_not_share_a_device() -> None:
    found = allocate(THREE, make_claim("a"), make_claim("b", request(count=2)))
    assert found == [[("gpus", "d0")], [("gpus", "d1"), ("gpus", "d2")]]


def test_more_devices_than_a_claim_can_hold_is_an_error() -> None:
    with pytest.raises(DemandError, match="number of requested devices 33 exceeds the claim limit of 32"):
        allocate(THREE, make_claim("c", request(count=33)))


# -- selectors --------------------------------------------------------------------------------------


def test_class_and_request_select_devices() -> None:
    classes = [make_device_class("gpu", f"{attribute('model')} == 'a'")]
    claim = make_claim("c", request("r", 1, f"{attribute('index')} > 0"))
    assert devices(allocate(MODELS, claim, classes=classes)) == ["d2"]


def test_an_earlier_request_gives_way_to_a_pickier_one() -> None:
    claim = make_claim("c", request("any", 3), request("picky", 1, f"{attribute('index')} == 0"))
    assert allocate(MODELS, claim) == [[("any", "d1"), ("any", "d2"), ("any", "d3"), ("picky", "d0")]]


def test_a_broken_expression_is_an_error_that_names_its_place() -> None:
    with pytest.raises(
        DemandError, match=r"claim default/c: selector #0 on device .*/n/d0: CEL runtime error: no such key"
    ):
        allocate(MODELS, make_claim("c", request("r", 1, f"{attribute('speed')} > 0")))
    with pytest.raises(DemandError, match=r"class gpu: selector #0: CEL compile error: syntax error"):
        allocate(THREE, make_claim(), classes=[make_device_class("gpu", "1 +")])


# -- alternatives -----------------------------------------------------------------------------------


def test_the_first_alternative_that_can_be_had_is_taken() -> None:
    wishes = first_of("r", alternative("many", 4), alternative("some", 2), alternative("one", 1))
    assert allocate(THREE, make_claim("c", wishes)) == [[("r/some", "d0"), ("r/some", "d1")]]


def test_a_later_request_may_force_a_worse_alternative() -> None:
    wishes = first_of("r", alternative("many", 3), alternative("one", 1))
    assert allocate(THREE, make_claim("c", wishes, request("s", 2))) == [
        [("r/one", "d0"), ("s", "d1"), ("s", "d2")]
    ]


# -- admin access -----------------------------------------------------------------------------------


def test_admin_access_shares_devices_that_are_taken_but_not_within_its_claim() -> None:
    taken = [make_allocated_claim("x", ("n", "d0"))]
    watch = request("w", 1, admin_access=True)
    assert devices(allocate(THREE, make_claim("c", watch), allocated=taken)) == ["d0"]
    twice = make_claim("c", watch, request("v", 1, admin_access=True))
    assert devices(allocate(THREE, twice, allocated=taken)) == ["d0", "d1"]


def test_a_device_with_admin_access_is_not_taken() -> None:
    watching = [make_allocated_claim("x", ("n", "d0"), admin_access=True)]
    assert devices(allocate(THREE, make_claim(), allocated=watching)) == ["d0"]


# -- constraints ------------------------------------------------------------------------------------


def test_an_attribute_may_have_to_be_the_same() -> None:
    same = DeviceConstraint(match_attribute=f"{DRIVER}/model")
    claim = make_claim("c", request("r", 2, f"{attribute('index')} > 0"), constraints=[same])
    assert devices(allocate(MODELS, claim)) == ["d1", "d3"]


def test_an_attribute_may_have_to_differ() -> None:
    distinct = DeviceConstraint(distinct_attribute=f"{DRIVER}/model")
    assert devices(allocate(MODELS, make_claim("c", request("r", 2), constraints=[distinct]))) == ["d0", "d1"]
    assert allocate(MODELS, make_claim("c", request("r", 3), constraints=[distinct])) is None


def test_a_constraint_may_concern_some_requests_only() -> None:
    same = DeviceConstraint(requests=("a", "b"), match_attribute=f"{DRIVER}/model")
    claim = make_claim("c", request("a"), request("x"), request("b"), constraints=[same])
    assert devices(allocate(MODELS, claim)) == ["d0", "d1", "d2"]


def test_all_devices_that_can_not_be_together_are_an_error() -> None:
    same = DeviceConstraint(match_attribute=f"{DRIVER}/model")
    with pytest.raises(DemandError, match="a claim constraint would not be satisfied"):
        allocate(MODELS, make_claim("c", request("r", None), constraints=[same]))


# -- taints -----------------------------------------------------------------------------------------

BROKEN = DeviceTaint(key="health", value="bad", effect="NoSchedule")


def test_a_tainted_device_must_be_tolerated() -> None:
    slices = [make_slice("n", [make_device("d0", taints=(BROKEN,)), "d1"])]
    assert devices(allocate(slices, make_claim())) == ["d1"]
    lenient = request("r", 1, tolerations=(DeviceToleration(key="health", operator="Exists"),))
    assert devices(allocate(slices, make_claim("c", lenient))) == ["d0"]
    assert devices(allocate(slices, make_claim(), features=Features(device_taints=False))) == ["d0"]


@pytest.mark.parametrize(
    ("toleration", "found"),
    [
        (DeviceToleration(key="health", value="bad"), "d0"),
        (DeviceToleration(key="health", operator="Equal", value="good"), "d1"),
        (DeviceToleration(operator="Exists"), "d0"),
        (DeviceToleration(operator="Exists", effect="NoExecute"), "d1"),
    ],
)
def test_what_tolerates_a_taint(toleration: DeviceToleration, found: str) -> None:
    slices = [make_slice("n", [make_device("d0", taints=(BROKEN,)), "d1"])]
    assert devices(allocate(slices, make_claim("c", request("r", 1, tolerations=(toleration,))))) == [found]


@pytest.mark.parametrize(
    ("selector", "found"),
    [
        (None, None),
        (DeviceTaintSelector(device="d0"), "d1"),
        (DeviceTaintSelector(pool="n", device="d1"), "d0"),
        (DeviceTaintSelector(pool="other"), "d0"),
        (DeviceTaintSelector(driver="other"), "d0"),
    ],
)
def test_rules_taint_devices_from_outside(selector: DeviceTaintSelector | None, found: str | None) -> None:
    rule = DeviceTaintRule(
        metadata=ObjectMeta(name="r"), spec=DeviceTaintRuleSpec(device_selector=selector, taint=BROKEN)
    )
    assert devices(allocate(THREE, make_claim(), rules=[rule])) == ([found] if found else None)


# -- partitionable devices --------------------------------------------------------------------------


def partitions() -> list[ResourceSlice]:
    whole = make_device("whole", draws={"gpu": {"memory": "40Gi"}})
    halves = [make_device(f"half-{i}", draws={"gpu": {"memory": "20Gi"}}) for i in (0, 1)]
    return [
        make_slice("n", [*halves, whole], part=(1, 2)),
        make_slice("n", counters={"gpu": {"memory": "40Gi"}}, part=(2, 2)),
    ]


def test_partitions_of_a_device_exclude_each_other() -> None:
    assert devices(allocate(partitions(), make_claim("c", request(count=2)))) == ["half-0", "half-1"]
    assert allocate(partitions(), make_claim("c", request(count=3))) is None


@pytest.mark.parametrize(("taken", "found"), [("whole", None), ("half-0", ["half-1"])])
def test_counters_remember_what_was_drawn(taken: str, found: list[str] | None) -> None:
    allocated = [make_allocated_claim("x", ("n", taken))]
    assert devices(allocate(partitions(), make_claim(), allocated=allocated)) == found


def test_a_pool_whose_counters_do_not_exist_is_invalid() -> None:
    assert allocate(partitions()[:1], make_claim()) is None


# -- consumable capacity ----------------------------------------------------------------------------


def shared(policy: CapacityRequestPolicy | None = None) -> list[ResourceSlice]:
    memory = {"memory": DeviceCapacity(value="10Gi", request_policy=policy)}
    device = make_device("d0", allow_multiple_allocations=True)
    return [make_slice("n", [Device(name=device.name, capacity=memory, allow_multiple_allocations=True)])]


def asking(memory: str, name: str = "c") -> ResourceClaim:
    wanted = CapacityRequirements(requests={"memory": memory})
    return make_claim(name, request("r", 1, capacity=wanted))


def test_a_shared_device_serves_claims_until_its_capacity_is_used_up() -> None:
    assert allocate(shared(), asking("4Gi", "a"), asking("6Gi", "b")) == [[("r", "d0")], [("r", "d0")]]
    assert allocate(shared(), asking("4Gi", "a"), asking("7Gi", "b")) is None
    allocated = [make_allocated_claim("x", ("n", "d0"), share_id="s", consumed_capacity={"memory": "5Gi"})]
    assert devices(allocate(shared(), asking("5Gi"), allocated=allocated)) == ["d0"]
    assert allocate(shared(), asking("6Gi"), allocated=allocated) is None


def test_without_a_request_the_policy_says_how_much() -> None:
    modest = shared(CapacityRequestPolicy(default="5Gi"))
    assert allocate(modest, make_claim("a"), make_claim("b")) is not None
    assert allocate(shared(), make_claim("a"), make_claim("b")) is None


@pytest.mark.parametrize(
    ("policy", "wanted", "fits"),
    [
        (CapacityRequestPolicyRange(min="4Gi", step="4Gi"), "5Gi", 1),
        (CapacityRequestPolicyRange(min="1Gi", max="4Gi"), "5Gi", 0),
        (CapacityRequestPolicyRange(min="5Gi"), "1Gi", 2),
    ],
)
def test_a_request_is_rounded_up_to_what_the_policy_allows(
    policy: CapacityRequestPolicyRange, wanted: str, fits: int
) -> None:
    slices = shared(CapacityRequestPolicy(valid_range=policy))
    claims = [asking(wanted, f"c{i}") for i in range(3)]
    served = [n for n in range(1, 4) if allocate(slices, *claims[:n]) is not None]
    assert max(served, default=0) == fits


def test_a_capacity_nobody_has_is_not_served() -> None:
    assert allocate(THREE, asking("1Gi")) is None


# -- pools ------------------------------------------------------------------------------------------


def test_only_the_newest_generation_of_a_pool_counts() -> None:
    slices = [make_slice("n", ["old"]), make_slice("n", ["new"], generation=2)]
    assert devices(allocate(slices, make_claim())) == ["new"]
    moved = [
        make_slice("n", ["old"], pool="p", part=(1, 2)),
        make_slice("m", ["new"], pool="p", generation=2),
    ]
    assert allocate(moved, make_claim("c", request(count=None))) is None  # no error: the pool is no more


def test_an_incomplete_pool_offers_nothing_and_all_of_it_is_an_error() -> None:
    slices = [make_slice("n", ["d0"], part=(1, 2))]
    assert allocate(slices, make_claim()) is None
    with pytest.raises(DemandError, match=f"resource pool {DRIVER}/n is currently being updated"):
        allocate(slices, make_claim("c", request(count=None)))


def test_slices_of_other_nodes_complete_a_pool_but_offer_nothing_here() -> None:
    slices = [make_slice("n", ["d0"], pool="p", part=(1, 2)), make_slice("m", ["d1"], pool="p", part=(2, 2))]
    assert devices(allocate(slices, make_claim("c", request(count=None)))) == ["d0"]


def test_devices_may_select_nodes_one_by_one() -> None:
    own = [
        make_device("d0", node_name="m"),
        make_device("d1", node_name="n"),
        make_device("d2", all_nodes=True),
    ]
    slices = [make_slice(None, own, per_device_node_selection=True)]
    assert devices(allocate(slices, make_claim("c", request(count=2)))) == ["d1", "d2"]
    assert devices(allocate([make_slice(None, ["d"], all_nodes=True)], make_claim())) == ["d"]
    assert allocate([make_slice(None, ["d"], node_selector=NodeSelector())], make_claim()) is None


def test_devices_that_bind_late_come_last() -> None:
    late = make_slice("n", [make_device("late", binding_conditions=("Ready",))], pool="a")
    assert devices(allocate([late, make_slice("n", ["soon"], pool="b")], make_claim())) == ["soon"]
    assert allocate([late], make_claim(), features=Features(binding_conditions=False)) is None


# -- limits -----------------------------------------------------------------------------------------


def test_a_search_ends_when_its_steps_are_used_up() -> None:
    hopeless = make_claim("c", request("a", 6), request("b", 7))
    with pytest.raises(TimedOut):
        allocate([make_slice("n", [f"d{i}" for i in range(12)])], hopeless, steps=500)
