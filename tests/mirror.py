"""A file server of one's own whose every answer can be spoilt, to fetch from in tests."""

import hashlib
import threading
import time
from collections import Counter
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote, urlsplit

FAULTS = (
    "429", "500", "503", "reset", "cut", "slow", "long", "short", "no range", "wrong range",
    "other bytes",
)  # fmt: skip
"""What an answer may be instead of right; "other bytes" are seen by their SHA-256 alone."""


class Mirror:
    """Files by path, and the fault of each answer.

    ``fault(path, n)`` names the fault of the n-th answer (from 0) for a path, or None.
    """

    def __init__(self, files, fault=lambda path, n: None, *, ranges=True):
        self.files, self.fault, self.ranges = files, fault, ranges
        self.asked, self.sent, self.headers = Counter(), Counter(), []
        self.lock = threading.Lock()
        self.url = ""

    def next_fault(self, path):
        with self.lock:
            n = self.asked[path]
            self.asked[path] += 1
        return self.fault(path, n)


@contextmanager
def serving(mirror, handler=None):
    """Serve on a free port of this machine until the block ends."""
    kind = type("Handler", (handler or Handler,), {"mirror": mirror})
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    mirror.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield mirror
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    """Answer GET with ranges, and HEAD."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        """Say nothing."""

    def do_HEAD(self):
        path = self.path_asked()
        content = self.mirror.files.get(path)
        if content is None:
            return self.refuse(404)
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        return None

    def do_GET(self):
        path = self.path_asked()
        content = self.mirror.files.get(path)
        if isinstance(content, int):
            return self.refuse(content)
        if content is None:
            return self.refuse(404)
        fault = self.mirror.next_fault(path)
        if fault in ("429", "500", "503"):
            return self.refuse(int(fault))
        if fault == "reset":
            self.close_connection = True
            return None
        return self.give(path, content, fault)

    def path_asked(self):
        self.mirror.headers.append(dict(self.headers))
        return unquote(urlsplit(self.path).path).lstrip("/")

    def refuse(self, code, **headers):
        self.send_response(code)
        for name, value in ({"Retry-After": "0", "Content-Length": "0"} | headers).items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def give(self, path, content, fault):
        tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").rstrip("-")) if asked else 0
        use = self.mirror.ranges and fault != "no range" and self.headers.get("If-Range") == tag
        start = start if use else 0
        if start >= len(content) and start:
            return self.refuse(416, Content_Range=f"bytes */{len(content)}")
        shown = max(0, start - 7) if fault == "wrong range" and start else start
        body = content[shown:]
        if fault == "other bytes":
            body = bytes(255 - b for b in body)
        length = {"long": len(body) + 10, "short": max(1, len(body) // 2)}.get(fault, len(body))
        self.send_response(206 if start else 200)
        if start:
            self.send_header("Content-Range", f"bytes {shown}-{len(content) - 1}/{len(content)}")
        self.send_header("Content-Length", str(length))
        self.send_header("ETag", tag)
        self.end_headers()
        if fault in ("cut", "long"):
            body, self.close_connection = body[: len(body) // 2 if fault == "cut" else None], True
        return self.pour(path, body[:length], slow=fault == "slow")

    def pour(self, path, body, *, slow):
        step = 4096 if slow else 1 << 16
        for at in range(0, len(body), step):
            try:
                self.wfile.write(body[at : at + step])
                self.wfile.flush()
            except OSError:
                return
            with self.mirror.lock:
                self.mirror.sent[path] += len(body[at : at + step])
            if slow:
                time.sleep(0.01)
