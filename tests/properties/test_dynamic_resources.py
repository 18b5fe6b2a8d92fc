"""The search finds what trying everything, in the same order, finds first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from hypothesis import given
from hypothesis import strategies as st

from nominee.model.dra import DeviceConstraint, DeviceRequest, DeviceSubRequest, ResourceClaim
from nominee.testing import make_allocated_claim, make_claim, make_device, make_slice
from nominee.testing.devices import DRIVER, alternative, first_of, request
from tests.dra_objects import allocate

MODELS = ("a", "b")
COUNTERS = {"whole": {"units": "4"}}

Device = tuple[str, str, int]
"""(name, model, units it draws)"""
Choice = tuple[str, tuple[Device, ...], str | None]
"""(request as results name it, its devices, the model it wants)"""


def is_model(model: str | None) -> tuple[str, ...]:
    return () if model is None else (f"device.attributes['{DRIVER}'].model == '{model}'",)


wishes = st.tuples(st.integers(1, 2), st.sampled_from((None, *MODELS)))
requests = st.lists(st.lists(wishes, min_size=1, max_size=2), min_size=1, max_size=2)
constraints = st.sampled_from((None, "same", "distinct"))
claims = st.lists(st.tuples(requests, constraints), min_size=1, max_size=2)
drawn = st.lists(st.tuples(st.sampled_from(MODELS), st.integers(0, 3)), max_size=4)
pools = drawn.map(lambda pool: [(f"d{i}", model, units) for i, (model, units) in enumerate(pool)])


def built(number: int, wanted: list[list[tuple[int, str | None]]], constraint: str | None) -> ResourceClaim:
    made = [_request(f"r{i}", alternatives) for i, alternatives in enumerate(wanted)]
    name = f"{DRIVER}/model"
    of_kind = {
        "same": [DeviceConstraint(match_attribute=name)],
        "distinct": [DeviceConstraint(distinct_attribute=name)],
        None: [],
    }
    return make_claim(f"c{number}", *made, constraints=of_kind[constraint])


def _request(name: str, alternatives: list[tuple[int, str | None]]) -> DeviceRequest:
    if len(alternatives) == 1:
        count, model = alternatives[0]
        return request(name, count, *is_model(model))
    made: list[DeviceSubRequest] = [
        alternative(f"s{i}", count, *is_model(model)) for i, (count, model) in enumerate(alternatives)
    ]
    return first_of(name, *made)


def choices(name: str, alternatives: list[tuple[int, str | None]], pool: list[Device]) -> Iterator[Choice]:
    """Every way to serve a request, the preferred ones first, whether it makes sense or not."""
    for i, (count, model) in enumerate(alternatives):
        title = name if len(alternatives) == 1 else f"{name}/s{i}"
        for devices in combinations(pool, count):
            yield title, devices, model


def is_valid(served: Sequence[Sequence[Choice]], kinds: Sequence[str | None], taken: set[str]) -> bool:
    used = [device for claim in served for _, devices, _ in claim for device in devices]
    names = [name for name, _, _ in used]
    if len(set(names)) != len(names) or taken & set(names) or sum(units for _, _, units in used) > 4:
        return False
    if any(model not in (None, d[1]) for claim in served for _, devices, model in claim for d in devices):
        return False
    for claim, kind in zip(served, kinds, strict=True):
        models = [d[1] for _, devices, _ in claim for d in devices]
        if (kind == "same" and len(set(models)) > 1) or (
            kind == "distinct" and len(set(models)) < len(models)
        ):
            return False
    return True


@given(pools, claims, st.booleans())
def test_the_first_solution_is_the_one_that_trying_everything_finds_first(
    pool: list[Device], wanted: list[tuple[list[list[tuple[int, str | None]]], str | None]], busy: bool
) -> None:
    devices = [make_device(n, {"model": m}, draws={"whole": {"units": str(u)}}) for n, m, u in pool]
    slices = [make_slice("n", devices, part=(1, 2)), make_slice("n", counters=COUNTERS, part=(2, 2))]
    # What is taken draws from the counters too: let it be a device that draws nothing.
    taken = {name for name, _, units in pool[:1] if busy and not units}
    held = [make_allocated_claim("x", *[("n", name) for name in taken])]
    found = allocate(slices, *[built(i, r, c) for i, (r, c) in enumerate(wanted)], allocated=held)

    every = [[choices(f"r{i}", a, pool) for i, a in enumerate(r)] for r, _ in wanted]
    ways = [list(product(*of_claim)) for of_claim in every]
    kinds = [kind for _, kind in wanted]
    first = next((way for way in product(*ways) if is_valid(way, kinds, taken)), None)
    expected = first and [
        [(title, name) for title, devices_of, _ in claim for name, _, _ in devices_of] for claim in first
    ]
    assert found == expected
