"""What a kubeconfig says, and what is wrong with it."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from nominee.client import Access, Trust, load_access
from nominee.client.credentials import Certificate, Proof
from nominee.errors import ConfigError, TransportError
from nominee.model.kubernetes_yaml import KubernetesDumper

Write = Callable[..., Path]
CA = "-----BEGIN CERTIFICATE-----\nca\n-----END CERTIFICATE-----\n"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def config(
    cluster: dict[str, Any] | None = None, user: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "https://host:6443", **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": "ns"}}],
        "current-context": "x",
        **more,
    }


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(data: Any, name: str = "config") -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(data if isinstance(data, str) else yaml.dump(data, Dumper=KubernetesDumper))
        return path

    return write


def load(path: Path, context: str | None = None) -> Access:
    return load_access(path, context, environ={})


async def proof(access: Access) -> Proof:
    return access.credentials.ready() or await access.credentials.renew()


def error(path: Path, context: str | None = None) -> str:
    with pytest.raises(ConfigError) as caught:
        load(path, context)
    text = str(caught.value)
    assert "\n" not in text
    assert caught.value.exit_code == 2
    return text.replace(str(path.parent) + "/", "")


# -- where it is looked for ---------------------------------------------------------------------------


def test_the_file_that_was_named_wins(write: Write, tmp_path: Path) -> None:
    named = write(config({"server": "https://named"}))
    other = write(config({"server": "https://other"}), "other")
    environ = {"KUBECONFIG": str(other), "HOME": str(tmp_path)}
    assert load_access(named, environ=environ).server == "https://named"
    assert load_access(environ=environ).server == "https://other"


def test_else_it_is_in_the_home_directory(write: Write, tmp_path: Path) -> None:
    write(config(), ".kube/config")
    assert load_access(environ={"HOME": str(tmp_path)}).server == "https://host:6443"


def test_else_it_is_the_account_of_the_pod(write: Write, tmp_path: Path) -> None:
    for name, text in (("token", "secret\n"), ("ca.crt", CA), ("namespace", "ns")):
        write(text, f"account/{name}")
    environ = {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}
    access = load_access(environ=environ, account=tmp_path / "account")
    assert (access.server, access.namespace) == ("https://[fd00::1]:443", "ns")
    assert access.trust == Trust(authorities=CA)


async def test_the_token_of_the_pod_is_read_again(write: Write, tmp_path: Path) -> None:
    for name, text in (("token", "first"), ("ca.crt", CA)):
        write(text, f"account/{name}")
    environ = {"KUBERNETES_SERVICE_HOST": "h", "KUBERNETES_SERVICE_PORT": "443"}
    access = load_access(environ=environ, account=tmp_path / "account")
    assert await proof(access) == Proof("Bearer first")
    write("second", "account/token")
    assert await proof(access) == Proof("Bearer first")
    assert await access.credentials.renew(Proof("Bearer first")) == Proof("Bearer second")


def test_nothing_anywhere(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no kubeconfig found: give --kubeconfig FILE, or set KUBECONFIG"):
        load_access(environ={"HOME": str(tmp_path)}, account=tmp_path)


def test_a_named_file_must_exist(tmp_path: Path) -> None:
    assert error(tmp_path / "config") == "config: can not read the kubeconfig: no such file or directory"


def test_one_file_of_the_variable_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"KUBECONFIG: /nowhere: no such file"):
        load_access(environ={"KUBECONFIG": "/nowhere", "HOME": str(tmp_path)})


# -- merging ----------------------------------------------------------------------------------------


def test_the_first_file_to_name_something_has_its_say(write: Write) -> None:
    first = config({"server": "https://first"}) | {"contexts": [], "users": [], "current-context": ""}
    second = config({"server": "https://second"}, {"token": "t"})
    paths = os.pathsep.join(map(str, (write(first, "first"), Path("/nowhere"), write(second, "second"))))
    assert load_access(environ={"KUBECONFIG": paths}).server == "https://first"


async def test_paths_are_relative_to_the_file_they_stand_in(write: Write) -> None:
    write("ca", "one/ca.crt")
    write("secret", "two/token")
    first = config({"certificate-authority": "ca.crt"}) | {"users": []}
    second = config(user={"tokenFile": "token"})
    paths = os.pathsep.join(map(str, (write(first, "one/config"), write(second, "two/config"))))
    access = load_access(environ={"KUBECONFIG": paths})
    assert access.trust.authorities == "ca"
    assert await proof(access) == Proof("Bearer secret")


def test_empty_files_say_nothing(write: Write) -> None:
    paths = os.pathsep.join(map(str, (write("", "empty"), write(config()))))
    assert load_access(environ={"KUBECONFIG": paths}).server == "https://host:6443"


def test_null_is_nothing(write: Write) -> None:
    access = load(write(config(users=None, contexts=[{"name": "x", "context": {"cluster": "c"}}])))
    assert access.credentials.ready() == Proof()


# -- contexts -----------------------------------------------------------------------------------------


def test_a_context_by_name(write: Write) -> None:
    contexts = [
        {"name": "x", "context": {"cluster": "c", "user": "u"}},
        {"name": "y", "context": {"cluster": "c", "user": "u", "namespace": "other"}},
    ]
    path = write(config(contexts=contexts))
    assert (load(path).namespace, load(path, "y").namespace) == ("default", "other")


def test_an_unknown_context(write: Write) -> None:
    assert error(write(config()), "z") == "config: --context: no context named 'z': there is 'x'"


def test_no_context(write: Write) -> None:
    assert error(write(config() | {"current-context": ""})) == (
        "config: current-context: no context is chosen: give --context, one of 'x'"
    )


def test_a_current_context_that_is_not_there(write: Write) -> None:
    path = write(config() | {"current-context": "z"})
    assert error(path) == "config: current-context: no context named 'z': there is 'x'"


@pytest.mark.parametrize(("what", "kept"), [("cluster", "clusters"), ("user", "users")])
def test_a_context_that_points_nowhere(write: Write, what: str, kept: str) -> None:
    path = write(config() | {kept: []})
    name = what[0]
    assert error(path) == f"config: contexts[x].context.{what}: no {what} named {name!r}: there is none"


# -- clusters -----------------------------------------------------------------------------------------


def test_trust(write: Write) -> None:
    cluster = {"certificate-authority-data": encoded(CA), "tls-server-name": "kubernetes"}
    assert load(write(config(cluster))).trust == Trust(authorities=CA, server_name="kubernetes")


def test_data_wins_over_files(write: Write) -> None:
    cluster = {"certificate-authority-data": encoded(CA), "certificate-authority": "/nowhere"}
    assert load(write(config(cluster))).trust.authorities == CA


def test_servers_are_verified_unless_told_otherwise(write: Write) -> None:
    assert not load(write(config())).trust.insecure
    assert load(write(config({"insecure-skip-tls-verify": True}))).trust.insecure


def test_verifying_and_not_verifying(write: Write) -> None:
    path = write(config({"insecure-skip-tls-verify": True, "certificate-authority": "ca"}))
    assert error(path).startswith(
        "config: clusters[c].cluster.insecure-skip-tls-verify: can not be true beside"
    )


def test_a_proxy(write: Write) -> None:
    assert load(write(config({"proxy-url": "http://proxy:3128"}))).proxy == "http://proxy:3128"


def test_a_proxy_of_the_environment(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("https_proxy", "http://proxy:3128")
    assert load(write(config())).proxy == "http://proxy:3128"
    monkeypatch.setenv("NO_PROXY", "host")
    assert load(write(config())).proxy is None


@pytest.mark.parametrize("proxy", ["socks5://proxy", "http://proxy:port", "proxy:3128", "http://"])
def test_a_proxy_that_is_not_supported(write: Write, proxy: str) -> None:
    path = write(config({"proxy-url": proxy}))
    assert error(path) == (
        f"config: clusters[c].cluster.proxy-url: {proxy!r} is not supported: expected http://HOST:PORT"
    )


@pytest.mark.parametrize("server", ["", "host:6443", "ftp://host", "https://", "https://host:port"])
def test_a_server_that_is_no_address(write: Write, server: str) -> None:
    assert "clusters[c].cluster.server: " in error(write(config({"server": server})))


def test_a_missing_authority(write: Write) -> None:
    path = write(config({"certificate-authority": "ca.crt"}))
    assert error(path).endswith("can not read 'ca.crt': no such file or directory")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{", "config: not valid YAML: "),
        ("[]", "config: expected a YAML or JSON mapping"),
        ("clusters: 3", "config: clusters: expected 'array', got 'int'"),
        (
            "clusters: [{cluster: {server: 3}}]",
            "config: clusters[0].cluster.server: expected 'str', got 'int'",
        ),
    ],
)
def test_what_is_no_kubeconfig(write: Write, text: str, expected: str) -> None:
    assert error(write(text)).startswith(expected)


def test_data_that_is_not_base64(write: Write) -> None:
    path = write(config({"certificate-authority-data": "%%"}))
    assert error(path).startswith("config: clusters[0].cluster.certificate-authority-data: invalid base64")


# -- users ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({}, Proof()),
        ({"token": "t"}, Proof("Bearer t")),
        ({"username": "me", "password": "pä"}, Proof("Basic bWU6cMOk")),
        ({"token": "t", "username": "me"}, Proof("Bearer t")),
        ({"token": "t", "tokenFile": "/nowhere"}, Proof("Bearer t")),
        (
            {"client-certificate-data": encoded("chain"), "client-key-data": encoded("key")},
            Proof(None, Certificate("chain", "key")),
        ),
    ],
)
async def test_ways_to_prove_who_one_is(write: Write, user: dict[str, Any], expected: Proof) -> None:
    assert await proof(load(write(config(user=user)))) == expected


async def test_a_file_that_is_being_replaced_is_not_missed(write: Write) -> None:
    token = write("secret", "token")
    access = load(write(config(user={"tokenFile": "token"})))
    good = await proof(access)
    token.unlink()
    assert await access.credentials.renew() == good
    with pytest.raises(TransportError, match=r"no new credentials.*can not read"):
        await access.credentials.renew(refused=good)


@pytest.mark.parametrize(
    ("user", "expected"),
    [
        ({"client-certificate-data": encoded("x")}, "client-key: is missing beside client-certificate"),
        ({"client-key-data": encoded("x")}, "client-certificate: is missing beside client-key: give both"),
        ({"tokenFile": "nowhere"}, "tokenFile: can not read 'nowhere': no such file or directory"),
        ({"auth-provider": {"name": "gcp"}}, "auth-provider: is not supported any more: use `exec`"),
        ({"as-groups": ["g"]}, "as-groups: needs `as` beside it"),
        ({"exec": {"apiVersion": "client.authentication.k8s.io/v1"}}, "exec.command: is missing"),
        ({"exec": {"command": "c"}}, "exec.apiVersion: '' is not supported: expected one of client"),
        (
            {"exec": {"command": "c", "apiVersion": "client.authentication.k8s.io/v1"}},
            "exec.interactiveMode: expected one of Never, IfAvailable, Always, got ''",
        ),
    ],
)
def test_what_is_wrong_with_a_user(write: Write, user: dict[str, Any], expected: str) -> None:
    assert error(write(config(user=user))).startswith(f"config: users[u].user.{expected}")


def test_an_empty_token_file(write: Write) -> None:
    write("\n", "token")
    assert error(write(config(user={"tokenFile": "token"}))).endswith("is empty: expected a token")


def test_impersonation(write: Write) -> None:
    user = {"as": "jane", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": {"k/x": ["v"]}}
    assert load(write(config(user=user))).headers == (
        ("Impersonate-User", "jane"),
        ("Impersonate-Uid", "7"),
        ("Impersonate-Group", "a"),
        ("Impersonate-Group", "b"),
        ("Impersonate-Extra-k%2Fx", "v"),
    )
