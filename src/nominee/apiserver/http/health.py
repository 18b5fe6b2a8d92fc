"""Health and version.

apiserver/pkg/server/healthz/healthz.go, v1.37.
"""

from __future__ import annotations

import platform

from nominee.apiserver.http.accept import PLAIN
from nominee.apiserver.http.encoding import answer_tree
from nominee.apiserver.http.message import Answer, Request
from nominee.apiserver.registry import no_such_resource

HEALTH = ("healthz", "livez", "readyz")
_CHECKS = ("ping", "log", "store")
_TEXT = "text/plain; charset=utf-8"

VERSION = {
    "major": "1",
    "minor": "37",
    "emulationMajor": "1",
    "emulationMinor": "37",
    "minCompatibilityMajor": "1",
    "minCompatibilityMinor": "36",
    "gitVersion": "v1.37.0+nominee",
    "gitCommit": "",
    "gitTreeState": "clean",
    "buildDate": "2026-08-19T00:00:00Z",
    "goVersion": "",
    "compiler": platform.python_implementation(),
    "platform": f"{platform.system().lower()}/{platform.machine()}",
}


def answer_version(request: Request) -> Answer:
    """The Kubernetes whose API this is."""
    return answer_tree(request, VERSION, PLAIN)


def answer_health(request: Request, parts: list[str]) -> Answer:
    """`ok`, or what was looked at: whoever gets an answer at all has found a healthy server."""
    if len(parts) == 2 and parts[1] in _CHECKS:
        return Answer(body=b"ok", content_type=_TEXT)
    if len(parts) != 1:
        raise no_such_resource()
    if "verbose" not in request.query:
        return Answer(body=b"ok", content_type=_TEXT)
    left_out = set(request.query.get("exclude", ()))
    lines = [f"[+]{check} {'excluded: ok' if check in left_out else 'ok'}" for check in _CHECKS]
    return Answer(body="\n".join([*lines, f"{parts[0]} check passed\n"]).encode(), content_type=_TEXT)
