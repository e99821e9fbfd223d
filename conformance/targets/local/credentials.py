"""Credentials for one run of a control plane: an authority of its own, and what it signed. Files are mode 0600.

Source: what kube-apiserver and kube-controller-manager take for certificates: the common name is the user, the
organisation the group.
"""

from __future__ import annotations

import os
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

LOOPBACK = "127.0.0.1"
_MAY_DO_ANYTHING = "system:masters"
_LIFETIME = timedelta(days=7)
_CLOCK_SKEW = timedelta(minutes=5)


class Identity:
    """A certificate and its key, as files."""

    def __init__(self, directory: Path, name: str) -> None:
        self.certificate = directory / f"{name}.crt"
        self.key = directory / f"{name}.key"


class Credentials:
    """All that a control plane and its clients need, made in ``directory``."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("deployment-conformance")
        authority = x509.BasicConstraints(ca=True, path_length=0)
        self.authority = directory / "ca.crt"
        write_private(self.authority, _pem(self._signed(self._name, self._key.public_key(), (authority, True))))
        self.server = self._identity("server", _name("localhost"), server=True)
        """Of etcd, the API server and the controller managers alike."""
        self.admin = self._identity("admin", _name("deployment-conformance", _MAY_DO_ANYTHING))
        self.controllers = self._identity("controllers", _name("system:kube-controller-manager", _MAY_DO_ANYTHING))
        self.service_accounts = Identity(directory, "service-accounts")
        """No certificate: the public key in its place."""
        key = ec.generate_private_key(ec.SECP256R1())
        write_private(self.service_accounts.key, _key_pem(key))
        write_private(
            self.service_accounts.certificate,
            key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo),
        )

    def client_context(self, identity: Identity) -> ssl.SSLContext:
        """TLS towards this control plane's servers, as ``identity``."""
        context = ssl.create_default_context(cafile=str(self.authority))
        context.load_cert_chain(identity.certificate, identity.key)
        return context

    def _identity(self, file: str, name: x509.Name, server: bool = False) -> Identity:
        identity = Identity(self._directory, file)
        key = ec.generate_private_key(ec.SECP256R1())
        usages = [ExtendedKeyUsageOID.CLIENT_AUTH, *([ExtendedKeyUsageOID.SERVER_AUTH] if server else [])]
        extensions: list[tuple[x509.ExtensionType, bool]] = [(x509.ExtendedKeyUsage(usages), False)]
        if server:
            names = [x509.DNSName("localhost"), x509.IPAddress(IPv4Address(LOOPBACK))]
            extensions.append((x509.SubjectAlternativeName(names), False))
        write_private(identity.certificate, _pem(self._signed(name, key.public_key(), *extensions)))
        write_private(identity.key, _key_pem(key))
        return identity

    def _signed(
        self, name: x509.Name, key: ec.EllipticCurvePublicKey, *extensions: tuple[x509.ExtensionType, bool]
    ) -> x509.Certificate:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _CLOCK_SKEW)
            .not_valid_after(now + _LIFETIME)
        )
        for extension, critical in extensions:
            builder = builder.add_extension(extension, critical)
        return builder.sign(self._key, SHA256())


def _name(user: str, group: str = "") -> x509.Name:
    attributes = [x509.NameAttribute(NameOID.COMMON_NAME, user)]
    if group:
        attributes.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, group))
    return x509.Name(attributes)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def write_private(path: Path, content: bytes) -> None:
    """A new file that only its owner may read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
