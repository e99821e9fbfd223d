"""The proxy between one controller and the API server: it decides when the controller sees what.

The controller talks plain HTTP to a loopback port; the proxy adds its own credentials and passes everything on
over TLS, byte for byte in both directions. ``hold`` keeps back what informers of a resource would see from now
on, ``release`` delivers all of it in order. ``journal`` tells what was asked and answered, so that a scenario can
prove that the controller really took the path it is about.

The parts: ``asked`` says what a request is to Kubernetes, ``rules`` decides what becomes of it, ``peer`` is HTTP
over asyncio streams, ``server`` carries the bytes, and this module runs it all in a thread of its own.
"""

from conformance.targets.proxy.asked import Asked, Exchange
from conformance.targets.proxy.server import Upstream
from conformance.targets.proxy.thread import Proxy

__all__ = ["Asked", "Exchange", "Proxy", "Upstream"]
