"""Common to live view tests: a run with a view, and requests to it."""
import http.client
import json
import os
import re
import select
import struct
import subprocess
import time

from program import PROGRAM, check

KINDS = 63  # all particle types


class Viewed:
    """A command with a view, from printing its address to its end."""

    def __init__(self, folder, *words, program=PROGRAM, seconds=60, **more):
        self.process = subprocess.Popen([program, *map(str, words)], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        self.said = ""
        begun = time.monotonic()
        while not (found := re.search(r"http://127\.0\.0\.1:(\d+)/#([0-9a-f]{32})\n", self.said, re.MULTILINE)):
            if self.process.poll() is not None or time.monotonic() > begun + seconds:
                raise RuntimeError(f"{words}: did not start a view: {self.said} {self.process.stderr.read().decode()}")
            if select.select([self.process.stdout], [], [], 1)[0]:
                self.said += os.read(self.process.stdout.fileno(), 4096).decode()
        self.url, self.port, self.token = found[0].strip(), int(found[1]), found[2]

    def ask(self, method, target, headers=None, body=None, timeout=20):
        """Sends a request like the page; `headers` override defaults, None omits one. Returns status and content."""
        sent = {"X-Chamomile-Token": self.token, **(headers or {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.putrequest(method, target, skip_host="Host" in sent, skip_accept_encoding=True)
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        if body:
            connection.putheader("Content-Length", str(len(body)))
        connection.endheaders(body)
        answer = connection.getresponse()
        content = answer.read()
        connection.close()
        return answer.status, content

    def do(self, command, number=None):
        status, content = self.ask("POST", f"/do/{command}" + ("" if number is None else f"?number={number}"))
        check(status == 200, f"{command}: {status} {content}")

    def frame(self, after=0, points=1000, types=KINDS, box=None):
        """Returns head and points of a frame, or None if the frame did not change."""
        target = f"/frame?after={after}&points={points}&types={types}" + (f"&box={','.join(map(repr, box))}" if box else "")
        status, content = self.ask("GET", target)
        if status == 204:
            return None
        if status != 200:
            raise RuntimeError(f"{target}: {status} {content}")
        return read_frame(content)

    def all_points(self, box=None):
        """Returns a frame with all points: the first answer may be a sample taken for fewer."""
        head, _ = self.frame(points=99999999999, box=box)
        return self.frame(head["sequence"], points=99999999999, box=box) or self.frame(points=99999999999, box=box)

    def until(self, condition, seconds=20):
        """Requests frames until a head fulfils the condition, and returns it."""
        end, after = time.monotonic() + seconds, 0
        while time.monotonic() < end:
            found = self.frame(after)
            if found:
                if condition(found[0]):
                    return found[0]
                after = found[0]["sequence"]
        raise TimeoutError("no frame met the condition")

    def end(self, seconds=60):
        """Waits for the end and returns status, output and errors."""
        out, errors = self.process.communicate(timeout=seconds)
        return self.process.returncode, self.said + out.decode(), errors.decode()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


def watch(viewed, stop, frames):
    """Requests frames as fast as possible until the event or the end of the run; records the steps."""
    after = 0
    while not stop.is_set():
        try:
            found = viewed.frame(after, points=1 << 20)
        except (OSError, RuntimeError, http.client.HTTPException):
            return  # the run ended
        if found:
            after = found[0]["sequence"]
            frames.append(found[0]["step"])


def read_frame(content):
    """Returns head and points: x, y, z, type and speed."""
    length, = struct.unpack_from("<I", content)
    head = json.loads(content[4:4 + length])
    begin = 4 + length
    check(begin % 8 == 0 and (len(content) - begin) % 8 == 0, f"frame of {length} and {len(content)} bytes")
    return head, list(struct.iter_unpack("<HHHBB", content[begin:]))
