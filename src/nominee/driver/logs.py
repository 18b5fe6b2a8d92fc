"""Logs for people and for programs: one line an entry, with fields such as pod, node, plugin."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, TextIO

import orjson

_STANDARD = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
_LEVELS = (logging.INFO, logging.DEBUG)
_NOISY = ("aiohttp", "asyncio")


def fields_of(record: logging.LogRecord) -> Iterator[tuple[str, Any]]:
    """What the caller added with `extra`."""
    return ((name, value) for name, value in record.__dict__.items() if name not in _STANDARD)


def _time_of(record: logging.LogRecord) -> str:
    moment = datetime.fromtimestamp(record.created, UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class TextFormatter(logging.Formatter):
    """`time LEVEL message field=value …`; a traceback follows on lines of its own."""

    def format(self, record: logging.LogRecord) -> str:
        fields = "".join(f" {name}={_quoted(value)}" for name, value in fields_of(record))
        line = f"{_time_of(record)} {record.levelname:<7} {record.getMessage()}{fields}"
        if record.exc_info:
            line += "\n" + self.formatException(record.exc_info)
        return line


class JsonFormatter(logging.Formatter):
    """One JSON object a line: ts, level, logger, msg, the fields, and `error` with a traceback."""

    def format(self, record: logging.LogRecord) -> str:
        entry = {
            "ts": _time_of(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "msg": record.getMessage(),
            **dict(fields_of(record)),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return orjson.dumps(entry, default=str, option=orjson.OPT_NON_STR_KEYS).decode()


def _quoted(value: Any) -> str:
    text = str(value)
    return repr(text) if not text or any(c.isspace() or c in "\"'=" for c in text) else text


def set_up_logs(log_format: str = "text", verbosity: int = 0, stream: TextIO | None = None) -> None:
    """Log to standard error: information; with -v what happens to each pod; with -vv libraries too."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonFormatter() if log_format == "json" else TextFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(_LEVELS[min(verbosity, len(_LEVELS) - 1)])
    for name in _NOISY:
        logging.getLogger(name).setLevel(logging.DEBUG if verbosity > 1 else logging.WARNING)
