"""An API server of the tests' own, small enough to say what goes through a proxy, and a watch of its client."""

from __future__ import annotations

import json
import socket
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Empty, Queue
from threading import Event, Thread
from typing import Any

import httpx

SOON = 5.0
A_WHILE = 0.2
DEPLOYMENTS = "/apis/apps/v1/deployments"
REPLICA_SETS = "/apis/apps/v1/replicasets"
ONE = "/apis/apps/v1/namespaces/ns/deployments/web"
THEM = "/apis/apps/v1/namespaces/ns/replicasets"


class SmallServer(ThreadingHTTPServer):
    """An API server of two answers: a watch streams what the test says; all else is echoed."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.sayings: Queue[str] = Queue()
        self.watching = Event()
        self.hung_up = Event()
        self.asked: list[str] = []
        """The method and the path of all requests but watches."""
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def stop(self) -> None:
        self.end_watch()
        self.shutdown()
        self.server_close()

    def say(self, *lines: str) -> None:
        for line in lines:
            self.sayings.put(line)

    def end_watch(self) -> None:
        self.sayings.put("")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: SmallServer

    def do_GET(self) -> None:
        if "watch=1" in self.path:
            self._stream()
        else:
            self._echo()

    def do_POST(self) -> None:
        self._echo()

    def do_PUT(self) -> None:
        self._echo()

    def log_message(self, format: str, *args: Any) -> None:
        """Nothing on stderr."""

    def _echo(self) -> None:
        self.server.asked.append(f"{self.command} {self.path}")
        body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = json.dumps({"path": self.path, "headers": headers, "body": body}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.server.watching.set()
        Thread(target=self._notice_hanging_up, daemon=True).start()
        while line := self.server.sayings.get():
            self.wfile.write(b"%x\r\n%s\n\r\n" % (len(line) + 1, line.encode()))
        self.wfile.write(b"0\r\n\r\n")

    def _notice_hanging_up(self) -> None:
        if not self.connection.recv(1, socket.MSG_PEEK):
            self.server.hung_up.set()
            self.server.end_watch()


class Watch:
    """A client's watch: its lines as they arrive."""

    def __init__(self, url: str, path: str = DEPLOYMENTS) -> None:
        self.ended = Event()
        self._lines: Queue[str] = Queue()
        self._client = httpx.Client(base_url=url, timeout=None, trust_env=False)
        self._answer: httpx.Response | None = None
        self._path = path
        Thread(target=self._read, daemon=True).start()

    def next_line(self) -> str:
        return self._lines.get(timeout=SOON)

    def says_nothing(self) -> bool:
        try:
            self._lines.get(timeout=A_WHILE)
        except Empty:
            return True
        return False

    def hang_up(self) -> None:
        assert self._answer is not None
        self._answer.extensions["network_stream"].get_extra_info("socket").shutdown(socket.SHUT_RDWR)

    def _read(self) -> None:
        try:
            with self._client.stream("GET", self._path, params={"watch": "1", "resourceVersion": "1"}) as answer:
                self._answer = answer
                for line in answer.iter_lines():
                    self._lines.put(line)
        except httpx.TransportError:
            pass
        finally:
            self.ended.set()
