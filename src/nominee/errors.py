"""Every exception that nominee raises on purpose.

::

    NomineeError
    ├── ConfigError                 the configuration is wrong, found before anything runs
    │   ├── UnknownPluginError      it names a plugin that nobody provides
    │   └── PluginConflictError     two plugins claim the same name or the same exclusive place
    ├── InputError                  a case, object, quantity or selector is malformed
    ├── PluginError                 a plugin raised; cause chained; the pod backs off, the scheduler lives
    ├── ApiError                    the API server said no
    │   ├── Unauthorized            401
    │   ├── Forbidden               403
    │   ├── NotFound                404
    │   ├── Conflict                409
    │   ├── Expired                 410
    │   ├── Invalid                 422
    │   └── TooManyRequests         429, carries retry_after
    ├── TransportError              the API server did not answer
    ├── StorageError                the data directory or its disk does not serve
    └── InternalError               an invariant broke: a bug in nominee

Expected outcomes ("does not fit", "no victims help") are values and never appear here.
``exit_code`` is what a command ends with when the error reaches the top.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Self


def words_of(error: BaseException) -> str:
    """What an error says; its type where it says nothing, or can not even say that."""
    try:
        text = str(error)
    except Exception:  # noqa: BLE001 - a plugin's own class may raise in here too
        text = ""
    return text or type(error).__name__


def shown(value: object) -> str:
    """A value in a message; its type where it can not show itself."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 - as above
        text = f"<{type(value).__name__}>"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


_SHOWN = 200


class NomineeError(Exception):
    """The root of the tree: catch it where any failure of nominee is handled alike."""

    exit_code = 1


class _LocatedError(NomineeError):
    """An error in something the user wrote, which therefore says where."""

    exit_code = 2

    def __init__(
        self,
        message: str,
        *,
        source: str | None = None,
        line: int | None = None,
        field: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.source = source
        self.line = line
        self.field = field

    def at(self, *, source: str | None = None, line: int | None = None, field: str | None = None) -> Self:
        """Add what the caller knows of the place and return the same error, to be raised again.

        The code that finds a bad quantity knows neither file nor field, so each caller on the way up
        adds its share: ``source`` and ``line`` stay as first given, ``field`` grows at the front.
        """
        self.source = self.source if self.source is not None else source
        self.line = self.line if self.line is not None else line
        self.field = _join(field, self.field)
        return self

    def __str__(self) -> str:
        """Render one line: ``cases.jsonl:3: pod.spec.priority: message``."""
        place = ":".join(str(part) for part in (self.source, self.line) if part is not None)
        parts = [part for part in (place, self.field, self.message) if part]
        return " ".join(": ".join(parts).split("\n"))


def _join(outer: str | None, inner: str | None) -> str | None:
    if not (outer and inner):
        return outer or inner
    return f"{outer}{inner}" if inner.startswith("[") else f"{outer}.{inner}"


class ConfigError(_LocatedError):
    """The configuration is wrong: names the file, the field and what is allowed there."""


class UnknownPluginError(ConfigError):
    """The configuration names a plugin that nobody provides."""


class PluginConflictError(ConfigError):
    """Two plugins claim the same name, or the same place of which there is only one."""


class InputError(_LocatedError):
    """A case, an object, a quantity or a selector is malformed."""


class PluginError(NomineeError):
    """A plugin raised: this pod's attempt fails, the scheduler goes on; the cause is chained."""

    def __init__(self, plugin: str, extension_point: str) -> None:
        super().__init__(plugin, extension_point)
        self.plugin = plugin
        self.extension_point = extension_point

    def __str__(self) -> str:
        """Name the plugin to blame, and what it raised where that is known."""
        blame = f"plugin {self.plugin!r} failed in {self.extension_point}"
        return f"{blame}: {shown(self.__cause__)}" if self.__cause__ is not None else blame

    @property
    def said(self) -> str:
        """What the plugin itself raised, in its words."""
        return words_of(self.__cause__) if self.__cause__ is not None else str(self)


class ApiError(NomineeError):
    """The API server answered, and the answer was no.

    ``reason`` is what it said for people, ``body`` its `Status` object where it sent one, ``warnings``
    what it had to remark before it refused.
    """

    def __init__(self, status: int, reason: str, body: dict[str, Any] | None = None) -> None:
        super().__init__(status, reason)
        self.status = status
        self.reason = reason
        self.body = body
        self.warnings: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Render the server's own words with its status."""
        return f"the API server answered {self.status}: {self.reason}"


class Unauthorized(ApiError):
    """401: the credentials are missing or not accepted."""


class Forbidden(ApiError):
    """403: the credentials are good, the permission is missing."""


class NotFound(ApiError):
    """404: the object does not exist (any more)."""


class Conflict(ApiError):
    """409: somebody else wrote first, or the object exists already."""


class Expired(ApiError):
    """410: the version asked for is older than the server's window; list again."""


class Invalid(ApiError):
    """422: the object breaks a rule of its kind."""


class TooManyRequests(ApiError):
    """429: come back after ``retry_after`` seconds, or when you like where it is None."""

    def __init__(
        self,
        status: int,
        reason: str,
        retry_after: float | None = None,
        body: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(status, reason, body)
        self.retry_after = retry_after


API_ERRORS: Mapping[int, type[ApiError]] = MappingProxyType(
    {401: Unauthorized, 403: Forbidden, 404: NotFound, 409: Conflict, 410: Expired, 422: Invalid}
)
"""By status, what a refusal is; all others are plain `ApiError`, and 429 carries more than they do."""


class TransportError(NomineeError):
    """The API server did not answer: no connection, a broken one, or a deadline passed.

    ``sent`` is False if the request never left, so that the server can not have acted on it.
    """

    def __init__(self, message: str, *, sent: bool = True) -> None:
        super().__init__(message)
        self.sent = sent


class StorageError(NomineeError):
    """The data directory can not be used, or its disk has failed: what was not acknowledged is lost."""


class InternalError(NomineeError):
    """An invariant broke. This is a bug in nominee, never the user's fault."""
