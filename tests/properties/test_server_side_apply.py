"""What holds for every apply, whatever is applied by whomever in whatever order."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from nominee.apiserver.patches.managed_fields.apply import Application, apply
from nominee.apiserver.patches.managed_fields.entries import read_entries
from nominee.apiserver.patches.managed_fields.field_sets import fields_of
from nominee.apiserver.patches.managed_fields.ownership import ownable
from nominee.apiserver.patches.managed_fields.sets import difference, intersection, union
from nominee.apiserver.patches.managed_fields.tracking import note_update
from nominee.apiserver.schema.catalogue import CATALOGUE

DEPLOYMENT = CATALOGUE.type("io.k8s.api.apps.v1.Deployment")
Item = dict[str, Any]
NAMES = st.sampled_from("abc")
# Nothing is empty here: a map that loses its last key is no longer there, whoever applies it empty.
LABELS = st.dictionaries(NAMES, st.sampled_from("12"), min_size=1, max_size=3)
PORTS = st.lists(
    st.fixed_dictionaries({"containerPort": st.integers(1, 2)}, optional={"name": NAMES}),
    min_size=1,
    max_size=2,
    unique_by=lambda port: port["containerPort"],
)
CONTAINERS = st.lists(
    st.fixed_dictionaries(
        {"name": NAMES},
        optional={"image": NAMES, "args": st.lists(NAMES, min_size=1, max_size=2), "ports": PORTS},
    ),
    min_size=1,
    max_size=3,
    unique_by=lambda container: container["name"],
)
SPECS = st.fixed_dictionaries(
    {"paused": st.booleans()},
    optional={
        "replicas": st.integers(1, 2),
        "template": st.fixed_dictionaries(
            {"spec": st.fixed_dictionaries({"containers": CONTAINERS}, optional={"nodeSelector": LABELS})}
        ),
    },
)


@dataclass(frozen=True)
class Write:
    manager: str
    api_version: str = "apps/v1"
    subresource: str = ""
    now: str = "2026-01-01T00:00:00Z"


def deployment(labels: dict[str, str], spec: Item) -> Item:
    metadata = {"name": "d", "labels": labels}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": metadata, "spec": spec}


OBJECTS = st.builds(deployment, LABELS, SPECS)
WRITES = st.lists(st.tuples(st.sampled_from(["apply", "update"]), NAMES, OBJECTS), max_size=4)


def applied(live: Item | None, item: Item, manager: str) -> Item:
    return apply(live, item, Application(DEPLOYMENT, Write(manager), {}, force=True))


def history(writes: list[tuple[str, str, Item]]) -> Item | None:
    live: Item | None = None
    for verb, manager, item in writes:
        if verb == "apply":
            live = applied(live, item, manager)
        else:
            new = copy.deepcopy(item)
            note_update(new, live, DEPLOYMENT, Write(manager), {})
            live = new
    return live


@given(WRITES, OBJECTS, NAMES)
def test_what_is_applied_is_there_afterwards_and_owned(
    writes: list[tuple[str, str, Item]], item: Item, manager: str
) -> None:
    after = applied(history(writes), item, manager)
    wanted = fields_of(item, DEPLOYMENT)
    assert difference(ownable(wanted), fields_of_all(after)) == {}
    managed = read_entries(after["metadata"].get("managedFields"))
    mine = {m.name: o.fields for m, o in managed.items() if m.operation == "Apply"}.get(manager, {})
    assert mine == ownable(wanted)


def fields_of_all(item: Item) -> Item:
    return fields_of(item, DEPLOYMENT)


@given(WRITES, OBJECTS, NAMES)
def test_applying_twice_is_applying_once(
    writes: list[tuple[str, str, Item]], item: Item, manager: str
) -> None:
    once = applied(history(writes), item, manager)
    assert applied(once, item, manager) == once


@given(WRITES, OBJECTS, OBJECTS, NAMES)
def test_nobody_owns_what_was_applied_in_between_only(
    writes: list[tuple[str, str, Item]], first: Item, then: Item, manager: str
) -> None:
    before = history(writes)
    direct = applied(before, then, manager)
    detour = applied(applied(before, first, manager), then, manager)
    left = difference(fields_of_all(detour), fields_of_all(direct))
    owned: Item = {}
    for each in read_entries(detour["metadata"].get("managedFields")).values():
        owned = union(owned, each.fields)
    claimed = intersection(left, fields_of(first, DEPLOYMENT))
    assert intersection(claimed, owned) == {}


@given(WRITES, OBJECTS, NAMES)
def test_nothing_that_is_given_is_changed(
    writes: list[tuple[str, str, Item]], item: Item, manager: str
) -> None:
    live = history(writes)
    before = copy.deepcopy((live, item))
    applied(live, item, manager)
    assert (live, item) == before
