"""Volumes are taken in memory first, then written down, then waited for."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from msgspec import structs

from nominee.framework import Cycle, Node, PersistentVolume, PersistentVolumeClaim, PreFlight
from nominee.model.codec import decode, encode_object
from nominee.model.meta import NamedObject
from nominee.plugins.volume_binding import VolumeBinding
from nominee.plugins.volume_binding.binding import BindingError
from nominee.state.cluster import ClusterState
from nominee.state.shapes import Pod
from nominee.testing import filter_with, make_cluster, make_cycle, make_node, make_pod, pod_of
from tests.volume_objects import BOUND, DRIVER, SELECTED, claim, storage_class, volume

STATIC = [storage_class(), claim("c"), volume("v")]
DYNAMIC = [storage_class(provisioner=DRIVER), claim("c")]


class Bench:
    """A pod that has passed the filters, on its way to the node "a"; also the API that writes go to."""

    def __init__(self, *objects: Any, name: str = "p", cluster: ClusterState | None = None) -> None:
        self.cluster = cluster or make_cluster([make_node("a").label("zone", "a")], objects=objects)
        self.plugin = VolumeBinding(bind_timeout_seconds=5)
        self.pod: Pod = pod_of(self.cluster, make_pod(name).pvc("c"))
        self.cycle: Cycle = make_cycle(self.cluster)
        self.rejected = filter_with(self.plugin, self.pod, self.cluster, cycle=self.cycle)
        self.node = Node(self.cluster, 0)
        self.slept = 0
        self.version = 1
        self.heard = True  # the scheduler sees what is written
        self.then: Callable[[int], None] = lambda _: None

    def reserve(self) -> Bench:
        assert self.plugin.reserve(self.pod, self.node, self.cycle) is None
        self.cluster.assume(self.pod, "a")
        return self

    @property
    def pre_flight(self) -> PreFlight:
        return self.plugin.pre_bind_pre_flight(self.pod, self.node, self.cycle)

    def pre_bind(self) -> None:
        run(self.plugin.pre_bind(self.pod, self.node, self.cycle, self))  # type: ignore[arg-type]

    def seen(self, kind: type[NamedObject], key: str) -> Any:
        return self.cluster.objects.get(kind, key)

    def bind(self, name: str = "v") -> None:
        """What the controller does once it sees the claim."""
        self.version += 1
        stored = self.cluster.objects.stored(PersistentVolumeClaim, "default/c")
        assert stored is not None
        meta = structs.replace(
            stored.metadata,
            annotations={**stored.metadata.annotations, **BOUND},
            resource_version=str(self.version),
        )
        spec = structs.replace(stored.spec, volume_name=name)
        self.cluster.put_object(structs.replace(stored, metadata=meta, spec=spec))

    # -- the API --------------------------------------------------------------------------------

    async def get(self, kind: str, key: str) -> dict[str, Any]:
        struct: Any = PersistentVolume if kind == "PersistentVolume" else PersistentVolumeClaim
        found: Any = self.cluster.objects.stored(struct, key)
        return {**encode_object(found), "unknown": "kept"}

    async def update(self, kind: str, item: dict[str, Any], *, subresource: str = "") -> dict[str, Any]:
        assert (item["kind"], item["unknown"], subresource) == (kind, "kept", "")
        self.version += 1
        item["metadata"]["resourceVersion"] = str(self.version)
        self.written = item
        struct: Any = PersistentVolume if kind == "PersistentVolume" else PersistentVolumeClaim
        if self.heard:
            self.cluster.put_object(decode(struct, item))
        return item

    async def sleep(self, seconds: float) -> None:
        self.slept += int(seconds)
        self.then(self.slept)


def run(coroutine: Coroutine[Any, Any, Any]) -> None:
    """To its end: nothing in it waits for anything real."""
    with pytest.raises(StopIteration):
        coroutine.send(None)


def test_a_taken_volume_is_taken_in_every_later_cycle() -> None:
    bench = Bench(*STATIC, claim("other")).reserve()
    taken = bench.seen(PersistentVolume, "v")
    assert (taken.spec.claim_ref.name, taken.spec.claim_ref.uid) == ("c", "c")
    assert taken.metadata.annotations == {"pv.kubernetes.io/bound-by-controller": "yes"}
    assert set(filter_with(bench.plugin, make_pod("q").pvc("other"), bench.cluster)) == {"a"}


def test_a_pod_with_the_same_claim_gets_the_same_volume() -> None:
    first = Bench(*STATIC, volume("w", "10Gi")).reserve()
    second = Bench(name="q", cluster=first.cluster).reserve()
    assert second.rejected == {}
    assert first.seen(PersistentVolume, "w").spec.claim_ref is None


def test_a_claim_whose_volume_is_made_names_its_node() -> None:
    bench = Bench(*DYNAMIC).reserve()
    assert bench.seen(PersistentVolumeClaim, "default/c").metadata.annotations == {SELECTED: "a"}


@pytest.mark.parametrize("objects", [STATIC, DYNAMIC], ids=["existing", "to be made"])
def test_what_was_taken_is_given_back(objects: list[Any]) -> None:
    bench = Bench(*objects).reserve()
    bench.plugin.unreserve(bench.pod, bench.node, bench.cycle)
    assert [bench.seen(type(item), item.key) for item in objects] == objects


def test_a_volume_kept_for_the_claim_is_not_marked() -> None:
    kept = volume("v", claim="c", uid="c")
    bench = Bench(storage_class(), claim("c"), kept).reserve()
    assert bench.seen(PersistentVolume, "v") is kept
    assert bench.pre_flight is PreFlight.WORK


def test_there_is_no_work_for_bound_claims() -> None:
    bench = Bench(claim("c", bound_to="v"), volume("v", claim="c")).reserve()
    assert bench.pre_flight is PreFlight.SKIP
    bench.pre_bind()
    assert bench.slept == 0


def test_a_pod_that_was_never_reserved_has_no_work() -> None:
    bench = Bench(*STATIC)
    bench.plugin.unreserve(bench.pod, bench.node, bench.cycle)
    assert bench.pre_flight is PreFlight.SKIP


def test_an_existing_volume_is_written_and_waited_for() -> None:
    bench = Bench(*STATIC).reserve()
    bench.then = lambda slept: bench.bind() if slept == 3 else None
    bench.pre_bind()
    assert bench.slept == 3
    ref = bench.written["spec"]["claimRef"]
    assert (ref["kind"], ref["namespace"], ref["name"], ref["uid"]) == (
        "PersistentVolumeClaim",
        "default",
        "c",
        "c",
    )


def test_a_volume_to_be_made_is_written_and_waited_for() -> None:
    bench = Bench(*DYNAMIC).reserve()

    def provision(slept: int) -> None:
        if slept == 2:
            bench.cluster.put_object(volume("v", claim="c", uid="c"))
            bench.bind()

    bench.then = provision
    bench.pre_bind()
    assert bench.slept == 2
    assert bench.written["metadata"]["annotations"] == {SELECTED: "a"}


def test_what_was_written_is_not_given_back() -> None:
    bench = Bench(*STATIC).reserve()
    with pytest.raises(BindingError):
        bench.pre_bind()
    bench.plugin.unreserve(bench.pod, bench.node, bench.cycle)
    assert bench.seen(PersistentVolume, "v").spec.claim_ref.name == "c"


def test_waiting_has_an_end() -> None:
    bench = Bench(*STATIC).reserve()
    with pytest.raises(BindingError, match="binding volumes: context deadline exceeded"):
        bench.pre_bind()
    assert bench.slept == 5


def test_an_object_that_changed_meanwhile_is_not_written() -> None:
    bench = Bench(*STATIC).reserve()
    changed = volume("v", "99Gi")
    meta = structs.replace(changed.metadata, resource_version="7")
    bench.cluster.put_object(structs.replace(changed, metadata=meta))
    with pytest.raises(BindingError, match='persistentvolumes "v": the object has been modified'):
        bench.pre_bind()


def reset_reference(bench: Bench) -> None:
    bench.cluster.put_object(structs.replace(volume("v"), metadata=_newer(volume("v"))))


def move_volume(bench: Bench) -> None:
    moved = volume("v", claim="c", uid="c", zone="b")
    bench.cluster.put_object(structs.replace(moved, metadata=_newer(moved)))


def drop_node(bench: Bench) -> None:
    bench.cluster.remove_node("a")


def drop_pod(bench: Bench) -> None:
    bench.cluster.remove_pod(bench.pod.uid)


def drop_volume(bench: Bench) -> None:
    bench.cluster.drop_object(volume("v"))


def _newer(item: PersistentVolume) -> Any:
    return structs.replace(item.metadata, resource_version="9")


@pytest.mark.parametrize(
    ("meanwhile", "said"),
    [
        (reset_reference, 'ClaimRef got reset for pv "v"'),
        (move_volume, 'pv "v" node affinity doesn\'t match node "a": no matching NodeSelectorTerms'),
        (drop_node, 'failed to get node "a"'),
        (drop_pod, "pod does not exist any more"),
        (drop_volume, "failed to check binding"),
    ],
)
def test_what_makes_waiting_useless_ends_it(meanwhile: Callable[[Bench], None], said: str) -> None:
    bench = Bench(*STATIC).reserve()
    bench.then = lambda slept: meanwhile(bench) if slept == 2 else None
    with pytest.raises(BindingError, match=f"binding volumes: {said}"):
        bench.pre_bind()
    assert bench.slept == 2


@pytest.mark.parametrize(
    ("selected", "said"),
    [("b", 'provisioning failed for PVC "c"'), (None, 'selectedNode annotation reset for PVC "c"')],
)
def test_a_provisioner_may_refuse_the_node(selected: str | None, said: str) -> None:
    bench = Bench(*DYNAMIC).reserve()

    def refuse(_: int) -> None:
        item = claim("c", selected=selected, meta={"resource_version": "9"})
        if selected is None:
            item = claim("c", meta={"resource_version": "9", "annotations": {}})
        bench.cluster.put_object(item)

    bench.then = refuse
    with pytest.raises(BindingError, match=f"binding volumes: {said}"):
        bench.pre_bind()


def test_a_view_behind_our_own_write_is_waited_for() -> None:
    bench = Bench(*STATIC).reserve()
    bench.heard = False

    def arrive(slept: int) -> None:
        if slept == 2:
            taken = volume("v", claim="c", uid="c")
            bench.cluster.put_object(structs.replace(taken, metadata=_newer(taken)))
            bench.bind()

    bench.then = arrive
    bench.pre_bind()
    assert bench.slept == 2
