from typing import Any

import pytest

from nominee.apiserver.kind import Context
from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.errors import ApiError, Conflict, Invalid, NotFound
from nominee.store.ports import Stored

THINGS = "things.example.com"


@pytest.fixture
def stored(rest: Rest, context: Context) -> Stored:
    return rest.create(THINGS, "home", {"metadata": {"name": "a"}, "spec": {"size": 1}}, context)


def changed(stored: Stored, **parts: Any) -> dict[str, Any]:
    return {**stored.object, **parts}


def unversioned(stored: Stored, **parts: Any) -> dict[str, Any]:
    metadata = {k: v for k, v in stored.object["metadata"].items() if k != "resourceVersion"}
    return {**stored.object, "metadata": metadata, **parts}


def test_a_change_of_the_specification_counts(rest: Rest, context: Context, stored: Stored) -> None:
    after = rest.update(THINGS, "home/a", changed(stored, spec={"size": 2}), context)
    assert after.object["spec"] == {"size": 2}
    assert after.object["metadata"]["generation"] == 2
    assert after.version > stored.version


def test_a_change_of_labels_does_not_count(rest: Rest, context: Context, stored: Stored) -> None:
    metadata = {**stored.object["metadata"], "labels": {"a": "b"}}
    after = rest.update(THINGS, "home/a", changed(stored, metadata=metadata), context)
    assert after.object["metadata"]["generation"] == 1


def test_an_update_that_changes_nothing_keeps_the_version(
    rest: Rest, context: Context, stored: Stored
) -> None:
    assert rest.update(THINGS, "home/a", unversioned(stored), context).version == stored.version


def test_who_read_too_early_is_told_to_read_again(rest: Rest, context: Context, stored: Stored) -> None:
    rest.update(THINGS, "home/a", changed(stored, spec={"size": 2}), context)
    with pytest.raises(Conflict) as refused:
        rest.update(THINGS, "home/a", changed(stored, spec={"size": 3}), context)
    assert refused.value.reason == (
        'Operation cannot be fulfilled on things.example.com "a": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )


def test_without_a_version_the_last_writer_wins(rest: Rest, context: Context, stored: Stored) -> None:
    rest.update(THINGS, "home/a", changed(stored, spec={"size": 2}), context)
    after = rest.update(THINGS, "home/a", unversioned(stored, spec={"size": 3}), context)
    assert after.object["spec"] == {"size": 3}


def test_a_kind_may_ask_for_a_version(rest: Rest, context: Context) -> None:
    room = rest.create("rooms", "", {"metadata": {"name": "a"}}, context)
    with pytest.raises(Invalid) as refused:
        rest.update("rooms", "a", unversioned(room, spec={}), context)
    assert "metadata.resourceVersion: Invalid value: 0: must be specified for an update" in (
        refused.value.reason
    )


def test_a_version_is_a_number(rest: Rest, context: Context, stored: Stored) -> None:
    metadata = {**stored.object["metadata"], "resourceVersion": "new"}
    with pytest.raises(Invalid, match="resourceVersion"):
        rest.update(THINGS, "home/a", changed(stored, metadata=metadata), context)


def test_an_object_of_another_uid_is_not_replaced(rest: Rest, context: Context, stored: Stored) -> None:
    metadata = {**stored.object["metadata"], "uid": "other"}
    with pytest.raises(Conflict, match="UID in precondition: other, UID in object meta: "):
        rest.update(THINGS, "home/a", changed(stored, metadata=metadata), context)


def test_the_name_of_the_path_holds(rest: Rest, context: Context, stored: Stored) -> None:
    metadata = {**stored.object["metadata"], "name": "b"}
    with pytest.raises(
        ApiError, match=r"the name of the object \(b\) does not match the name on the URL \(a\)"
    ):
        rest.update(THINGS, "home/a", changed(stored, metadata=metadata), context)


def test_what_is_not_there_is_not_updated(rest: Rest, context: Context) -> None:
    with pytest.raises(NotFound) as refused:
        rest.update(THINGS, "home/a", {"metadata": {"name": "a"}}, context)
    assert refused.value.reason == 'things.example.com "a" not found'


def test_what_belongs_to_the_server_stays(rest: Rest, context: Context, stored: Stored) -> None:
    forged = {"name": "a", "creationTimestamp": "1999-01-01T00:00:00Z", "generation": 99, "uid": ""}
    after = rest.update(THINGS, "home/a", changed(stored, metadata=forged, spec={}), context)
    before = stored.object["metadata"]
    metadata = after.object["metadata"]
    assert (metadata["uid"], metadata["creationTimestamp"]) == (before["uid"], before["creationTimestamp"])
    assert metadata["generation"] == 2


def test_an_update_leaves_the_status_and_a_status_the_rest(
    rest: Rest, context: Context, stored: Stored
) -> None:
    part = unversioned(stored, spec={"size": 5}, status={"ready": True})
    status = rest.update(THINGS, "home/a", part, context, "status")
    assert (status.object["spec"], status.object["status"]) == ({"size": 1}, {"ready": True})
    whole = rest.update(THINGS, "home/a", unversioned(stored, status={"ready": False}), context)
    assert whole.object["status"] == {"ready": True}
    assert whole.object["metadata"]["generation"] == 1


def test_a_dry_run_shows_what_would_be(rest: Rest, stored: Stored) -> None:
    shown = rest.update(THINGS, "home/a", changed(stored, spec={"size": 2}), rest.context(dry_run=True))
    assert shown.object["spec"] == {"size": 2}
    assert rest.get(THINGS, "home/a").object == stored.object


def test_the_last_finalizer_lets_go(rest: Rest, context: Context) -> None:
    held = rest.create(THINGS, "home", {"metadata": {"name": "b", "finalizers": ["x/y"]}}, context)
    held = rest.delete(THINGS, "home/b", DeleteOptions(), context).stored
    metadata = {**held.object["metadata"], "finalizers": []}
    rest.update(THINGS, "home/b", changed(held, metadata=metadata), context)
    assert rest.store.get(THINGS, "home/b") is None


def test_another_served_version_is_stored_in_the_one(rest: Rest, context: Context, stored: Stored) -> None:
    item = changed(stored, apiVersion="example.com/v1beta1", spec={"size": 9})
    assert rest.update(THINGS, "home/a", item, context).object["apiVersion"] == "example.com/v1"
