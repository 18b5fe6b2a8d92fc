"""Who we are to clients: a certificate authority of our own, a server certificate, a token.

They are made once and kept beside the data, so that a kubeconfig stays good across restarts.
"""

from __future__ import annotations

import ssl
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from secrets import token_urlsafe

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from nominee.embedded.files import read, write_private
from nominee.errors import StorageError

CA_DAYS, SERVER_DAYS, RENEW_DAYS = 3650, 365, 30
NAMES = ("localhost", "127.0.0.1", "::1", "kubernetes", "kubernetes.default", "kubernetes.default.svc")

Key = ec.EllipticCurvePrivateKey


@dataclass(frozen=True, slots=True)
class Credentials:
    """What the server shows, and what it wants to see; `ca` is what clients check it by."""

    ca: bytes
    token: str
    certificate: Path
    key: Path

    def tls(self) -> ssl.SSLContext:
        """The server's side of TLS."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        context.load_cert_chain(self.certificate, self.key)
        return context


def credentials(directory: Path, hosts: Sequence[str], now: datetime | None = None) -> Credentials:
    """Those kept in a directory; what is missing, has run out or is for other hosts is made."""
    now = now or datetime.now(UTC)
    authority = Authority(directory, now)
    certificate, key = directory / "server.crt", directory / "server.key"
    wanted = list(dict.fromkeys((*NAMES, *hosts)))
    if not _serves(read(certificate), read(key), authority.certificate, wanted, now):
        own = ec.generate_private_key(ec.SECP256R1())
        write_private(key, _pem_of(own))
        write_private(certificate, authority.sign(own, wanted))
    return Credentials(authority.pem, _token(directory / "token"), certificate, key)


class Authority:
    """The certificate authority of a directory."""

    def __init__(self, directory: Path, now: datetime) -> None:
        self._now = now
        certificate, key = read(directory / "ca.crt"), read(directory / "ca.key")
        if certificate is None or key is None or _runs_out(_parse(certificate, directory), now):
            own = ec.generate_private_key(ec.SECP256R1())
            certificate, key = self._own_certificate(own), _pem_of(own)
            write_private(directory / "ca.key", key)
            write_private(directory / "ca.crt", certificate)
        self.pem = certificate
        self.certificate = _parse(certificate, directory)
        self._key = _parse_key(key, directory)

    def _own_certificate(self, key: Key) -> bytes:
        name = _named("nominee")
        usage = x509.KeyUsage(
            digital_signature=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            key_cert_sign=True,
            crl_sign=True,
            encipher_only=False,
            decipher_only=False,
        )
        builder = (
            self._builder(name, name, key, CA_DAYS)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(usage, critical=True)
            .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        )
        return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def sign(self, key: Key, hosts: Sequence[str]) -> bytes:
        """A server's certificate for these names and addresses."""
        issuer = self.certificate.subject
        own = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            self._builder(_named("nominee-apiserver"), issuer, key, SERVER_DAYS)
            .add_extension(x509.SubjectAlternativeName([_general(host) for host in hosts]), critical=False)
            .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(own, critical=False)
        )
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def _builder(self, subject: x509.Name, issuer: x509.Name, key: Key, days: int) -> x509.CertificateBuilder:
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(issuer)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(self._now - timedelta(hours=1))  # clocks differ
            .not_valid_after(self._now + timedelta(days=days))
        )


def _serves(
    pem: bytes | None, key: bytes | None, issuer: x509.Certificate, hosts: Sequence[str], now: datetime
) -> bool:
    """Whether a certificate is ours, good for some time yet, and for all of these hosts."""
    if pem is None or key is None:
        return False
    try:
        certificate = x509.load_pem_x509_certificate(pem)
        certificate.verify_directly_issued_by(issuer)
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        own = serialization.load_pem_private_key(key, None).public_key() == certificate.public_key()
    except (ValueError, TypeError, InvalidSignature, x509.ExtensionNotFound):
        return False  # whatever is wrong with it, a new one is made
    return own and not _runs_out(certificate, now) and all(_general(host) in list(names) for host in hosts)


def _runs_out(certificate: x509.Certificate, now: datetime) -> bool:
    return certificate.not_valid_after_utc - now < timedelta(days=RENEW_DAYS)


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _general(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def _pem_of(key: Key) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )


def _parse(pem: bytes, directory: Path) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(pem)
    except ValueError:
        raise StorageError(f"{directory / 'ca.crt'}: not a certificate: remove it to get a new one") from None


def _parse_key(pem: bytes, directory: Path) -> Key:
    try:
        key = serialization.load_pem_private_key(pem, None)
    except (ValueError, TypeError):
        key = None
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        raise StorageError(f"{directory / 'ca.key'}: not a private key: remove it to get a new one")
    return key


def _token(path: Path) -> str:
    found = (read(path) or b"").decode("ascii", "ignore").strip()
    if not found:
        found = token_urlsafe(32)
        write_private(path, f"{found}\n".encode())
    return found
