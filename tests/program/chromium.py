"""Drives a headless Chromium through a pipe with the DevTools protocol, and reads its pixels."""
import base64
import json
import os
import select
import shutil
import struct
import subprocess
import sys
import tempfile
import time
import zlib

PROGRAM = next((path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None)
# Newer versions draw WebGL without a GPU only with these flags.
FLAGS = ("--headless=new", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-extensions", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--remote-debugging-pipe")


def need_chromium():
    if not PROGRAM:
        print("skipped: no chromium (cmake/install-packages tests installs it)")
        sys.exit(77)


class Chromium:
    """One page in a browser with a fresh profile."""

    def __init__(self, width=1000, height=700):
        self.width, self.height = width, height
        self.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        to_read, self.output = os.pipe()
        self.input, to_write = os.pipe()

        def connect():  # the browser reads from 3 and writes to 4
            high = [os.dup2(fd, 40 + k) for k, fd in enumerate((to_read, to_write))]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        sandbox = ["--no-sandbox"] if os.getuid() == 0 else []
        self.process = subprocess.Popen([PROGRAM, *FLAGS, *sandbox, f"--window-size={width},{height}", f"--user-data-dir={self.folder.name}", "about:blank"],
                                        preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_read)
        os.close(to_write)
        self.buffer, self.number, self.events, self.session = b"", 0, [], None
        target = self("Target.createTarget", url="about:blank")["targetId"]
        self.session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self(domain + ".enable")
        self("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self("Browser.close")
            self.process.wait(10)
        except (OSError, EOFError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.folder.cleanup()

    def __call__(self, method, **values):
        """Calls a protocol method and returns its result; keeps events received before the result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": values, **({"sessionId": self.session} if self.session else {})}
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.next_message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def next_message(self, seconds=60):
        while b"\0" not in self.buffer:
            if not select.select([self.input], [], [], seconds)[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.input, 1 << 20)
            if not piece:
                raise EOFError("the browser has ended")
            self.buffer += piece
        one, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(one)

    def go(self, url):
        self("Page.navigate", url=url)

    def js(self, code):
        result = self("Runtime.evaluate", expression=code, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise RuntimeError(f"{code}: {result['exceptionDetails']}")
        return result["result"].get("value")

    def until(self, code, seconds=40):
        """Waits until the code is truthy, and returns its value."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if value := self.js(code):
                return value
            time.sleep(0.05)
        raise TimeoutError(f"{code}; the page says: {self.js('document.body.innerText.slice(0, 500)')}")

    def mouse(self, kind, x, y, **more):
        self("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def drag(self, begin, end, modifiers=0):
        self.mouse("mousePressed", *begin, button="left", buttons=1, clickCount=1, modifiers=modifiers)
        for k in range(1, 6):
            self.mouse("mouseMoved", *(a + (b - a) * k / 5 for a, b in zip(begin, end)), button="left", buttons=1, modifiers=modifiers)
        self.mouse("mouseReleased", *end, button="left", clickCount=1, modifiers=modifiers)

    def touch(self, kind, *places):
        self("Input.dispatchTouchEvent", type=kind, touchPoints=[{"x": x, "y": y, "id": k} for k, (x, y) in enumerate(places)])

    def key(self, key, text=None):
        self("Input.dispatchKeyEvent", type="keyDown", key=key, **({"text": text} if text else {}))
        self("Input.dispatchKeyEvent", type="keyUp", key=key)

    def pixels(self, path=None):
        """Returns rows of (red, green, blue) from a screenshot."""
        data = base64.b64decode(self("Page.captureScreenshot", format="png")["data"])
        if path:
            with open(path, "wb") as file:
                file.write(data)
        return png_rows(data)

    def complaints(self):
        """Errors on the console and exceptions."""
        self.js("0")
        return [event["params"] for event in self.events if event.get("method") == "Runtime.exceptionThrown" or
                event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error"]

    def requests(self):
        """Returns the addresses requested by the page."""
        self.js("0")
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]


def png_rows(data):
    """Returns rows of (red, green, blue) from a PNG with 8 bits per channel, without interlace."""
    place, parts, width, height, channels = 8, b"", 0, 0, 3
    while place < len(data):
        length, kind = struct.unpack_from(">I4s", data, place)
        content = data[place + 8:place + 8 + length]
        if kind == b"IHDR":
            width, height, _, colour = struct.unpack_from(">IIBB", content)
            channels = {2: 3, 6: 4}[colour]
        elif kind == b"IDAT":
            parts += content
        place += 12 + length
    raw, stride, rows, above = zlib.decompress(parts), width * channels, [], bytes(width * channels)
    for k in range(height):
        kind, line = raw[k * (stride + 1)], bytearray(raw[k * (stride + 1) + 1:(k + 1) * (stride + 1)])
        if kind == 2:
            line = bytearray((a + b) & 255 for a, b in zip(line, above))
        elif kind:
            for i in range(stride):
                left, corner = (line[i - channels], above[i - channels]) if i >= channels else (0, 0)
                if kind == 1:
                    guess = left
                elif kind == 3:
                    guess = (left + above[i]) // 2
                else:
                    up = above[i]
                    p = left + up - corner
                    guess = min((abs(p - left), 0, left), (abs(p - up), 1, up), (abs(p - corner), 2, corner))[2]
                line[i] = (line[i] + guess) & 255
        above = bytes(line)
        rows.append([tuple(line[i:i + 3]) for i in range(0, stride, channels)])
    return rows
