import pytest

from nominee.queue.nominator import Nominator
from nominee.state.shapes import Pod
from nominee.testing import make_cluster, make_node, make_pod

CLUSTER = make_cluster([make_node("n")])
UID = "default/a"


def _pod(nominated_to: str = "") -> Pod:
    return CLUSTER.pod(make_pod("a").nominated(nominated_to).obj)


def _nominator(held: str = "") -> Nominator:
    nominator = Nominator(CLUSTER)
    nominator.add(_pod(), held)
    return nominator


def _held() -> str:
    return CLUSTER.nominations.node_of(UID)


def test_a_nomination_follows_the_status() -> None:
    _nominator().add(_pod("n"))
    assert _held() == "n"


def test_whoever_decides_overrides_the_status() -> None:
    _nominator().add(_pod("n"), "other")
    assert _held() == "other"


def test_an_empty_name_clears() -> None:
    _nominator("n").add(_pod("n"), "")
    assert _held() == ""


def test_a_status_without_a_nomination_clears() -> None:
    _nominator("n").add(_pod())
    assert _held() == ""


def test_a_node_that_does_not_exist_is_taken() -> None:
    _nominator().add(_pod("nowhere"))
    assert _held() == "nowhere"
    assert [pod.uid for pod in CLUSTER.nominations.on_node("nowhere")] == [UID]


def test_a_pod_that_is_gone_or_bound_is_not_nominated_and_loses_what_it_had() -> None:
    _nominator("n")
    Nominator(CLUSTER, lambda _: False).add(_pod("n"), "other")
    assert _held() == ""


@pytest.mark.parametrize(
    ("held", "old", "new", "then"),
    [
        ("n", "", "", "n"),  # the update was under way before our own patch was seen
        ("n", "n", "other", "other"),
        ("n", "n", "", ""),
        ("n", "", "other", "other"),
        ("n", "n", "n", "n"),
        ("", "", "", ""),
    ],
)
def test_an_update_is_followed_unless_it_knows_of_no_nomination(
    held: str, old: str, new: str, then: str
) -> None:
    _nominator(held).update(_pod(old), _pod(new))
    assert _held() == then


def test_a_kept_nomination_holds_the_new_version_of_the_pod() -> None:
    nominator = _nominator("n")
    new = CLUSTER.pod(make_pod("a").priority(7).obj)
    nominator.update(_pod(), new)
    assert CLUSTER.nominations.on_node("n") == [new]


def test_removing_is_harmless_when_there_is_none() -> None:
    nominator = _nominator("n")
    nominator.remove(UID)
    nominator.remove(UID)
    assert _held() == ""
    assert len(CLUSTER.nominations) == 0
