"""The local target: a real etcd, API server and controller managers on loopback, for one run.

``target`` is what the run sees; ``flags`` are the components' command lines, ``credentials`` what they prove
themselves with, ``ports`` where they listen, ``processes`` and ``supervisor`` keep them alive exactly as long as
the run, and ``queues`` tells whether the controllers are idle.
"""

from conformance.targets.local.target import LocalTarget

__all__ = ["LocalTarget"]
