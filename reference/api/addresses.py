"""IP addresses, as the API server reads them in fields that are older than its strictness.

Source: apimachinery ``util/validation`` (ip.go), ``k8s.io/utils/net``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import IPv4Address, IPv6Address, ip_address

from reference.api.quoting import go_quote

_ZEROS = re.compile(r"(?<![0-9a-fA-F])0+(?=[0-9a-fA-F])")


def address_faults(text: str, *, strict: bool) -> list[str]:
    """``strict``: an address may have no form that means something else elsewhere."""
    if _parsed(_ZEROS.sub("", text)) is None:
        return ["must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)"]
    if not strict:
        return []
    address = _parsed(text)
    if address is None:
        return ["must not have leading 0s"]
    return ["must not be an IPv4-mapped IPv6 address"] if _mapped(address) else []


def address_warnings(text: str, path: str, *, strict: bool) -> Iterator[str]:
    """The warning about an address that is taken, but not written as it should be, if there is one.

    ``strict``: the server refuses such an address in an object that is new.
    """
    address = _parsed(text)
    if address is None or _mapped(address):
        read = address or _parsed(_ZEROS.sub("", text))
        use = read and (_mapped(read) or read)
        wrong = "is invalid" if strict else "will be considered invalid in a future Kubernetes release"
        yield f"{path}: non-standard IP address {go_quote(text)} {wrong}: use {go_quote(str(use))}"
    elif isinstance(address, IPv6Address) and address.compressed != text:
        canonical = go_quote(address.compressed)
        yield f"{path}: IPv6 address {go_quote(text)} should be in RFC 5952 canonical format ({canonical})"


def _parsed(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return None if "%" in text else ip_address(text)
    except ValueError:
        return None


def _mapped(address: IPv4Address | IPv6Address) -> IPv4Address | None:
    return address.ipv4_mapped if isinstance(address, IPv6Address) else None
