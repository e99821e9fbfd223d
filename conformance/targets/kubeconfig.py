"""Kubeconfig files: in come their paths and a context's name, out goes the address that an HTTP client needs.

The official client reads them, so that every way of proving who one is works as it does for kubectl: certificates,
tokens, and credential plug-ins, which are run again when their token expires. Nothing is written to a file of the
user's. What the official client says of a file that it cannot read may quote the file, credentials and all; so it is
never passed on.
"""

from __future__ import annotations

import logging
import os
import ssl
import tempfile
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any

import httpx
import yaml
from kubernetes.client import Configuration
from kubernetes.config import ConfigException, load_kube_config
from kubernetes.config.kube_config import KubeConfigMerger

from conformance.targets.address import Address, Credentials
from conformance.targets.protocol import TargetError
from conformance.threads import in_thread

_DEFAULT = "~/.kube/config"
_HEEDED = {
    "token", "tokenFile", "client-certificate", "client-certificate-data", "client-key", "client-key-data",
    "exec", "auth-provider", "extensions",
}  # fmt: skip
"""What a user may have: were ``as`` passed over, a run would have more rights than it was given."""


def load(context: str, path: Path | None = None) -> Address:
    """The API server of a context, which is named: the file's current one may have been left there by anybody.

    Without a ``path`` it is kubectl's: the files of ``KUBECONFIG``, or ``~/.kube/config``. Raises TargetError, with
    one sentence that quotes no credential.
    """
    files = str(path) if path else os.environ.get("KUBECONFIG") or _DEFAULT
    entries = _entries(files)
    if not context:
        raise TargetError(f"name the cluster by --context: {_known(entries, files)}")
    named = entries["contexts"].get(context)
    if named is None:
        raise TargetError(f"no context is called {context!r}: {_known(entries, files)}")
    user = str(named.get("user", ""))
    for section, name in (("clusters", str(named.get("cluster", ""))), *([("users", user)] if user else [])):
        if name not in entries[section]:
            raise TargetError(
                f"context {context!r} of {files} names {name!r}, and there is no such entry under {section}: add it"
            )
    what, entry = f"context {context!r} of {files}", entries["users"].get(user, {})
    if ignored := sorted(set(entry) - _HEEDED):
        raise TargetError(
            f"{what} can't be used: its user has {', '.join(ignored)}, which is not heeded here: take another"
        )
    plugin = _plugin(entry)

    def read() -> tuple[Any, ssl.SSLContext | None]:
        configuration = Configuration()
        with (
            tempfile.TemporaryDirectory(prefix="deployment-conformance-") as keys,  # in files only as long as it takes
            _in_one_sentence(what, plugin),
        ):
            load_kube_config(files, context, configuration, persist_config=False, temp_file_path=keys)  # type: ignore[no-untyped-call]
            if plugin and not (configuration.api_key or configuration.cert_file):
                raise ConfigException("the plug-in gave nothing")  # which the official client only logs
            return configuration, _tls(configuration) if configuration.host.startswith("https:") else None

    configuration, tls = read()
    _check_url(configuration.host, what, "server")
    if configuration.proxy:
        _check_url(configuration.proxy, what, "proxy-url")
    return Address(
        configuration.host, tls, _Credentials(configuration, what, plugin, lambda: read()[0]), configuration.proxy
    )


def only_context(path: Path) -> str:
    """The name of the one context that the file has. Raises TargetError if there are more, or none."""
    entries = _entries(str(path))
    if len(entries["contexts"]) != 1:
        raise TargetError(f"name the context by --context: {_known(entries, str(path))}")
    return next(iter(entries["contexts"]))


class _Credentials(Credentials):
    """Adds the context's token, if it has one, to each request, a new one when it expires; and the server's TLS name.

    One for all clients of a run, in whichever thread.
    """

    def __init__(self, configuration: Any, context: str, plugin: str, read: Callable[[], Any]) -> None:
        self._configuration = configuration
        self._context = context
        self._plugin = plugin
        self._read = read
        self._lock = Lock()

    def renew(self) -> None:
        with self._lock:
            self._configuration = self._read()

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """A plug-in may take its time, in which the loop goes on."""
        await in_thread(lambda: self.prove(request))
        yield request

    def sync_auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response]:
        self.prove(request)
        yield request

    def prove(self, request: httpx.Request) -> None:
        with self._lock, _in_one_sentence(self._context, self._plugin):
            authorization = self._configuration.get_api_key_with_prefix("BearerToken")
            if authorization and not (authorization.isascii() and authorization.isprintable()):
                raise ValueError("a header cannot hold the token")  # httpx would quote it
        if authorization:
            request.headers["Authorization"] = authorization
        if self._configuration.tls_server_name:
            request.extensions["sni_hostname"] = self._configuration.tls_server_name


_Entries = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""By section and name."""


def _entries(files: str) -> _Entries:
    """What the files have, merged."""
    try:
        merged = KubeConfigMerger(files).config  # type: ignore[no-untyped-call]
        sections = merged.value if merged else {}
        entries = {section: _by_name(section, sections.get(section)) for section in ("clusters", "users", "contexts")}
    except (OSError, ConfigException, yaml.YAMLError, TypeError, AttributeError, KeyError, ValueError) as error:
        raise TargetError(f"{files} is no kubeconfig that can be read: see what `kubectl config view` says") from error
    if merged is None:
        raise TargetError(f"there is no kubeconfig {files}: name one by --kubeconfig, or by KUBECONFIG")
    return entries


def _by_name(section: str, entries: Any) -> Mapping[str, Mapping[str, Any]]:
    """A section's entries; of two of one name the first counts. Raises TypeError, KeyError or AttributeError."""
    found: dict[str, Mapping[str, Any]] = {}
    for entry in entries or ():
        plain = getattr(entry, "value", entry)
        body = plain.get(section.removesuffix("s")) or {}
        if not isinstance(body, Mapping):
            raise TypeError(section)
        found.setdefault(str(plain["name"]), body)
    return found


def _known(entries: _Entries, files: str) -> str:
    names = ", ".join(entries["contexts"])
    return f"{files} has {names}" if names else f"{files} has none"


def _plugin(user: Mapping[str, Any]) -> str:
    plugin = user.get("exec")
    return str(plugin.get("command", "")) if isinstance(plugin, Mapping) else ""


def _check_url(url: str, what: str, field: str) -> None:
    """Raises TargetError if no request can go there, or if it has a password in it: addresses are told to people."""
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL:
        parsed = httpx.URL()
    if parsed.scheme not in ("http", "https") or not parsed.host:
        raise TargetError(f"{what} can't be used: {field} must be a URL with a host, of http or https")
    if parsed.userinfo and field == "server":
        raise TargetError(f"{what} can't be used: {field} has a password in it: give the user its credentials instead")


@contextmanager
def _in_one_sentence(context: str, plugin: str) -> Iterator[None]:
    """Keeps what the official client says, in logs and in errors, to itself."""
    level = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    except (ConfigException, OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        what = f"its credential plug-in {plugin!r} failed" if plugin else "its cluster or user is not as it should be"
        remedy = f"run `{plugin}` by hand" if plugin else "see what `kubectl config view` says"
        raise TargetError(f"{context} can't be used, for {what} ({type(error).__name__}): {remedy}") from None
    finally:
        logging.disable(level)


def _tls(configuration: Any) -> ssl.SSLContext:
    context = ssl.create_default_context(cafile=configuration.ssl_ca_cert)
    if not configuration.verify_ssl:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    if configuration.cert_file:
        context.load_cert_chain(configuration.cert_file, configuration.key_file)
    return context
