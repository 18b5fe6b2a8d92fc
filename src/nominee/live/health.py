"""Pages that say whether the process is well: all checks together, and each by itself.

Reproduces InstallPathHandler of k8s.io/apiserver/pkg/server/healthz/healthz.go, v1.37, but says what is wrong
where upstream withholds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from http import HTTPStatus
from urllib.parse import parse_qs

from nominee.live.endpoints import Answer, Asked, Page

Check = Callable[[], str | None]
"""What is wrong, or None."""


def health_pages(path: str, checks: Mapping[str, Check]) -> dict[str, Page]:
    """`path` for all checks together, `path/NAME` for each; `ping`, which never fails, comes first."""
    every = {"ping": _ping, **checks}
    return {path: _together(path, every)} | {f"{path}/{name}": _alone(ask) for name, ask in every.items()}


def _ping() -> None:
    """Whoever can answer is there."""


def _together(path: str, checks: Mapping[str, Check]) -> Page:
    """`ok`; a line for each check if one fails or `?verbose` is asked for; `?exclude=NAME` leaves one out."""

    def page(asked: Asked) -> Answer:
        query = parse_qs(asked.query, keep_blank_values=True)
        excluded = set(query.get("exclude", ()))
        wrong = {name: what for name, ask in checks.items() if name not in excluded and (what := ask())}
        if not wrong and "verbose" not in query:
            return Answer(b"ok")
        lines = [*_lines(checks, excluded, wrong), f"{path[1:]} check {'failed' if wrong else 'passed'}", ""]
        status = HTTPStatus.INTERNAL_SERVER_ERROR if wrong else HTTPStatus.OK
        return Answer("\n".join(lines).encode(), status=status)

    return page


def _lines(checks: Mapping[str, Check], excluded: set[str], wrong: Mapping[str, str]) -> Iterator[str]:
    for name in checks:
        if name in excluded:
            yield f"[+]{name} excluded: ok"
        elif name in wrong:
            yield f"[-]{name} failed: {wrong[name]}"
        else:
            yield f"[+]{name} ok"
    if unknown := ",".join(map(json.dumps, sorted(excluded - checks.keys()))):
        yield f"warn: some health checks cannot be excluded: no matches for {unknown}"


def _alone(ask: Check) -> Page:
    def page(_: Asked) -> Answer:
        what = ask()
        if what is None:
            return Answer(b"ok")
        return Answer(f"internal server error: {what}\n".encode(), status=HTTPStatus.INTERNAL_SERVER_ERROR)

    return page
