"""What was found is kept row by row, and lists that were replaced do not pile up."""

import numpy as np

from nominee.preemption.trials import CANDIDATE, UNTRIED, Sacrifices, Trials


def sacrifices(rows: list[int], lists: list[list[int]]) -> Sacrifices:
    n = len(rows)
    return Sacrifices(
        rows=np.array(rows),
        counts=np.array([len(pods) for pods in lists]),
        violations=np.zeros(n, np.int64),
        highest=np.zeros(n, np.int64),
        total=np.zeros(n, np.int64),
        earliest=np.zeros(n),
        pod_rows=np.concatenate(lists).astype(np.int32),
    )


def test_each_candidate_keeps_its_victims() -> None:
    trials = Trials(4)
    trials.record_candidates(sacrifices([3, 1], [[7, 8], [9]]))

    assert trials.victims_of(3).tolist() == [7, 8]
    assert trials.victims_of(1).tolist() == [9]
    assert np.flatnonzero(trials.candidates).tolist() == [1, 3]


def test_lists_that_were_replaced_make_room_for_new_ones() -> None:
    trials = Trials(3)
    trials.record_candidates(sacrifices([0, 2], [[1, 2, 3], [4]]))
    for i in range(1000):
        trials.record_candidates(sacrifices([1], [[i, i + 1]]))

    assert trials.victims_of(0).tolist() == [1, 2, 3]
    assert trials.victims_of(1).tolist() == [999, 1000]
    assert trials.victims_of(2).tolist() == [4]
    assert trials._lists.size < 100


def test_a_candidate_that_is_one_no_longer_leaves_no_victims_behind() -> None:
    trials = Trials(1)
    trials.record_candidates(sacrifices([0], [[5]]))
    trials.record_failure(np.array([0]), ("Insufficient cpu",))

    assert trials.victims.tolist() == [0]
    assert not trials.candidates.any()


def test_reasons_are_kept_once_and_read_back() -> None:
    trials = Trials(3)
    trials.record_failure(np.array([0, 2]), ("x", "y"))
    trials.record_failure(np.array([1]), ("z",))

    assert [trials.reasons(outcome) for outcome in trials.outcomes.tolist()] == [
        ("x", "y"),
        ("z",),
        ("x", "y"),
    ]
    assert trials.reasons(UNTRIED) == trials.reasons(CANDIDATE) == ()


def test_rows_that_come_later_are_untried() -> None:
    trials = Trials(1)
    trials.record_fit(np.array([0]))
    trials.grow(3)

    assert trials.untried.tolist() == [False, True, True]
