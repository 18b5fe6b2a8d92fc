"""The token with which a list goes on.

apiserver/pkg/storage/continue.go and pkg/storage/etcd3/errors.go, v1.37.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass

import orjson

from nominee.apiserver.status import bad_request, refusal
from nominee.errors import ApiError

_FORM = "meta.k8s.io/v1"
_LATEST = -1


@dataclass(frozen=True, slots=True)
class Continuation:
    """After which key a list goes on, at which version; -1 is whatever is the latest."""

    version: int
    after: str

    @property
    def consistent(self) -> bool:
        return self.version != _LATEST

    def token(self) -> str:
        """For the client, who need not know what is in it."""
        data = orjson.dumps({"v": _FORM, "rv": self.version, "start": self.after})
        return base64.urlsafe_b64encode(data).decode().rstrip("=")


def read_token(token: str) -> Continuation:
    """What a client has brought back; raises 400 if it is not ours."""
    try:
        data = orjson.loads(base64.b64decode(token + "=" * (-len(token) % 4), altchars=b"-_", validate=True))
    except (ValueError, binascii.Error):
        raise _broken("illegal base64 data") from None
    if not isinstance(data, dict) or data.get("v") != _FORM:
        raise _broken("server does not recognize this encoded version")
    version, after = data.get("rv"), data.get("start")
    if not isinstance(version, int) or not isinstance(after, str) or version < _LATEST or version == 0:
        raise _broken("incorrect encoded start resourceVersion")
    return Continuation(version, after)


def _broken(why: str) -> ApiError:
    return bad_request(f"invalid continue token: continue key is not valid: {why}")


def expired(continuation: Continuation) -> ApiError:
    """410, with a token with which the rest can be had, if not of one moment."""
    error = refusal(
        410,
        "Expired",
        "The provided continue parameter is too old to display a consistent list result. You can start a "
        "new list without the continue parameter, or use the continue token in this response to retrieve "
        "the remainder of the results. Continuing with the provided token results in an inconsistent list "
        "- objects that were created, modified, or deleted between the time the first chunk was returned "
        "and now may show up in the list.",
    )
    if error.body is not None:
        error.body["metadata"] = {"continue": Continuation(_LATEST, continuation.after).token()}
    return error
