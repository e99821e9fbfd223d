"""Any cluster that a kubeconfig names, as a target that leaves everything there as it was.

``target`` is what the run sees; ``rights`` says what has to be allowed and asks whether it is; ``observations`` finds
out what the cluster is.
"""

from conformance.targets.cluster.target import ClusterTarget, named

__all__ = ["ClusterTarget", "named"]
