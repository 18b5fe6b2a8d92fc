import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from nominee.embedded.pki import credentials
from nominee.errors import StorageError

NOW = datetime(2030, 1, 1, tzinfo=UTC)


def hosts_of(certificate: Path) -> list[str]:
    parsed = x509.load_pem_x509_certificate(certificate.read_bytes())
    names = parsed.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return [str(name.value) for name in names]


def test_everything_is_made_once(tmp_path: Path) -> None:
    first = credentials(tmp_path, ["127.0.0.1"], NOW)
    certificate = first.certificate.read_bytes()
    assert credentials(tmp_path, ["127.0.0.1"], NOW) == first
    assert first.certificate.read_bytes() == certificate
    assert len(first.token) >= 40


def test_nobody_else_may_read_keys_and_token(tmp_path: Path) -> None:
    credentials(tmp_path / "data", [], NOW)
    modes = {each.name: each.stat().st_mode & 0o777 for each in (tmp_path / "data").iterdir()}
    assert set(modes.values()) == {0o600}
    assert (tmp_path / "data").stat().st_mode & 0o777 == 0o700


def test_the_certificate_is_for_this_machine_and_what_is_asked(tmp_path: Path) -> None:
    made = credentials(tmp_path, ["10.1.2.3", "lab.example"], NOW)
    assert {"localhost", "127.0.0.1", "::1", "10.1.2.3", "lab.example"} <= set(hosts_of(made.certificate))


def test_another_host_gets_another_certificate_of_the_same_authority(tmp_path: Path) -> None:
    first = credentials(tmp_path, [], NOW)
    before = first.certificate.read_bytes()
    second = credentials(tmp_path, ["10.1.2.3"], NOW)
    assert second.ca == first.ca
    assert second.certificate.read_bytes() != before


def test_a_certificate_that_runs_out_is_renewed(tmp_path: Path) -> None:
    first = credentials(tmp_path, [], NOW)
    before = first.certificate.read_bytes()
    credentials(tmp_path, [], NOW + timedelta(days=340))
    assert first.certificate.read_bytes() != before


@pytest.mark.parametrize("name", ["server.crt", "server.key"])
def test_a_spoilt_certificate_is_made_again(tmp_path: Path, name: str) -> None:
    credentials(tmp_path, [], NOW)
    (tmp_path / name).write_bytes(b"nonsense")
    made = credentials(tmp_path, [], NOW)
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(made.certificate, made.key)


@pytest.mark.parametrize("name", ["ca.crt", "ca.key"])
def test_a_spoilt_authority_is_told_of(tmp_path: Path, name: str) -> None:
    credentials(tmp_path, [], NOW)
    (tmp_path / name).write_bytes(b"nonsense")
    with pytest.raises(StorageError, match="remove it to get a new one"):
        credentials(tmp_path, [], NOW)


def test_clients_that_know_the_authority_accept_the_certificate(tmp_path: Path) -> None:
    made = credentials(tmp_path, ["127.0.0.1"])
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(made.certificate, made.key)
    client = ssl.create_default_context(cadata=made.ca.decode())
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    serving = server.wrap_bio(to_server, to_client, server_side=True)
    asking = client.wrap_bio(to_client, to_server, server_hostname="127.0.0.1")
    for _ in range(4):
        for side in (asking, serving):
            try:
                side.do_handshake()
            except ssl.SSLWantReadError:
                continue
    assert asking.version() == "TLSv1.3"
