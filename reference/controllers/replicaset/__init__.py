"""The ReplicaSet controller.

``controller`` is where to begin; ``ranking`` says which Pods go first, ``status`` what a ReplicaSet reports,
``pod_control`` makes the requests, ``consistency`` keeps it from acting on a stale cache.
"""

from reference.controllers.replicaset.controller import ReplicaSetController

__all__ = ["ReplicaSetController"]
