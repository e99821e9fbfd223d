"""What a run may say of its target, whichever that is: the values of pytest's options of the same names."""

from __future__ import annotations

from pathlib import Path

import msgspec

from conformance.targets.protocol import TargetError

OF_TARGETS: dict[str, tuple[str, str]] = {
    "binaries": (
        "DIR",
        "local: where the control plane's programs are, instead of building them; KUBEBUILDER_ASSETS: where that says",
    ),
    "controller": ("NAME", "local: who reconciles Deployments: upstream (default), reference, or none of ours"),
    "controller_command": ("COMMAND", "local: starts a Deployment controller of yours, with {kubeconfig} in it"),
    "kubeconfig": ("FILE", "kubeconfig: the file, instead of KUBECONFIG or ~/.kube/config"),
    "context": ("NAME", "kubeconfig: which cluster of the file; the current context is never taken"),
    "namespace_prefix": ("TEXT", "any cluster: what the names of the namespaces begin with"),
    "image": ("IMAGE", "kubeconfig: what Pods run on nodes; container, kind: what the cluster is made of"),
    "keep": ("", "kind: keep the cluster that was made"),
    "reuse": ("NAME", "kind: the cluster to use, instead of making one"),
}
"""The options that are for some targets only, as fields of ``Options``: what stands for the value, if any, and help."""


class Options(msgspec.Struct, frozen=True, kw_only=True):
    """Each target takes those that mean something to it; what is empty was not said."""

    kubernetes: str = ""
    """The minor version to run, or to behave as."""
    binaries: Path | None = None
    """A folder of release binaries to run."""
    controller: str = ""
    """Who reconciles Deployments."""
    controller_command: str = ""
    """Starts the user's own Deployment controller."""
    kubeconfig: Path | None = None
    context: str = ""
    """Which cluster of the kubeconfig."""
    namespace_prefix: str = ""
    """What the names of all namespaces that are made begin with."""
    image: str = ""
    """What the Pods run where nodes run them; of targets that make their cluster, what they make it of."""
    keep: bool = False
    """The cluster that was made stays."""
    reuse: str = ""
    """Which cluster to use instead of making one."""

    def only(self, target: str, *names: str) -> None:
        """Raises TargetError if more was said than the target has a use for."""
        for name in self.__struct_fields__:
            if name not in names and getattr(self, name):
                raise TargetError(f"--{name.replace('_', '-')} means nothing to target {target}: leave it out")
