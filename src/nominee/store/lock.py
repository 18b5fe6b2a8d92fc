"""One process at a time in a data directory."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from nominee.errors import StorageError

NAME = "lock"


class DirectoryLock:
    """Held until it is released or the process ends, however it ends."""

    def __init__(self, directory: Path) -> None:
        self._file = os.open(directory / NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(self._file, 32).decode("ascii", "replace").strip()
            os.close(self._file)
            whose = f"process {holder}" if holder else "another process"
            problem = f"in use by {whose}: end that, or name another --data"
            raise StorageError(f"{directory}: {problem}") from None
        os.ftruncate(self._file, 0)
        os.write(self._file, f"{os.getpid()}\n".encode())

    def release(self) -> None:
        os.close(self._file)
