import pytest

from nominee.apiserver.kind import Context
from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.errors import Conflict, NotFound
from nominee.testing.clock import ManualClock

THINGS = "things.example.com"


def a_thing(rest: Rest, context: Context, **metadata: object) -> None:
    rest.create(THINGS, "home", {"metadata": {"name": "a", **metadata}}, context)


def a_pod(rest: Rest, context: Context, **spec: object) -> None:
    rest.create("pods", "home", {"metadata": {"name": "p"}, "spec": spec}, context)


def test_what_nothing_holds_goes_at_once(rest: Rest, context: Context) -> None:
    a_thing(rest, context)
    deletion = rest.delete(THINGS, "home/a", DeleteOptions(), context)
    assert deletion.gone
    assert rest.store.get(THINGS, "home/a") is None


def test_what_is_not_there_can_not_be_deleted(rest: Rest, context: Context) -> None:
    with pytest.raises(NotFound):
        rest.delete(THINGS, "home/a", DeleteOptions(), context)


def test_a_finalizer_holds(rest: Rest, context: Context) -> None:
    a_thing(rest, context, finalizers=["x/y"])
    deletion = rest.delete(THINGS, "home/a", DeleteOptions(), context)
    metadata = deletion.object["metadata"]
    assert not deletion.gone
    assert metadata["deletionTimestamp"] == context.now
    assert metadata["deletionGracePeriodSeconds"] == 0
    assert metadata["generation"] == 2


def test_deleting_again_changes_nothing(rest: Rest, context: Context) -> None:
    a_thing(rest, context, finalizers=["x/y"])
    first = rest.delete(THINGS, "home/a", DeleteOptions(), context)
    assert rest.delete(THINGS, "home/a", DeleteOptions(), context).version == first.version


@pytest.mark.parametrize(
    ("propagation", "finalizers"),
    [("Foreground", ["foregroundDeletion"]), ("Orphan", ["orphan"])],
)
def test_the_garbage_collector_gets_its_finalizer(
    rest: Rest, context: Context, propagation: str, finalizers: list[str]
) -> None:
    a_thing(rest, context)
    options = DeleteOptions(propagation=propagation)  # type: ignore[arg-type]
    deletion = rest.delete(THINGS, "home/a", options, context)
    assert deletion.object["metadata"]["finalizers"] == finalizers


def test_background_takes_the_finalizer_of_the_collector_away(rest: Rest, context: Context) -> None:
    a_thing(rest, context, finalizers=["foregroundDeletion"])
    assert rest.delete(THINGS, "home/a", DeleteOptions(propagation="Background"), context).gone


def test_a_pod_without_a_node_has_no_grace(rest: Rest, context: Context) -> None:
    a_pod(rest, context)
    deletion = rest.delete("pods", "home/p", DeleteOptions(), context)
    assert deletion.gone
    assert deletion.object["metadata"]["deletionGracePeriodSeconds"] == 0


def test_a_pod_on_a_node_ends_after_its_grace(rest: Rest, context: Context) -> None:
    a_pod(rest, context, nodeName="n")
    deletion = rest.delete("pods", "home/p", DeleteOptions(), context)
    metadata = deletion.object["metadata"]
    assert not deletion.gone
    assert metadata["deletionTimestamp"] == "2001-09-09T01:47:10Z"
    assert metadata["deletionGracePeriodSeconds"] == 30


def test_a_second_deletion_only_shortens(rest: Rest, clock: ManualClock) -> None:
    a_pod(rest, rest.context(), nodeName="n")
    first = rest.delete("pods", "home/p", DeleteOptions(), rest.context())
    longer = rest.delete("pods", "home/p", DeleteOptions(grace_period_seconds=60), rest.context())
    assert longer.version == first.version
    shorter = rest.delete("pods", "home/p", DeleteOptions(grace_period_seconds=10), rest.context())
    assert shorter.object["metadata"]["deletionTimestamp"] == "2001-09-09T01:46:50Z"
    assert shorter.object["metadata"]["deletionGracePeriodSeconds"] == 10
    clock.advance(20)
    late = rest.delete("pods", "home/p", DeleteOptions(grace_period_seconds=5), rest.context())
    assert late.object["metadata"]["deletionTimestamp"] == "2001-09-09T01:47:00Z"
    assert late.object["metadata"]["deletionGracePeriodSeconds"] == 1


def test_no_grace_is_the_kubelets_last_word(rest: Rest, context: Context) -> None:
    a_pod(rest, context, nodeName="n")
    rest.delete("pods", "home/p", DeleteOptions(), context)
    assert rest.delete("pods", "home/p", DeleteOptions(grace_period_seconds=0), context).gone


def test_a_negative_grace_is_one_second(rest: Rest, context: Context) -> None:
    a_pod(rest, context, nodeName="n")
    deletion = rest.delete("pods", "home/p", DeleteOptions(grace_period_seconds=-5), context)
    assert deletion.object["metadata"]["deletionGracePeriodSeconds"] == 1


def test_preconditions_must_hold(rest: Rest, context: Context) -> None:
    a_thing(rest, context)
    with pytest.raises(Conflict, match=r"Thing.example.com \"a\": the UID in the precondition \(x\)"):
        rest.delete(THINGS, "home/a", DeleteOptions(uid="x"), context)
    with pytest.raises(Conflict, match=r"the ResourceVersion in the precondition \(1\) does not match"):
        rest.delete(THINGS, "home/a", DeleteOptions(resource_version="1"), context)


def test_a_dry_run_deletes_nothing(rest: Rest, context: Context) -> None:
    a_thing(rest, context, finalizers=["x/y"])
    deletion = rest.delete(THINGS, "home/a", DeleteOptions(), rest.context(dry_run=True))
    assert "deletionTimestamp" in deletion.object["metadata"]
    assert "deletionTimestamp" not in rest.get(THINGS, "home/a").object["metadata"]


def test_a_collection_is_deleted_as_far_as_it_is_selected(rest: Rest, context: Context) -> None:
    for name in "abc":
        rest.create(THINGS, "home", {"metadata": {"name": name}}, context)
    rest.delete_collection(THINGS, "home", DeleteOptions(), context, lambda stored: stored.key != "home/b")
    assert [stored.key for stored in rest.store.list(THINGS)] == ["home/b"]
