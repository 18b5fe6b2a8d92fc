"""Files that nobody else may read, written so that a reader finds the old or the new, never a part."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from nominee.errors import StorageError

PRIVATE_DIRECTORY = 0o700


def write_private(path: Path, content: bytes) -> None:
    """Write a file of mode 0600, in a directory that is made if it is missing."""
    try:
        path.parent.mkdir(mode=PRIVATE_DIRECTORY, parents=True, exist_ok=True)
        _replace(path, content)
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None


def _replace(path: Path, content: bytes) -> None:
    descriptor, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")  # of mode 0600
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(descriptor)
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def read(path: Path) -> bytes | None:
    """What a file holds; None if there is none."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None
