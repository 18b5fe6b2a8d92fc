"""What `nominee up` is told."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from nominee.embedded.scheduling import SchedulerOptions

LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 6443
_EVERYWHERE = ("0.0.0.0", "::")  # noqa: S104 - to know it when somebody asks for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Of one control plane.

    data        where it is kept; None: nowhere, it lasts as long as the process
    kubeconfig  where to write it; None: beside the data
    scheduler   None: somebody else schedules
    """

    data: Path | None = None
    host: str = LOOPBACK
    port: int = DEFAULT_PORT
    kubeconfig: Path | None = None
    nodes: int = 0
    features: dict[str, bool]
    scheduler: SchedulerOptions | None = None

    @property
    def reachable_at(self) -> str:
        """The host that clients on this machine use."""
        if self.host not in _EVERYWHERE:
            return self.host
        return LOOPBACK if self.host == _EVERYWHERE[0] else "::1"


def default_data() -> Path:
    """Where people's data belong, by the XDG specification."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "nominee"


def url(host: str, port: int) -> str:
    """The server's address."""
    return f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
