"""API server, scheduler, controllers and simulated nodes: one process, one event loop, one store."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Self

from nominee.apiserver.assembly import rest_of
from nominee.apiserver.http.front import Front
from nominee.apiserver.http.server import Server, tls_context
from nominee.apiserver.openapi.documents import OpenApi
from nominee.apiserver.rest import Rest
from nominee.driver.clock import SystemClock
from nominee.driver.collector import let_be, look_rarely
from nominee.embedded.agenda import Agenda, AgendaTimer
from nominee.embedded.bootstrap import bootstrap
from nominee.embedded.controllers.access import Access
from nominee.embedded.controllers.runner import Controllers
from nominee.embedded.kubeconfig import write_kubeconfig
from nominee.embedded.kubelet import Kubelets
from nominee.embedded.nodes import SimulatedNodes
from nominee.embedded.options import Options, url
from nominee.embedded.pki import credentials
from nominee.embedded.scheduling import Scheduling
from nominee.embedded.workers import make_controllers
from nominee.errors import InputError, StorageError
from nominee.store.memory import MemoryStore
from nominee.store.sqlite import SqliteStore

KUBECONFIG = "kubeconfig"


class ControlPlane:
    """Use it as an async context: inside, it answers.

    `failed` is done when it can not go on; awaiting it raises why.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._stack = AsyncExitStack()
        self.clock = SystemClock()
        self.failed: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.url = ""
        self.kubeconfig = Path()
        self.rest: Rest

    async def __aenter__(self) -> Self:
        async with AsyncExitStack() as stack:
            try:
                await self._start(stack)
            except StorageError as error:  # so far, what does not serve is what we were told to use
                raise InputError(str(error)) from None
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._stack.aclose()

    async def _start(self, stack: AsyncExitStack) -> None:
        """In this order, and back: who reads and writes is there no longer than what it needs."""
        look_rarely(young=200_000, middle=50)
        options = self._options
        directory = options.data or Path(stack.enter_context(TemporaryDirectory(prefix="nominee-")))
        store = self._open_store()
        stack.callback(store.close)
        self.rest = rest_of(store, clock=self.clock, features=options.features)
        bootstrap(self.rest)
        self._start_controllers(stack)
        self._start_nodes(stack)
        if options.scheduler is not None:
            scheduling = Scheduling(self.rest, options.scheduler, self.clock)
            scheduling.start()
            stack.push_async_callback(scheduling.stop)
        let_be()
        await self._serve(stack, directory)

    def _open_store(self) -> MemoryStore:
        if self._options.data is None:
            return MemoryStore()
        return SqliteStore(self._options.data, on_failure=self._fail)

    def _fail(self, error: StorageError) -> None:
        if not self.failed.done():
            self.failed.set_exception(error)

    def _start_controllers(self, stack: AsyncExitStack) -> None:
        access = Access(self.rest, self.clock)
        controllers = Controllers(access, make_controllers(access))
        controllers.start()
        stack.callback(controllers.stop)
        stack.push_async_callback(_cancel, asyncio.create_task(controllers.run(), name="controllers"))

    def _start_nodes(self, stack: AsyncExitStack) -> None:
        agenda = Agenda(self.clock)
        timer = AgendaTimer(agenda)
        nodes = SimulatedNodes(self.rest, agenda)
        kubelets = Kubelets(self.rest, agenda, nodes)
        stack.callback(nodes.start())
        stack.callback(kubelets.start())
        stack.callback(timer.stop)
        nodes.create(self._options.nodes)
        timer.start()

    async def _serve(self, stack: AsyncExitStack, directory: Path) -> None:
        options = self._options
        known = credentials(directory / "pki", (options.host, options.reachable_at, socket.gethostname()))
        documents = OpenApi(self.rest.registry)
        server = Server(Front(self.rest, known.token, documents=documents))
        with _listening(options.host, options.port):
            port = await server.start(options.host, options.port, tls_context(known.certificate, known.key))
        stack.push_async_callback(server.stop)
        self.url = url(options.reachable_at, port)
        self.kubeconfig = options.kubeconfig or directory / KUBECONFIG
        write_kubeconfig(self.kubeconfig, self.url, known.ca, known.token)


@contextlib.contextmanager
def _listening(host: str, port: int) -> Iterator[None]:
    """What keeps us from listening is told in a line."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            problem = "in use: name another one, or 0 for any that is free"
            raise InputError(problem, source=f"--port {port}") from None
        why = error.strerror or str(error)
        raise InputError(f"can not listen there: {why}", source=f"--listen {host} --port {port}") from None


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def run(options: Options, stopped: asyncio.Event, on_ready: Callable[[ControlPlane], None]) -> None:
    """Be a control plane until `stopped`; raises what ends it before."""
    async with ControlPlane(options) as plane:
        on_ready(plane)
        stopping = asyncio.ensure_future(stopped.wait())
        await asyncio.wait((stopping, plane.failed), return_when=asyncio.FIRST_COMPLETED)
        stopping.cancel()
        if plane.failed.done():
            plane.failed.result()
        plane.failed.cancel()
