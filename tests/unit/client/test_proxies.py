"""Which proxy the environment names for a server, and which servers are reached without one."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from nominee.client.proxies import proxy_of_environment
from nominee.errors import ConfigError


def proxy(server: str, **environ: str) -> str | None:
    return proxy_of_environment(urlsplit(server), environ)


def test_each_scheme_has_its_own() -> None:
    environ = {"HTTPS_PROXY": "http://secure:3128", "http_proxy": "http://plain:3128"}
    assert proxy("https://host", **environ) == "http://secure:3128"
    assert proxy("http://host", **environ) == "http://plain:3128"
    assert proxy("https://host") is None


def test_a_scheme_may_be_left_out() -> None:
    assert proxy("https://host", HTTPS_PROXY="proxy:3128") == "http://proxy:3128"


@pytest.mark.parametrize("text", ["socks5://proxy:1080", "https://proxy", "http://proxy:port", "http://"])
def test_what_is_not_supported_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match="expected http://HOST:PORT") as raised:
        proxy("https://host", https_proxy=text)
    assert "$https_proxy" in str(raised.value)


@pytest.mark.parametrize("server", ["https://localhost:1", "https://127.0.0.7", "https://[::1]:6443"])
def test_this_machine_needs_none(server: str) -> None:
    assert proxy(server, HTTPS_PROXY="proxy:1") is None


@pytest.mark.parametrize(
    ("no_proxy", "server"),
    [
        ("*", "https://host"),
        ("other, host", "https://host"),
        ("corp.example", "https://api.corp.example"),
        (".corp.example", "https://api.corp.example"),
        ("*.corp.example", "https://api.corp.example"),
        ("host:6443", "https://host:6443"),
        ("10.96.0.1", "https://10.96.0.1:443"),
        ("10.96.0.0/12", "https://10.100.0.1"),
        ("fd00::/8", "https://[fd12::1]:6443"),
        ("[fd12::1]:6443", "https://[fd12::1]:6443"),
        ("HOST", "https://Host"),
    ],
)
def test_exceptions(no_proxy: str, server: str) -> None:
    assert proxy(server, HTTPS_PROXY="proxy:1", NO_PROXY=no_proxy) is None


@pytest.mark.parametrize(
    ("no_proxy", "server"),
    [
        (".corp.example", "https://corp.example"),
        ("corp.example", "https://mycorp.example"),
        ("host:6443", "https://host"),
        ("10.96.0.0/12", "https://10.200.0.1"),
        ("10.96.0.0/12", "https://host"),
        ("0.0.1", "https://10.0.0.1"),
        ("no/network", "https://host"),
        ("", "https://host"),
    ],
)
def test_no_exceptions(no_proxy: str, server: str) -> None:
    assert proxy(server, HTTPS_PROXY="proxy:1", NO_PROXY=no_proxy) == "http://proxy:1"
