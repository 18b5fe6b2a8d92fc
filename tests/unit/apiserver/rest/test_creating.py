from collections.abc import Callable
from typing import Any

import pytest

from nominee.apiserver.kind import Context
from nominee.apiserver.rest import DeleteOptions, Rest
from nominee.apiserver.status import FieldError
from nominee.errors import ApiError

THINGS = "things.example.com"


def test_the_server_says_who_an_object_is(rest: Rest, context: Context) -> None:
    stored = rest.create(THINGS, "home", {"metadata": {"name": "a", "uid": "mine"}}, context)
    metadata = stored.object["metadata"]
    assert stored.object["apiVersion"] == "example.com/v1"
    assert stored.key == "home/a"
    assert metadata["namespace"] == "home"
    assert metadata["uid"] != "mine"
    assert metadata["creationTimestamp"] == "2001-09-09T01:46:40Z"
    assert metadata["generation"] == 1
    assert metadata["resourceVersion"] == str(stored.version)


def test_what_is_handed_in_stays_as_it_was(rest: Rest, context: Context) -> None:
    item: dict[str, Any] = {"metadata": {"generateName": "a-"}, "spec": {}}
    rest.create(THINGS, "home", item, context)
    assert item == {"metadata": {"generateName": "a-"}, "spec": {}}


def test_a_generated_name_has_five_letters_of_its_own(rest: Rest, context: Context) -> None:
    names = {
        rest.create(THINGS, "home", {"metadata": {"generateName": "a-"}}, context).object["metadata"]["name"]
        for _ in range(50)
    }
    assert len(names) == 50
    assert {len(name) for name in names} == {7}


def test_a_long_base_of_a_name_is_cut(rest: Rest, context: Context) -> None:
    stored = rest.create(THINGS, "home", {"metadata": {"generateName": "a" * 80}}, context)
    assert len(stored.object["metadata"]["name"]) == 63


def test_status_is_not_set_at_creation(rest: Rest, context: Context) -> None:
    stored = rest.create(THINGS, "home", {"metadata": {"name": "a"}, "status": {"is": "fine"}}, context)
    assert "status" not in stored.object


def test_a_name_that_is_taken_is_refused(rest: Rest, context: Context) -> None:
    rest.create(THINGS, "home", {"metadata": {"name": "a"}}, context)
    with pytest.raises(ApiError, match="409") as refused:
        rest.create(THINGS, "home", {"metadata": {"name": "a"}}, context)
    assert refused.value.body is not None
    assert refused.value.body["reason"] == "AlreadyExists"
    assert refused.value.reason == 'things.example.com "a" already exists'


def test_a_name_that_is_on_its_way_out_is_refused_in_other_words(rest: Rest, context: Context) -> None:
    rest.create(THINGS, "home", {"metadata": {"name": "a", "finalizers": ["x/y"]}}, context)
    rest.delete(THINGS, "home/a", DeleteOptions(), context)
    with pytest.raises(ApiError) as refused:
        rest.create(THINGS, "home", {"metadata": {"name": "a"}}, context)
    assert refused.value.reason == 'object is being deleted: things.example.com "a" already exists'


def test_the_namespace_of_the_path_holds(rest: Rest, context: Context) -> None:
    with pytest.raises(ApiError, match="does not match the namespace sent on the request"):
        rest.create(THINGS, "home", {"metadata": {"name": "a", "namespace": "away"}}, context)


def test_a_kind_without_namespaces_loses_one(rest: Rest, context: Context) -> None:
    stored = rest.create("rooms", "", {"metadata": {"name": "a", "namespace": "home"}}, context)
    assert (stored.key, "namespace" in stored.object["metadata"]) == ("a", False)


def test_a_version_is_not_set_on_what_is_new(rest: Rest, context: Context) -> None:
    with pytest.raises(ApiError, match="resourceVersion should not be set"):
        rest.create(THINGS, "home", {"metadata": {"name": "a", "resourceVersion": "5"}}, context)


def test_a_dry_run_leaves_nothing(rest: Rest) -> None:
    before = rest.store.version
    stored = rest.create(THINGS, "home", {"metadata": {"name": "a"}}, rest.context(dry_run=True))
    assert stored.object["metadata"]["uid"]
    assert (rest.store.get(THINGS, "home/a"), rest.store.version) == (None, before)


def test_a_dry_run_finds_the_name_taken(rest: Rest, context: Context) -> None:
    rest.create(THINGS, "home", {"metadata": {"name": "a"}}, context)
    with pytest.raises(ApiError, match="already exists"):
        rest.create(THINGS, "home", {"metadata": {"name": "a"}}, rest.context(dry_run=True))


def test_owners_named_twice_are_named_once_and_the_client_hears_of_it(rest: Rest, context: Context) -> None:
    owner = {"uid": "u", "name": "o"}
    item = {"metadata": {"name": "a", "ownerReferences": [owner, owner]}}
    stored = rest.create(THINGS, "home", item, context)
    assert stored.object["metadata"]["ownerReferences"] == [owner]
    assert "duplicate UID(s) observed: u" in context.warnings[0]


def test_all_that_is_wrong_is_told_at_once(make_rest: Callable[..., Rest], context: Context) -> None:
    wrong = [
        FieldError("metadata.name", "FieldValueInvalid", 'Invalid value: "A"'),
        FieldError("x", "y", "z"),
    ]
    rest = make_rest(validate_metadata=lambda *_: wrong)
    with pytest.raises(ApiError, match="422") as refused:
        rest.create(THINGS, "home", {"metadata": {"name": "A"}}, context)
    told = 'Thing.example.com "A" is invalid: [metadata.name: Invalid value: "A", x: z]'
    assert refused.value.reason == told


def test_admission_sees_the_object_before_and_after_it_is_settled(
    make_rest: Callable[..., Rest], context: Context
) -> None:
    seen: list[Any] = []

    def mutate(_rest: Rest, _kind: Any, item: Any, *_: Any) -> None:
        seen.append("name" in item["metadata"])
        item["spec"] = {"mutated": True}

    def check(_rest: Rest, _kind: Any, item: Any, *others: Any) -> None:
        seen.append((others[-1], item["spec"], bool(item["metadata"]["name"])))

    rest = make_rest(mutate=mutate, check=check)
    rest.create(THINGS, "home", {"metadata": {"generateName": "a-"}}, context)
    assert seen == [False, ("CREATE", {"mutated": True}, True)]
