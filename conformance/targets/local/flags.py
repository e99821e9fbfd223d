"""The command lines of a local control plane's components: in come ports and credentials, out go flags.

Only what the Deployment's world needs runs.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from conformance.targets.local.credentials import LOOPBACK, Credentials, Identity

DEPLOYMENT_CONTROLLER = ("deployment-controller",)
OTHER_CONTROLLERS = (
    "garbage-collector-controller",
    "namespace-controller",
    "replicaset-controller",
    "serviceaccount-controller",
)
_REQUESTS_PER_SECOND = 1000
"""Instead of upstream's 20: a limit of the client, that only makes the suite slow."""


class Ports(msgspec.Struct, frozen=True, kw_only=True):
    """All on 127.0.0.1."""

    etcd: int
    etcd_peer: int
    api_server: int
    deployment_controller: int
    other_controllers: int


def etcd(directory: Path, ports: Ports, credentials: Credentials) -> list[str]:
    """Data in ``directory``; only this run's certificates are let in."""
    client, peer = f"https://{LOOPBACK}:{ports.etcd}", f"https://{LOOPBACK}:{ports.etcd_peer}"
    return _flags(
        name="default",
        data_dir=directory / "etcd",
        listen_client_urls=client,
        advertise_client_urls=client,
        listen_peer_urls=peer,
        initial_advertise_peer_urls=peer,
        initial_cluster=f"default={peer}",
        unsafe_no_fsync="true",  # the data goes with the run
        log_level="warn",
        cert_file=credentials.server.certificate,
        key_file=credentials.server.key,
        client_cert_auth="true",
        trusted_ca_file=credentials.authority,
        peer_cert_file=credentials.server.certificate,
        peer_key_file=credentials.server.key,
        peer_client_cert_auth="true",
        peer_trusted_ca_file=credentials.authority,
    )


def kube_apiserver(
    directory: Path, ports: Ports, credentials: Credentials, authorization: str, bind: str = LOOPBACK
) -> list[str]:
    """Whoever has a certificate of this run is let in, and any ServiceAccount. It listens on the address ``bind``."""
    return _flags(
        bind_address=bind,
        advertise_address=LOOPBACK,
        secure_port=ports.api_server,
        cert_dir=directory,
        tls_cert_file=credentials.server.certificate,
        tls_private_key_file=credentials.server.key,
        client_ca_file=credentials.authority,
        allow_privileged="true",  # as clusters are made by kubeadm, kind and clouds
        anonymous_auth="false",
        authorization_mode=authorization,
        etcd_servers=f"https://{LOOPBACK}:{ports.etcd}",
        etcd_cafile=credentials.authority,
        etcd_certfile=credentials.admin.certificate,
        etcd_keyfile=credentials.admin.key,
        service_account_issuer="https://kubernetes.default.svc",
        service_account_key_file=credentials.service_accounts.certificate,
        service_account_signing_key_file=credentials.service_accounts.key,
        service_cluster_ip_range="10.0.0.0/24",
        endpoint_reconciler_type="none",
        enable_priority_and_fairness="false",
        profiling="false",
    )


def kube_controller_manager(
    directory: Path, port: int, kubeconfig: Path, controllers: tuple[str, ...], credentials: Credentials
) -> list[str]:
    """Upstream's controllers, as upstream sets them, but for the client's rate limit."""
    return _flags(
        bind_address=LOOPBACK,
        secure_port=port,
        cert_dir=directory,
        tls_cert_file=credentials.server.certificate,
        tls_private_key_file=credentials.server.key,
        client_ca_file=credentials.authority,
        kubeconfig=kubeconfig,
        controllers=",".join(controllers),
        leader_elect="false",
        kube_api_qps=_REQUESTS_PER_SECOND,
        kube_api_burst=2 * _REQUESTS_PER_SECOND,
        profiling="false",
    )


def reference_controller(port: int, kubeconfig: Path) -> list[str]:
    """The reference live, as upstream's runs beside it."""
    return [
        "--no-leader-elect",
        *_flags(
            kubeconfig=kubeconfig,
            health_host=LOOPBACK,
            health_port=port,
            kube_api_qps=_REQUESTS_PER_SECOND,
            kube_api_burst=2 * _REQUESTS_PER_SECOND,
        ),
    ]


def kubeconfig(server: str, credentials: Credentials, identity: Identity) -> bytes:
    """A kubeconfig for ``server`` as ``identity``, whose certificate goes unused over plain HTTP. JSON is YAML, too."""
    cluster = {"server": server, "certificate-authority": str(credentials.authority)}
    user = {"client-certificate": str(identity.certificate), "client-key": str(identity.key)}
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "local", "cluster": cluster}],
        "users": [{"name": "local", "user": user}],
        "contexts": [{"name": "local", "context": {"cluster": "local", "user": "local"}}],
        "current-context": "local",
    }
    return json.dumps(document, indent=2).encode()


def _flags(**values: object) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in values.items()]
