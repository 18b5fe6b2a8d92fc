"""Logs: one line an entry, for people and for programs."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest

from nominee.driver.logs import set_up_logs


@pytest.fixture(autouse=True)
def restored() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    root.handlers[:], root.level = handlers, level


def logged(log_format: str, verbosity: int = 0) -> str:
    stream = io.StringIO()
    set_up_logs(log_format, verbosity, stream)
    logging.getLogger("nominee.x").debug("quiet")
    logging.getLogger("nominee.x").info("bound in %d ms", 3, extra={"pod": "default/p", "note": "a b"})
    return stream.getvalue()


def test_text_has_fields_at_the_end() -> None:
    (line,) = logged("text").splitlines()
    assert line.split(" ", 1)[1] == "INFO    bound in 3 ms pod=default/p note='a b'"


def test_json_has_a_key_for_each_field() -> None:
    entry = json.loads(logged("json"))
    assert entry.pop("ts").endswith("Z")
    assert entry == {
        "level": "info",
        "logger": "nominee.x",
        "msg": "bound in 3 ms",
        "pod": "default/p",
        "note": "a b",
    }


def test_json_keeps_a_traceback_in_its_line() -> None:
    stream = io.StringIO()
    set_up_logs("json", 0, stream)
    logging.getLogger("nominee").error("broke", exc_info=KeyError("x"))
    (line,) = stream.getvalue().splitlines()
    assert "KeyError" in json.loads(line)["error"]


def test_text_quotes_what_would_break_the_line() -> None:
    stream = io.StringIO()
    set_up_logs("text", 0, stream)
    logging.getLogger("nominee").info("x", extra={"note": "one\ntwo"})
    assert stream.getvalue().count("\n") == 1


def test_verbose_shows_more() -> None:
    assert "quiet" in logged("text", 1)
    assert "quiet" not in logged("text", 0)
