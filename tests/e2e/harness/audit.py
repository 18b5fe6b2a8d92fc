"""What the API server wrote down of a scheduler's writes: the calls themselves, seen from the other side."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.e2e.harness.until import until


@dataclass(frozen=True)
class Call:
    """One write: `resource` is `pods/status` and the like, `body` what was sent."""

    verb: str
    resource: str
    namespace: str
    name: str
    code: int
    body: Any


class AuditLog:
    """The calls since the log was opened, in the order of their answers."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._start = path.stat().st_size if path.exists() else 0

    def calls(self, namespace: str = "", *, name: str = "", resource: str = "") -> list[Call]:
        """Those in that namespace, on that object, of that resource."""
        return [
            call
            for call in self._read()
            if (not namespace or call.namespace == namespace)
            and (not name or call.name == name)
            and (not resource or call.resource == resource)
        ]

    async def settled(
        self, count: int, namespace: str, *, name: str = "", resource: str = "", besides: str = ""
    ) -> list[Call]:
        """As many calls at least, once they are there, less those of one resource.

        The server writes a call down when it answers it, which is after others can see what it did.
        """

        async def look() -> list[Call]:
            calls = self.calls(namespace, name=name, resource=resource)
            counted = [call for call in calls if call.resource != besides]
            return counted if len(counted) >= count else []

        return await until(look, f"{count} calls are on record")

    def _read(self) -> Iterator[Call]:
        with self._path.open("rb") as log:
            log.seek(self._start)
            for line in log:
                if line.endswith(b"\n"):  # the last one may be half-written
                    yield _call(json.loads(line))


def _call(entry: dict[str, Any]) -> Call:
    target = entry.get("objectRef", {})
    resource = "/".join(part for part in (target.get("resource", ""), target.get("subresource", "")) if part)
    return Call(
        verb=entry["verb"],
        resource=resource,
        namespace=target.get("namespace", ""),
        name=target.get("name", ""),
        code=entry.get("responseStatus", {}).get("code", 0),
        body=entry.get("requestObject"),
    )
