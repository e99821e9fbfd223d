"""Where an API server is, and who we are to it."""

from __future__ import annotations

import ssl
from typing import Any

import httpx
import msgspec

JSON = "application/json"
USER_AGENT = "deployment-conformance"


class Credentials(httpx.Auth):
    """What proves to a server who we are, and can be had anew when the server no longer takes it."""

    def renew(self) -> None:
        """Reads them again from where they come from. Raises TargetError if they can't be had."""
        raise NotImplementedError


class Address(msgspec.Struct, frozen=True):
    """Where an API server is and who we are to it: a client certificate in ``tls``, or what ``auth`` adds."""

    url: str
    tls: ssl.SSLContext | None = None
    auth: httpx.Auth | None = None
    proxy: str | None = None
    """The URL of an HTTP proxy on the way there."""

    def client_options(self) -> dict[str, Any]:
        """What an httpx client is made with. Proxies and credentials of the environment are not looked at."""
        return {
            "base_url": self.url,
            "headers": {"User-Agent": USER_AGENT},
            "verify": self.tls or True,
            "auth": self.auth,
            "proxy": self.proxy,
            "trust_env": False,
        }
