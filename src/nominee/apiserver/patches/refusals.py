"""The answers to patches that can not be applied.

apiserver/pkg/endpoints/handlers/patch.go, v1.37. Kubernetes keeps the cause of a failed JSON patch to
itself; here the exception carries it as its `__cause__`, for the log.
"""

from __future__ import annotations

from nominee.apiserver.status import bad_request, refusal
from nominee.errors import ApiError

__all__ = ["bad_request", "rejected", "too_large", "unprocessable"]


def unprocessable() -> ApiError:
    """422 without a field: the patch does not fit the object."""
    return refusal(422, "Invalid", "the server rejected our request due to an error in our request")


def too_large(why: str) -> ApiError:
    """413: more than the server is willing to do."""
    return refusal(413, "RequestEntityTooLarge", f"Request entity too large: {why}")


def rejected(why: str) -> ApiError:
    """422 that says why.

    kube-apiserver answers with 500 here: its patch library has no type for these errors. They are the
    client's, and a client must not retry them.
    """
    return refusal(422, "Invalid", why)
