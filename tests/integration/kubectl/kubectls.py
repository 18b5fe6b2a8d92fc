"""Which kubectl programs this machine has."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

EVERY = (
    "NOMINEE_EVERY_KUBECTL"  # set: with each version; otherwise with the first on the PATH and what we built
)
OLDEST = (1, 27)


@dataclass(frozen=True)
class Kubectl:
    path: Path
    version: tuple[int, int]

    def __str__(self) -> str:
        return ".".join(map(str, self.version))


def kubectls() -> list[Kubectl]:
    """One of each minor version, oldest first."""
    paths = [*_on_path(), *_built()]
    wanted = paths if EVERY in os.environ else paths[:1]
    found = {known.version: known for path in wanted if (known := _known(path))}
    return [found[version] for version in sorted(found) if version >= OLDEST]


def _on_path() -> list[Path]:
    """Also `kubectl.1.31` and the like, which some packages put beside a kubectl that chooses among them."""
    directories = [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    plain = [each / "kubectl" for each in directories if os.access(each / "kubectl", os.X_OK)]
    beside = {path.resolve().parent for path in plain}
    return [*plain, *(path for each in sorted(beside) for path in sorted(each.glob("kubectl.1.*")))]


def _built() -> Iterator[Path]:
    """What `make kubernetes` put into its cache."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    named = os.environ.get("NOMINEE_KUBERNETES")
    directories = [Path(named)] if named else (cache / "nominee" / "kubernetes").glob("v*")
    return (each / "kubectl" for each in directories if os.access(each / "kubectl", os.X_OK))


def _known(path: Path) -> Kubectl | None:
    """None: it does not run here."""
    try:
        answer = subprocess.run(
            [path, "version", "--client", "-o", "json"], capture_output=True, check=True, timeout=60
        )
        version = json.loads(answer.stdout)["clientVersion"]
    except (OSError, subprocess.SubprocessError, ValueError, KeyError):
        return None
    return Kubectl(path, (int(version["major"]), int(re.sub(r"\D", "", version["minor"]))))
