"""Where the programs under test are: what `make kubernetes` built, and nominee of this checkout."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

CHECKOUT = Path(__file__).parents[3]
NOMINEE = [sys.executable, "-m", "nominee"]


@cache
def built() -> Path:
    """The directory of kube-apiserver, kube-scheduler, kubectl and etcd; building anew is a no-op."""
    answer = subprocess.run([CHECKOUT / "e2e" / "build.sh"], check=True, stdout=subprocess.PIPE, text=True)
    return Path(answer.stdout.strip())


def program(name: str) -> str:
    return str(built() / name)
