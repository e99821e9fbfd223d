"""The simulated API server.

``server`` answers requests, from controllers and from users; ``documents`` stands at the door, between JSON and
values. What becomes of a write is said by ``strategies`` (kind by kind), ``metadata``, ``admission``, ``deletion``,
``namespaces`` and ``scale``; ``journal`` tells what was written. The store itself is ``reference.machinery.store``.
"""
