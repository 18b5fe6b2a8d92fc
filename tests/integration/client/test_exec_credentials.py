"""Credentials from a program: scripts that say what they were asked, and answer from a file."""

from __future__ import annotations

import asyncio
import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from nominee.client import Access, Client, load_access
from nominee.client.credentials import Certificate, Proof
from nominee.client.exec_credentials import ExecCredentials
from nominee.client.kubeconfig_file import read_kubeconfig
from nominee.errors import ConfigError, Unauthorized
from nominee.model.kubernetes_yaml import KubernetesDumper
from tests.integration.client.conftest import Pauses
from tests.integration.client.stub import StubServer, answer, status

SCRIPT = f"""#!{sys.executable} -IS
import json, os, pathlib, sys
here = pathlib.Path(__file__).parent
calls = here / "calls"
info = json.loads(os.environ["KUBERNETES_EXEC_INFO"])
said = {{"args": sys.argv[1:], "info": info, "env": os.environ.get("OWN")}}
with calls.open("a") as file:
    file.write(json.dumps(said) + "\\n")
answers = (here / "answers").read_text().splitlines()
number = len(calls.read_text().splitlines())
print(answers[min(number, len(answers)) - 1])
"""
V1 = "client.authentication.k8s.io/v1"
V1BETA1 = "client.authentication.k8s.io/v1beta1"


class Program:
    """A program beside a kubeconfig that names it."""

    def __init__(self, folder: Path, server: str) -> None:
        self.folder = folder
        self.server = server
        script = folder / "login"
        script.write_text(SCRIPT)
        script.chmod(script.stat().st_mode | stat.S_IXUSR)

    def answers(self, *statuses: dict[str, Any], version: str = V1) -> None:
        lines = [
            json.dumps({"apiVersion": version, "kind": "ExecCredential", "status": each}) for each in statuses
        ]
        self.says(*lines)

    def says(self, *lines: str) -> None:
        (self.folder / "answers").write_text("\n".join(lines))

    def access(self, cluster: dict[str, Any] | None = None, **settings: Any) -> Access:
        return load_access(self.kubeconfig(cluster, **settings), environ={})

    def kubeconfig(self, cluster: dict[str, Any] | None = None, **settings: Any) -> Path:
        settings = {"command": "./login", "apiVersion": V1, "interactiveMode": "Never", **settings}
        path = self.folder / "config"
        data = {
            "clusters": [{"name": "c", "cluster": {"server": self.server, **(cluster or {})}}],
            "users": [{"name": "u", "user": {"exec": settings}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
        path.write_text(yaml.dump(data, Dumper=KubernetesDumper))
        return path

    @property
    def calls(self) -> list[dict[str, Any]]:
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


@pytest.fixture
def program(tmp_path: Path, server: StubServer) -> Program:
    return Program(tmp_path, server.url)


async def test_a_token(program: Program) -> None:
    program.answers({"token": "t"})
    credentials = program.access(args=["--for", "me"], env=[{"name": "OWN", "value": "v"}]).credentials
    assert credentials.ready() is None
    assert await credentials.renew() == Proof("Bearer t")
    assert credentials.ready() == Proof("Bearer t")
    (call,) = program.calls
    assert (call["args"], call["env"]) == (["--for", "me"], "v")
    assert call["info"] == {"apiVersion": V1, "kind": "ExecCredential", "spec": {"interactive": False}}


async def test_the_older_version(program: Program) -> None:
    program.answers({"token": "t"}, version=V1BETA1)
    access = program.access(apiVersion=V1BETA1, interactiveMode="")
    assert await access.credentials.renew() == Proof("Bearer t")
    assert program.calls[0]["info"]["apiVersion"] == V1BETA1


async def test_a_certificate_with_a_token(program: Program) -> None:
    program.answers({"token": "t", "clientCertificateData": "chain", "clientKeyData": "key"})
    assert await program.access().credentials.renew() == Proof("Bearer t", Certificate("chain", "key"))


async def test_it_is_told_of_the_cluster_if_it_wants_to(program: Program) -> None:
    program.answers({"token": "t"})
    extension = {"name": "client.authentication.k8s.io/exec", "extension": {"audience": "a"}}
    cluster = {"certificate-authority-data": "Y2E=", "tls-server-name": "n", "extensions": [extension]}
    await program.access(cluster, provideClusterInfo=True).credentials.renew()
    assert program.calls[0]["info"]["spec"]["cluster"] == {
        "server": program.server,
        "tls-server-name": "n",
        "certificate-authority-data": "Y2E=",
        "config": {"audience": "a"},
    }


async def test_it_is_found_in_the_path(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    program.answers({"token": "t"})
    monkeypatch.setenv("PATH", f"{program.folder}{os.pathsep}{os.environ['PATH']}")
    assert await program.access(command="login").credentials.renew() == Proof("Bearer t")


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


async def test_it_runs_again_before_its_answer_expires(program: Program) -> None:
    program.answers(
        {"token": "first", "expirationTimestamp": "1970-01-01T00:10:00Z"},
        {"token": "second", "expirationTimestamp": "1970-01-01T00:20:00Z"},
    )
    config = read_kubeconfig([program.kubeconfig()])
    clock = Clock()
    user, cluster = config.users["u"], config.clusters["c"].entry
    credentials = ExecCredentials(user, cluster, program.access().trust, clock=clock)
    assert await credentials.renew() == Proof("Bearer first")
    clock.now = 589.0
    assert credentials.ready() == Proof("Bearer first")
    clock.now = 590.0
    assert credentials.ready() is None
    assert await credentials.renew() == Proof("Bearer second")


async def test_it_runs_again_when_its_answer_is_refused(
    program: Program, server: StubServer, pauses: Pauses
) -> None:
    program.answers({"token": "first"}, {"token": "second"})
    server.on("GET", "/version", status(401, "Unauthorized"), answer({"major": "1"}))
    async with Client(program.access(), sleep=pauses) as client:
        assert await client.raw("/version") == b'{"major": "1"}'
    assert [each.headers["Authorization"] for each in server.asked] == ["Bearer first", "Bearer second"]


async def test_a_program_that_fails_later_may_be_well_again(
    program: Program, server: StubServer, pauses: Pauses
) -> None:
    """At first what is wrong must be mended; of a running process it costs a pause."""
    program.answers({"token": "first"}, {"token": "second"})
    first, second = (program.folder / "answers").read_text().splitlines()
    program.says(first, "not now", second)
    refusal = status(401, "Unauthorized")
    server.on("GET", "/version", answer({}), refusal, refusal, answer({}))
    async with Client(program.access(), sleep=pauses) as client:
        await client.raw("/version")
        await client.raw("/version")
    assert server.asked[-1].headers["Authorization"] == "Bearer second"
    assert len(pauses.taken) == 1


async def test_refused_for_good(program: Program, server: StubServer, pauses: Pauses) -> None:
    program.answers({"token": "same"})
    server.on("GET", "/version", status(401, "Unauthorized"))
    async with Client(program.access(), sleep=pauses) as client:
        for _ in range(3):
            with pytest.raises(Unauthorized):
                await client.raw("/version")
    assert len(program.calls) <= 2


async def test_many_requests_ask_once(program: Program, server: StubServer) -> None:
    program.answers({"token": "t"})
    server.on("GET", "/version", answer({}))
    async with Client(program.access()) as client:
        await asyncio.gather(*(client.raw("/version") for _ in range(10)))
    assert len(program.calls) == 1


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("hello", "'./login' did not write an ExecCredential: "),
        (
            "{}",
            f"'./login' wrote 'nothing of the kind': expected '{V1} ExecCredential'",
        ),
        (
            json.dumps({"apiVersion": V1BETA1, "kind": "ExecCredential"}),
            f"'./login' wrote '{V1BETA1} ExecCredential': expected",
        ),
        (
            json.dumps({"apiVersion": V1, "kind": "ExecCredential"}),
            "'./login' wrote an ExecCredential without",
        ),
        (
            json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": {}}),
            "the program gave neither a token nor a certificate",
        ),
        (
            json.dumps({"apiVersion": V1, "kind": "ExecCredential", "status": {"clientKeyData": "k"}}),
            "the program gave only one of clientCertificateData and clientKeyData",
        ),
        (
            json.dumps(
                {
                    "apiVersion": V1,
                    "kind": "ExecCredential",
                    "status": {"token": "t", "expirationTimestamp": "soon"},
                }
            ),
            "status.expirationTimestamp: 'soon' is not a time",
        ),
    ],
)
async def test_answers_that_are_none(program: Program, line: str, expected: str) -> None:
    program.says(line)
    with pytest.raises(ConfigError) as caught:
        await program.access().credentials.renew()
    assert str(caught.value).startswith(f"{program.folder}/config: users[u].user.exec: {expected}")


async def failure(access: Access) -> str:
    with pytest.raises(ConfigError) as caught:
        await access.credentials.renew()
    return str(caught.value).partition("users[u].user.exec")[2]


async def test_a_program_that_is_not_there(program: Program) -> None:
    access = program.access(command="no-such-program", installHint="get it\nfrom the shop")
    assert await failure(access) == (
        ".command: can not run 'no-such-program': no such file or directory; get it from the shop"
    )


async def test_a_program_that_fails(program: Program) -> None:
    access = program.access(command=sys.executable, args=["-c", "raise SystemExit(3)"])
    assert await failure(access) == f": {sys.executable!r} failed with exit code 3"


async def test_a_program_that_needs_a_terminal(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    access = program.access(interactiveMode="Always")
    assert await failure(access) == ": needs a terminal, and there is none: interactiveMode is 'Always'"


async def test_a_program_that_never_ends(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nominee.client.exec_credentials.LONGEST_SECONDS", 0.2)
    access = program.access(command=sys.executable, args=["-c", "import time; time.sleep(60)"])
    assert "took longer than" in await failure(access)


def test_a_token_of_the_user_wins(program: Program) -> None:
    path = program.kubeconfig()
    data = yaml.safe_load(path.read_text())
    data["users"][0]["user"]["token"] = "t"
    path.write_text(yaml.dump(data, Dumper=KubernetesDumper))
    assert load_access(path, environ={}).credentials.ready() == Proof("Bearer t")
