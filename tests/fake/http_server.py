#!/usr/bin/env python3
"""A small HTTP server that keeps what is PUT, and misbehaves as it is told.

usage: http_server.py DIR [MODE]...

Serves DIR/www, writes its port to DIR/port and a line a request to DIR/requests.  Modes:

  bazel       checks as bazel-remote does: a blob has the SHA-256 that its path says, an
              action result names a blob that is here
  token=T     401 without "Authorization: Bearer T"
  garbage     answers GET with bytes that are none of ours
  other       answers every GET with one and the same entry
  large       answers every GET with 60 MiB
  truncated   promises more bytes than it sends
  endless     answers GET with a body that does not end
  slow        answers GET a byte at a time
  silent      takes requests and does not answer
  full        507 for every PUT
  redirect    302 to somewhere else for every GET
  html        answers everything with 200 and a page, as captive portals do
  headers     never ends its headers
  die=N       ends after N requests
  flaky       503 the first time that something is asked
"""
import hashlib
import os
import re
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DIR = sys.argv[1]
MODES = dict((m.split("=", 1) + [""])[:2] for m in sys.argv[2:])
WWW = os.path.join(DIR, "www")
LARGE = bytes(60 << 20) if "large" in MODES else b""
LOCK = threading.Lock()
COUNT = [0]
ASKED = set()


def blob_in(message):
    """The digest that an action result names: 64 hex digits, tagged as protobuf has them."""
    found = re.search(rb"\x0a\x40([0-9a-f]{64})", message)
    return found.group(1).decode() if found else None


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *args):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def file(self):
        return os.path.join(WWW, self.path.lstrip("/"))

    def common(self):
        """True when the request was answered already."""
        with LOCK:
            COUNT[0] += 1
            n = COUNT[0]
            again = (self.command, self.path) in ASKED
            ASKED.add((self.command, self.path))
            with open(os.path.join(DIR, "requests"), "a") as f:
                f.write("%s %s\n" % (self.command, self.path))
        if "die" in MODES and n > int(MODES["die"]):
            os._exit(1)
        if "token" in MODES and self.headers.get("Authorization") != "Bearer " + MODES["token"]:
            self.body()
            self.answer(401)
        elif "silent" in MODES:
            time.sleep(60)
        elif "flaky" in MODES and not again:
            self.body()
            self.answer(503)
        elif "html" in MODES:
            self.body()
            self.answer(200, b"<html>please log in</html>")
        elif "headers" in MODES:
            self.send_response(200)
            try:
                while True:
                    self.wfile.write(b"X-More: " + b"y" * 1000 + b"\r\n")
            except OSError:
                pass
        else:
            return False
        self.close_connection = True
        return True

    def body(self):
        return self.rfile.read(int(self.headers.get("Content-Length", 0)))

    def do_GET(self):
        if self.common():
            return
        if "redirect" in MODES:
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:1/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if "garbage" in MODES:
            return self.answer(200, os.urandom(5000))
        if "other" in MODES:
            return self.answer(200, self.any_entry())
        if "endless" in MODES:
            return self.endless()
        if "large" in MODES:
            return self.answer(200, LARGE)
        try:
            with open(self.file(), "rb") as f:
                data = f.read()
        except OSError:
            return self.answer(404)
        if "truncated" in MODES:
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2])
            self.close_connection = True
        elif "slow" in MODES:
            self.drip(data)
        else:
            self.answer(200, data)

    do_HEAD = do_GET

    def any_entry(self):
        for folder, _, names in sorted(os.walk(WWW)):
            for name in sorted(names):
                with open(os.path.join(folder, name), "rb") as f:
                    return f.read()
        return b""

    def endless(self):
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        try:
            while True:
                self.wfile.write(b"z" * (1 << 20))
        except OSError:
            self.close_connection = True

    def drip(self, data):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        try:
            for i in range(len(data)):
                self.wfile.write(data[i : i + 1])
                self.wfile.flush()
                time.sleep(0.1)
        except OSError:
            self.close_connection = True

    def do_PUT(self):
        if self.common():
            return
        data = self.body()
        if "full" in MODES:
            return self.answer(507)
        if "bazel" in MODES and not self.bazel_takes(data):
            return self.answer(400)
        path = self.file()
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path + ".new%d" % threading.get_ident(), "wb") as f:
            f.write(data)
        os.replace(f.name, path)
        self.answer(201)

    def bazel_takes(self, data):
        root, kind, name = self.file().rsplit("/", 2)
        if not re.fullmatch("[0-9a-f]{64}", name):
            return False
        if kind == "cas":
            return hashlib.sha256(data).hexdigest() == name
        blob = blob_in(data)
        return kind == "ac" and blob is not None and os.path.exists(os.path.join(root, "cas", blob))


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128


server = Server(("127.0.0.1", 0), Handler)
with open(os.path.join(DIR, "port.new"), "w") as f:
    f.write(str(server.server_address[1]))
os.rename(os.path.join(DIR, "port.new"), os.path.join(DIR, "port"))
server.serve_forever()
