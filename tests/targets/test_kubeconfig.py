"""Kubeconfig files: contexts by name, tokens and plug-ins, and sentences that quote no credential."""

from __future__ import annotations

import json
import ssl
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any

import httpx
import pytest

from conformance.targets.api_server import Address
from conformance.targets.kubeconfig import load
from conformance.targets.local.credentials import Credentials
from conformance.targets.protocol import TargetError
from reference.api.objects import Json

MARKER = "c0ffee-secret"


def written(path: Path, user: Json | None, **cluster: Any) -> Path:
    """A kubeconfig of one context, ``prod``, which is the current one."""
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1", **cluster}}],
        "users": [{"name": "u", "user": user}] if user is not None else [],
        "contexts": [{"name": "prod", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "prod",
    }
    path.write_text(json.dumps(document))
    return path


def sent(address: Address) -> str | None:
    """What a request to the address proves itself with."""
    assert address.auth is not None
    [request] = address.auth.sync_auth_flow(httpx.Request("GET", address.url))
    return dict(request.headers).get("authorization")


def plugin(directory: Path, body: str) -> Json:
    program = directory / "plugin.py"
    program.write_text(body)
    version = "client.authentication.k8s.io/v1"
    return {"exec": {"apiVersion": version, "command": sys.executable, "args": [str(program)], "env": None}}


def test_a_token_is_sent(tmp_path: Path) -> None:
    assert sent(load("prod", written(tmp_path / "config", {"token": MARKER}))) == f"Bearer {MARKER}"


def test_a_user_without_a_plug_in_may_say_so(tmp_path: Path) -> None:
    assert sent(load("prod", written(tmp_path / "config", {"token": MARKER, "exec": None}))) == f"Bearer {MARKER}"


def test_the_files_of_kubeconfig_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    other.write_text("clusters: []\ncontexts: []\nusers: []\n")
    monkeypatch.setenv("KUBECONFIG", f"{other}:{written(tmp_path / 'config', {'token': 't'})}")
    assert sent(load("prod")) == "Bearer t"


def test_a_plug_in_is_asked_again_when_its_token_expires(tmp_path: Path) -> None:
    user = plugin(
        tmp_path,
        "import json, pathlib\n"
        f"file = pathlib.Path({str(tmp_path / 'count')!r})\n"
        "count = int(file.read_text()) + 1 if file.exists() else 1\n"
        "file.write_text(str(count))\n"
        "status = {'token': f't{count}', 'expirationTimestamp': '2020-01-01T00:00:00Z'}\n"
        "print(json.dumps({'apiVersion': 'client.authentication.k8s.io/v1', 'kind': 'ExecCredential',"
        " 'status': status}))\n",
    )
    address = load("prod", written(tmp_path / "config", user))
    assert [sent(address), sent(address)] == ["Bearer t2", "Bearer t3"]


def test_certificates_in_the_file_are_used_twice_and_left_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "keys").mkdir()
    credentials = Credentials(tmp_path / "run")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "keys"))
    user = {
        "client-certificate-data": b64encode(credentials.admin.certificate.read_bytes()).decode(),
        "client-key-data": b64encode(credentials.admin.key.read_bytes()).decode(),
    }
    authority = b64encode(credentials.authority.read_bytes()).decode()
    config = written(
        tmp_path / "config",
        user,
        server="https://127.0.0.1:1",
        **{"certificate-authority-data": authority, "tls-server-name": "localhost"},
    )
    for _ in range(2):
        address = load("prod", config)
        assert address.tls is not None
        assert address.tls.verify_mode is ssl.CERT_REQUIRED
        assert [it["subject"][0][0][1] for it in address.tls.get_ca_certs()] == ["deployment-conformance"]
    assert address.auth is not None
    [request] = address.auth.sync_auth_flow(httpx.Request("GET", address.url))
    assert request.extensions["sni_hostname"] == "localhost"
    assert list((tmp_path / "keys").iterdir()) == []


def test_the_current_context_is_not_taken(tmp_path: Path) -> None:
    config = written(tmp_path / "config", {"token": MARKER})
    with pytest.raises(TargetError, match=r"name the cluster by --context: .*config has prod$"):
        load("", config)
    with pytest.raises(TargetError, match=r"no context is called 'prd': .*config has prod$"):
        load("prd", config)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (None, "there is no kubeconfig .*config: name one by --kubeconfig, or by KUBECONFIG"),
        (f"contexts: [\ntoken: {MARKER}", "is no kubeconfig that can be read"),
        (f"token: {MARKER}", "has none"),
        (f"[{MARKER}]", "is no kubeconfig that can be read"),
        ("contexts: [{context: {}}]", "is no kubeconfig that can be read"),
        (f"contexts: [{{name: prod, context: {MARKER}}}]", "is no kubeconfig that can be read"),
        (f"contexts: [{{name: prod}}]\nusers: [{MARKER}]", "is no kubeconfig that can be read"),
    ],
)
def test_a_file_that_is_none_gets_one_sentence(tmp_path: Path, text: str | None, why: str) -> None:
    config = tmp_path / "config"
    if text is not None:
        config.write_text(text)
    with pytest.raises(TargetError, match=why) as told:
        load("prod", config)
    assert MARKER not in str(told.value)


def test_a_context_without_its_user_says_so(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="names 'u', and there is no such entry under users: add it"):
        load("prod", written(tmp_path / "config", None))


@pytest.mark.parametrize(
    ("user", "why"),
    [
        ({"exec": {"command": "no-such-plugin", "args": [MARKER]}}, "credential plug-in 'no-such-plugin' failed"),
        ({"client-certificate-data": f"?{MARKER}", "client-key-data": MARKER}, "its cluster or user is not as it"),
    ],
)
def test_what_cannot_be_used_is_told_without_what_is_secret(
    tmp_path: Path, user: Json, why: str, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TargetError, match=why) as told:
        load("prod", written(tmp_path / "config", user, server="https://127.0.0.1:1"))
    said = capfd.readouterr()
    assert MARKER not in f"{told.getrepr()}{caplog.text}{said.out}{said.err}"


def test_a_plug_in_that_refuses_is_named(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    user = plugin(tmp_path, f"import sys; sys.exit('{MARKER}')")
    with pytest.raises(TargetError, match=r"credential plug-in .*python.* failed") as told:
        load("prod", written(tmp_path / "config", user))
    assert MARKER not in f"{told.value}{caplog.text}"


@pytest.mark.parametrize(
    ("user", "cluster", "told"),
    [
        ({"token": "t", "as": MARKER}, {}, "its user has as, which is not heeded here"),
        ({"username": "u", "password": MARKER}, {}, "its user has password, username, which is not heeded here"),
        ({"token": "t"}, {"server": f"https://u:{MARKER}@127.0.0.1:1"}, "server has a password in it"),
        ({"token": "t"}, {"server": ""}, "server must be a URL with a host, of http or https"),
        ({"token": "t"}, {"server": "https://"}, "server must be a URL with a host, of http or https"),
        ({"token": "t"}, {"proxy-url": f"gopher://u:{MARKER}@127.0.0.1:1"}, "proxy-url must be a URL with a host"),
    ],
)
def test_what_would_be_passed_over_or_told_is_refused(tmp_path: Path, user: Json, cluster: Json, told: str) -> None:
    with pytest.raises(TargetError) as refused:
        load("prod", written(tmp_path / "config", user, **cluster))
    assert told in str(refused.value)
    assert MARKER not in str(refused.value)


@pytest.mark.parametrize("token", [f"{MARKER}\nmore", f"{MARKER}é"])
def test_a_token_that_no_header_holds_is_not_quoted(tmp_path: Path, token: str) -> None:
    address = load("prod", written(tmp_path / "config", {"token": token}))
    with pytest.raises(TargetError, match="can't be used") as refused:
        sent(address)
    assert MARKER not in str(refused.value)


def test_a_user_may_have_no_plug_in(tmp_path: Path) -> None:
    assert sent(load("prod", written(tmp_path / "config", {"token": "t", "exec": None}))) == "Bearer t"


@pytest.mark.parametrize("section", ["contexts", "clusters", "users"])
@pytest.mark.parametrize("entries", [["prod"], [{}], [None]], ids=repr)
def test_entries_without_a_name_are_one_sentence(tmp_path: Path, section: str, entries: list[object]) -> None:
    config = written(tmp_path / "config", {"token": "t"})
    config.write_text(json.dumps(json.loads(config.read_text()) | {section: entries}))
    with pytest.raises(TargetError, match=r"is no kubeconfig"):
        load("prod", config)
