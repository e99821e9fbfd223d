"""The garbage collector.

``controller`` is where to begin; ``builder`` keeps the ``graph`` from what the informers show, ``operations`` makes
the requests.
"""

from reference.controllers.garbage_collector.controller import GarbageCollector

__all__ = ["GarbageCollector"]
