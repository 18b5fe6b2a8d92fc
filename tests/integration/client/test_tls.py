"""Whom a client believes, and what it shows: certificates made on the spot."""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from nominee.client import Access, Client, Trust, load_access
from nominee.client.credentials import Certificate, FileCredentials, Fixed, Proof
from nominee.client.tls import tls_context
from nominee.errors import ConfigError, TransportError
from tests.integration.client.conftest import Pauses
from tests.integration.client.stub import StubServer, answer, serving


@dataclass(frozen=True)
class Identity:
    """A certificate with its key."""

    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    @property
    def key_pem(self) -> str:
        encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
        return self.key.private_bytes(encoding, form, serialization.NoEncryption()).decode()

    @property
    def shown(self) -> Certificate:
        return Certificate(self.pem, self.key_pem)


def issue(name: str, by: Identity | None = None, *names: x509.GeneralName) -> Identity:
    """A certificate for a name, issued by an authority, or by itself, which makes it one."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(by.certificate.subject if by else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=by is None, path_length=None), critical=True)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return Identity(builder.sign(by.key if by else key, hashes.SHA256()), key)


CA = issue("authority")
SERVER = issue("server", CA, x509.IPAddress(ip_address("127.0.0.1")))
NAMED = issue("server", CA, x509.DNSName("kubernetes.default"))
JANE = issue("jane", CA)


def server_context(folder: Path, identity: Identity, *, asks: bool = False) -> ssl.SSLContext:
    path = folder / "server.pem"
    path.write_text(identity.pem + identity.key_pem)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cadata=CA.pem)
    context.load_cert_chain(path)
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT  # as servers in Go: 3.13 has become stricter
    if asks:
        context.verify_mode = ssl.CERT_REQUIRED
    return context


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[StubServer]:
    async with serving(server_context(tmp_path, SERVER)) as stub:
        stub.on("GET", "/version", answer({}))
        yield stub


async def asked(access: Access) -> bytes:
    async with Client(access, attempts=1) as client:
        return await client.raw("/version")


async def test_a_server_with_a_certificate_of_the_authority(server: StubServer) -> None:
    assert await asked(Access(server=server.url, trust=Trust(authorities=CA.pem))) == b"{}"


@pytest.mark.parametrize("authorities", [None, issue("somebody else").pem])
async def test_a_server_that_is_not_trusted(server: StubServer, authorities: str | None) -> None:
    with pytest.raises(TransportError) as caught:
        await asked(Access(server=server.url, trust=Trust(authorities=authorities)))
    text = str(caught.value)
    assert text.startswith("the server's certificate is not trusted: ")
    assert text.endswith("check certificate-authority")
    assert not server.asked


async def test_a_server_nobody_looks_at(server: StubServer) -> None:
    assert await asked(Access(server=server.url, trust=Trust(insecure=True))) == b"{}"


async def test_another_name_than_the_address(tmp_path: Path) -> None:
    async with serving(server_context(tmp_path, NAMED)) as server:
        server.on("GET", "/version", answer({}))
        trust = Trust(authorities=CA.pem, server_name="kubernetes.default")
        assert await asked(Access(server=server.url, trust=trust)) == b"{}"
        with pytest.raises(TransportError, match=r"not trusted: .*127\.0\.0\.1"):
            await asked(Access(server=server.url, trust=Trust(authorities=CA.pem)))


async def test_a_client_certificate(tmp_path: Path) -> None:
    async with serving(server_context(tmp_path, SERVER, asks=True)) as server:
        server.on("GET", "/version", answer({}))
        trust = Trust(authorities=CA.pem)
        shown = Fixed(Proof(certificate=JANE.shown))
        assert await asked(Access(server=server.url, trust=trust, credentials=shown)) == b"{}"
        with pytest.raises(TransportError):
            await asked(Access(server=server.url, trust=trust))


async def test_a_new_certificate_is_shown_on_new_connections(tmp_path: Path, pauses: Pauses) -> None:
    shown = [JANE.shown, issue("jane", CA).shown]
    seen: list[object] = []

    async def who(request: object) -> object:
        transport = request.transport  # type: ignore[attr-defined]
        seen.append(transport.get_extra_info("peercert")["serialNumber"])
        return await answer({})(request)  # type: ignore[arg-type]

    async with serving(server_context(tmp_path, SERVER, asks=True)) as server:
        server.on("GET", "/version", who)  # type: ignore[arg-type]
        credentials = FileCredentials(lambda: Proof(certificate=shown[0]), monotonic=lambda: 0.0)
        access = Access(server=server.url, trust=Trust(authorities=CA.pem), credentials=credentials)
        async with Client(access, sleep=pauses) as client:
            await client.raw("/version")
            await client.raw("/version")
            del shown[0]
            await credentials.renew()
            await client.raw("/version")
    assert len(seen) == 3
    assert seen[0] == seen[1] != seen[2]


async def test_files_that_are_replaced_one_after_the_other(tmp_path: Path) -> None:
    """Between the two the old pair is shown: the new certificate and the old key are none."""
    certificate, key = tmp_path / "jane.crt", tmp_path / "jane.key"
    certificate.write_text(JANE.pem)
    key.write_text(JANE.key_pem)
    credentials = load_access(kubeconfig(tmp_path, certificate, key)).credentials
    assert await credentials.renew() == Proof(None, JANE.shown)
    again = issue("jane", CA)
    certificate.write_text(again.pem)
    assert await credentials.renew() == Proof(None, JANE.shown)
    key.write_text(again.key_pem)
    assert await credentials.renew() == Proof(None, again.shown)


def test_files_that_do_not_belong_together(tmp_path: Path) -> None:
    certificate, key = tmp_path / "jane.crt", tmp_path / "server.key"
    certificate.write_text(JANE.pem)
    key.write_text(SERVER.key_pem)
    with pytest.raises(ConfigError, match="certificate and key do not work together"):
        load_access(kubeconfig(tmp_path, certificate, key))


def kubeconfig(folder: Path, certificate: Path, key: Path) -> Path:
    """One whose user has a certificate in files."""
    user = {"client-certificate": str(certificate), "client-key": str(key)}
    config = {
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:6443"}}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    path = folder / "config"
    path.write_text(json.dumps(config))
    return path


@pytest.mark.parametrize(
    ("trust", "certificate", "expected"),
    [
        (Trust(authorities="hello"), None, "f: certificate-authority: holds no certificate in PEM: "),
        (
            Trust(insecure=True),
            Certificate("hello", "world"),
            "f: client-certificate: certificate and key do not work",
        ),
        (
            Trust(insecure=True),
            Certificate(JANE.pem, CA.key_pem),
            "f: client-certificate: certificate and key do not work",
        ),
    ],
)
def test_what_is_wrong_is_named(trust: Trust, certificate: Certificate | None, expected: str) -> None:
    with pytest.raises(ConfigError) as caught:
        tls_context(trust, certificate, "f")
    assert str(caught.value).startswith(expected)


async def test_a_server_that_speaks_no_tls(server: StubServer) -> None:
    async with serving() as plain:
        url = plain.url.replace("http:", "https:")
        with pytest.raises(TransportError) as caught:
            await asked(Access(server=url, trust=Trust(authorities=CA.pem)))
    assert not caught.value.sent
    assert not server.asked
