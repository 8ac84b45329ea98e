"""A local stand-in of the hub, as far as a listing and a download use it."""

import hashlib
import json

from mirror import Handler


class Hub(Handler):
    """The part of the hub's HTTP API that a listing and a download use; big files lie elsewhere."""

    repo, token = "org/data", "Bearer hf_right"

    def do_GET(self):
        path = self.path_asked()
        if path.startswith("cdn/"):
            assert "Authorization" not in self.headers
            return self.give(path, self.mirror.files[path.removeprefix("cdn/")],
                             self.mirror.next_fault(path))  # fmt: skip
        if path == "api/whoami-v2":
            return self.refuse(401)
        if self.headers.get("Authorization") != self.token:
            return self.refuse(401, X_Error_Code="GatedRepo", X_Error_Message="ask first")
        if path.startswith(f"api/datasets/{self.repo}/tree/"):
            return self.tree()
        if path == f"api/datasets/{self.repo}/auth-check":
            return self.say(b"{}")
        name = path.removeprefix(f"datasets/{self.repo}/resolve/main/")
        if name not in self.mirror.files:
            return self.refuse(404, X_Error_Code="EntryNotFound")
        return self.refuse(302, Location=f"{self.mirror.cdn}/cdn/{name}")

    def do_HEAD(self):
        self.do_GET()

    def tree(self):
        """Two pages, as the hub gives long lists."""
        rows = [
            {
                "type": "file", "oid": "0" * 40, "size": len(data), "path": name,
                "lfs": {"oid": hashlib.sha256(data).hexdigest(), "size": len(data),
                        "pointerSize": 130},
            }
            for name, data in sorted(self.mirror.files.items())
        ]  # fmt: skip
        half = len(rows) // 2
        if "cursor=2" in self.path:
            return self.say(json.dumps(rows[half:]).encode())
        link = f'<{self.mirror.url}{self.path}&cursor=2>; rel="next"'
        return self.say(json.dumps(rows[:half]).encode(), Link=link)

    def say(self, body, **headers):
        self.send_response(200)
        for name, value in ({"Content-Length": str(len(body))} | headers).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
