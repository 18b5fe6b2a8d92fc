"""A reader of the log learns which rows changed, or that it had better look at all."""

from __future__ import annotations

from nominee.state.log import ChangeLog


def test_rows_are_told_once_each_and_sorted() -> None:
    log = ChangeLog()
    for row in (3, 1, 3):
        log.append(row)
    rows = log.since(0, at_most=10)
    assert rows is not None
    assert rows.tolist() == [1, 3]


def test_a_reader_at_the_end_has_missed_nothing() -> None:
    log = ChangeLog()
    log.append(7)
    rows = log.since(log.end, at_most=10)
    assert rows is not None
    assert rows.size == 0


def test_too_many_changes_mean_looking_at_all() -> None:
    log = ChangeLog()
    for row in range(5):
        log.append(row)
    assert log.since(0, at_most=4) is None


def test_what_was_cut_off_means_looking_at_all() -> None:
    log = ChangeLog(limit=4)
    for row in range(9):
        log.append(row % 2)
    assert log.since(0, at_most=100) is None
    rows = log.since(5, at_most=100)
    assert rows is not None
    assert rows.tolist() == [0, 1]
