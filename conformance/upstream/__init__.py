"""Upstream's own programs, built from this project's Go module `upstream/` and kept in the user's cache.

`ensure("controlplane", "1.37")` is the path of a working program: at once when it was built before, else after a build
that shows its progress on stderr. `components("1.37")` says how to start etcd, kube-apiserver and
kube-controller-manager: from that program, or from a folder of release binaries. Whatever stands in the way is an
`UpstreamUnavailable`, in one sentence.
"""

from conformance.upstream.build import ensure
from conformance.upstream.components import Components, components
from conformance.upstream.errors import UpstreamUnavailable
from conformance.upstream.versions import supported

__all__ = ["Components", "UpstreamUnavailable", "components", "ensure", "supported"]
