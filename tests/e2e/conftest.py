"""Fixtures of the live tests: one control plane for all, a namespace and a clean cluster for each."""

from __future__ import annotations

import itertools
import os
from collections.abc import AsyncIterator, Generator, Iterator
from pathlib import Path

import pytest

from tests.e2e.harness.api import Api
from tests.e2e.harness.audit import AuditLog
from tests.e2e.harness.control_plane import ADMIN, ControlPlane
from tests.e2e.harness.process import Process
from tests.e2e.harness.schedulers import KINDS, Scheduler, Starter
from tests.e2e.harness.world import World

NUMBERS = itertools.count(1)
PROCESSES = pytest.StashKey[list[Process]]()


def pytest_runtest_setup() -> None:
    if "NOMINEE_KUBERNETES_TESTS" not in os.environ:
        pytest.skip("needs a real API server: make test-kubernetes")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Show how the schedulers' logs end where a test failed."""
    report = yield
    if report.when == "call" and report.failed:
        for process in item.stash.get(PROCESSES, []):
            report.sections.append((f"end of {process.log_path.name}", process.log_tail()))
    return report


@pytest.fixture(scope="session")
def control_plane(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    """The one that all tests share; who restarts it with other gates restores them."""
    plane = ControlPlane(tmp_path_factory.mktemp("control-plane"))
    try:
        plane.start()
        yield plane
    finally:
        plane.stop()


@pytest.fixture
async def world(control_plane: ControlPlane) -> AsyncIterator[World]:
    token, authority = control_plane.tokens[ADMIN], control_plane.pki.authority
    async with Api.connect(control_plane.url, token, authority) as api:
        world = await World.create(api, f"test-{next(NUMBERS)}")
        yield world
        await world.clear()


@pytest.fixture
def audit(control_plane: ControlPlane) -> AuditLog:
    """The schedulers' writes from now on."""
    return AuditLog(control_plane.audit_path)


@pytest.fixture
def start(
    request: pytest.FixtureRequest,
    control_plane: ControlPlane,
    world: World,  # noqa: ARG001  (asked for, so that schedulers end before their world does)
    tmp_path: Path,
) -> Iterator[Starter]:
    """Start schedulers; they end with the test."""
    starter = Starter(control_plane, tmp_path)
    request.node.stash[PROCESSES] = starter.started
    yield starter
    starter.stop()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    """The schedulers of which the same is expected."""
    return str(request.param)


@pytest.fixture
def scheduler(start: Starter, kind: str) -> Scheduler:
    """A running scheduler with the default configuration."""
    return start(kind)
