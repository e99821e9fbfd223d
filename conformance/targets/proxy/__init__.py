"""The proxy between one controller and the API server: it decides when the controller sees what.

The controller talks plain HTTP to a loopback port; the proxy adds its own credentials and passes everything on
over TLS, byte for byte in both directions. ``hold`` keeps back what informers of a resource would see from now
on, ``release`` delivers all of it in order; ``break_watches`` and ``expire_watches`` cut it off; ``inject`` has chosen
calls refused, left unanswered or answered late. ``journal``, ``struck`` and ``requests`` tell what was asked and
answered, so that a scenario can prove that the controller really took the path it is about.

Each watcher that is to see something else than the others needs a proxy, with its port, to itself.

The parts: ``asked`` says what a request is to Kubernetes (``bodies`` the name of what it creates), ``rules`` decides
what becomes of it, ``peer`` is HTTP over asyncio streams, ``server`` carries the bytes, and ``thread`` runs it all
beside code that is not asynchronous.
"""

from conformance.targets.proxy.asked import Asked, Exchange
from conformance.targets.proxy.server import Upstream
from conformance.targets.proxy.thread import Proxy

__all__ = ["Asked", "Exchange", "Proxy", "Upstream"]
