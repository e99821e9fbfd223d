"""Any cluster that a kubeconfig names, as a target that leaves everything there as it was.

``target`` is what the run sees; ``rights`` says what it may have to do and asks whether it may; ``observations`` finds
out what the cluster is; ``leftovers`` removes what killed runs have left.
"""

from conformance.targets.cluster.target import ClusterTarget

__all__ = ["ClusterTarget"]
