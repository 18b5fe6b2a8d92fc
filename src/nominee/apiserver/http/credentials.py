"""Who may ask: whoever has the token."""

from __future__ import annotations

import hmac

from nominee.apiserver.http.message import Request
from nominee.apiserver.status import refusal

_SCHEME = "bearer"


class Token:
    """Compares in a time that does not tell how much of a guess was right."""

    def __init__(self, token: str) -> None:
        if not token:
            raise ValueError("an empty token would let everybody in")
        self._token = token.encode()

    def check(self, request: Request) -> None:
        """Raise 401 unless the request bears the token."""
        scheme, _, given = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != _SCHEME or not hmac.compare_digest(given.strip().encode(), self._token):
            raise refusal(401, "Unauthorized", "Unauthorized")
