"""Ways to prove who one is: nothing, a token, a token in a file, a password, a client certificate.

Credentials that come from a program are in `nominee.client.exec_credentials`.
"""

from __future__ import annotations

import base64
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from nominee.errors import ConfigError, TransportError

REREAD_SECONDS = 60.0
"""How long what was read from a file is good (client-go/transport/token_source.go, v1.37)."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A client certificate with its chain, and its key, both PEM."""

    chain: str
    key: str


@dataclass(frozen=True, slots=True)
class Proof:
    """What goes with a request: a value for the Authorization header, a certificate, both or neither."""

    authorization: str | None = None
    certificate: Certificate | None = None


class Credentials(Protocol):
    """A source of proofs."""

    def ready(self) -> Proof | None:
        """The proof at hand, without any waiting; None if it must be renewed first."""
        ...

    async def renew(self, refused: Proof | None = None) -> Proof:
        """Get a proof; another one than the server has `refused`, where there can be another.

        Raises ConfigError if there is none to be had, and TransportError if there was one before: what
        gives them may be back soon.
        """
        ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """A proof that never changes; by default one of nothing."""

    proof: Proof = Proof()

    def ready(self) -> Proof:
        return self.proof

    async def renew(self, refused: Proof | None = None) -> Proof:
        return self.proof


ANONYMOUS = Fixed()
"""Proves nothing."""


def not_renewed(error: ConfigError) -> TransportError:
    """What a request fails with while there are no new credentials."""
    return TransportError(f"no new credentials: {error}", sent=False)


def bearer(token: str) -> str:
    """The Authorization header of a token."""
    return f"Bearer {token}"


def basic(user: str, password: str) -> str:
    """The Authorization header of a user's name and password."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


class FileCredentials:
    """A token or a certificate in files that somebody may replace: `read` reads them again every minute."""

    def __init__(
        self,
        read: Callable[[], Proof],
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._read = read
        self._monotonic = monotonic
        self._proof: Proof | None = None
        self._until = 0.0

    def ready(self) -> Proof | None:
        return self._proof if self._monotonic() < self._until else None

    async def renew(self, refused: Proof | None = None) -> Proof:
        try:
            self._proof = self._read()
        except ConfigError as error:
            if self._proof is None:
                raise
            if self._proof == refused:
                raise not_renewed(error) from None
            # Being replaced just now, perhaps: the old one may be good for a while yet.
        self._until = self._monotonic() + REREAD_SECONDS
        return self._proof


def read_token(path: Path, field: str, source: str = "") -> str:
    """The token in a file; raises ConfigError that names the field and what to do."""
    token = read_file(path, field, source).strip()
    if not token:
        raise ConfigError(f"{str(path)!r} is empty: expected a token", source=source or None, field=field)
    return token


def read_file(path: Path, field: str, source: str = "") -> str:
    """The text of a file that a configuration names; raises ConfigError that says where it does."""
    try:
        return path.read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = error.strerror.lower() if isinstance(error, OSError) and error.strerror else "not a text file"
        raise ConfigError(f"can not read {str(path)!r}: {why}", source=source or None, field=field) from None
