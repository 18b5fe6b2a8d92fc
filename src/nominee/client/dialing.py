"""Making connections: to the server itself or through a proxy, with TLS where the address says so."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
import ssl
from urllib.parse import SplitResult, unquote, urlsplit

from nominee.client.access import Access
from nominee.client.connection import Connection, notice_vanished_peers
from nominee.errors import TransportError

CONNECT_SECONDS = 10.0
_PORTS = {"https": 443, "http": 80}


class Dialer:
    """Makes connections to the server of an `Access`."""

    def __init__(self, access: Access) -> None:
        self._server = urlsplit(access.server)
        self._proxy = urlsplit(access.proxy) if access.proxy else None
        self._way = f" through the proxy {_host(self._proxy)}" if self._proxy else ""
        self._name = access.trust.server_name or self._server.hostname or ""

    @property
    def secure(self) -> bool:
        """Whether connections are to be encrypted."""
        return self._server.scheme == "https"

    @property
    def host(self) -> str:
        """The server as the Host header has it."""
        return _host(self._server)

    @property
    def prefix(self) -> str:
        """What stands before each path: the server's own path; for a proxy the whole address."""
        whole = self._proxy is not None and not self.secure
        origin = f"{self._server.scheme}://{self.host}" if whole else ""
        return origin + self._server.path.rstrip("/")

    async def dial(self, context: ssl.SSLContext | None) -> Connection:
        """Make a connection. Raises TransportError that says what is in the way."""
        try:
            async with asyncio.timeout(CONNECT_SECONDS):
                return await self._dial(context)
        except ssl.SSLCertVerificationError as error:
            why = f"the server's certificate is not trusted: {error.verify_message}"
            raise TransportError(f"{why}; check certificate-authority", sent=False) from None
        except TimeoutError:
            raise self._unreachable("it does not answer") from None
        except ssl.SSLError as error:
            why = (error.reason or str(error)).replace("_", " ").lower()
            raise self._unreachable(f"no TLS: {why}") from None
        except (OSError, UnicodeError) as error:
            raise self._unreachable(_why(error)) from None

    def _unreachable(self, why: str) -> TransportError:
        return TransportError(f"no connection to the API server{self._way}: {why}", sent=False)

    async def _dial(self, context: ssl.SSLContext | None) -> Connection:
        loop = asyncio.get_running_loop()
        if self._proxy is not None:
            return await self._dial_through(self._proxy, context)
        connection = Connection(loop)
        host, port = _address(self._server)
        name = self._name if context is not None else None
        transport, _ = await loop.create_connection(
            lambda: connection, host, port, ssl=context, server_hostname=name
        )
        notice_vanished_peers(transport)
        return connection

    async def _dial_through(self, proxy: SplitResult, context: ssl.SSLContext | None) -> Connection:
        loop = asyncio.get_running_loop()
        connection = Connection(loop)
        transport, _ = await loop.create_connection(lambda: connection, *_address(proxy))
        notice_vanished_peers(transport)
        if context is None:
            return connection
        host, port = _address(self._server)
        there = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        request = f"CONNECT {there} HTTP/1.1\r\nHost: {there}\r\n{_authorization(proxy)}\r\n"
        answer = await connection.begin(request.encode("ascii"), CONNECT_SECONDS)
        if answer.status >= 300:
            connection.close()
            raise TransportError(f"the proxy {_host(proxy)} answered {answer.status}", sent=False)
        secured = await loop.start_tls(connection.transport, connection, context, server_hostname=self._name)
        if secured is None:
            raise ConnectionResetError
        connection.upgraded(secured)
        return connection


def _address(url: SplitResult) -> tuple[str, int]:
    return url.hostname or "", url.port or _PORTS[url.scheme]


def _authorization(proxy: SplitResult) -> str:
    if not proxy.username:
        return ""
    user = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return f"Proxy-Authorization: Basic {base64.b64encode(user.encode()).decode()}\r\n"


def _host(url: SplitResult) -> str:
    """Host and port as they stand there, without the credentials before them."""
    return url.netloc.rpartition("@")[2]


def _why(error: OSError | UnicodeError) -> str:
    if isinstance(error, socket.gaierror) or not isinstance(error, OSError) or error.errno is None:
        return str(getattr(error, "strerror", None) or error).lower()
    return os.strerror(error.errno).lower()
