"""TLS contexts: whom to believe, and what to show."""

from __future__ import annotations

import ssl
import tempfile
from pathlib import Path

from nominee.client.access import Trust
from nominee.client.credentials import Certificate
from nominee.errors import ConfigError


def tls_context(trust: Trust, certificate: Certificate | None, source: str = "") -> ssl.SSLContext:
    """A context for connections to the server; it verifies unless `trust` says otherwise in so many words."""
    context = _trusting_anybody() if trust.insecure else _trusting(trust, source)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if certificate is not None:
        _show(context, certificate, source)
    return context


def check_pair(certificate: Certificate, source: str = "") -> None:
    """Raise ConfigError unless the key is that of the certificate."""
    _show(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), certificate, source)


def _trusting(trust: Trust, source: str) -> ssl.SSLContext:
    try:
        # Given no authorities of its own, create_default_context believes those of the system.
        context = ssl.create_default_context(cadata=trust.authorities or None)
    except (ssl.SSLError, ValueError) as error:
        message = f"holds no certificate in PEM: {_why(error)}"
        raise ConfigError(message, source=source or None, field="certificate-authority") from None
    # Python 3.13 asks for extensions that many a cluster's certificates lack, and that kubectl does not miss.
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _trusting_anybody() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def _show(context: ssl.SSLContext, certificate: Certificate, source: str) -> None:
    # The ssl module reads certificates from files only.
    with tempfile.TemporaryDirectory(prefix="nominee-") as folder:  # mode 0700
        path = Path(folder) / "client.pem"
        path.write_text(f"{certificate.chain}\n{certificate.key}\n")
        try:
            context.load_cert_chain(path, password="")
        except (ssl.SSLError, ValueError) as error:
            message = f"certificate and key do not work together: {_why(error)}"
            raise ConfigError(message, source=source or None, field="client-certificate") from None


def _why(error: ssl.SSLError | ValueError) -> str:
    reason = getattr(error, "reason", None) or str(error)
    return str(reason).replace("_", " ").lower()
