#!/usr/bin/env python3
"""Tests the live view of a run: access control, equal bits with and without viewers, cost, pauses and stops by viewers."""
import json
import os
import pathlib
import re
import signal
import socket
import struct
import threading
import time

from program import PROGRAM, ROOT, as_text, chamomile, check, refused, rows, run_parts
from viewing import Viewed, watch

USAGE, INPUT = 2, 3
MODEL = "model plummer -n 3000 --seed 1 -o plummer.hdf5 -q".split()
ENDLESS = "run plummer.hdf5 --t-end 1000 --dt 0.001 --eps 0.05 -o".split()


def model(top):
    chamomile(top, *MODEL)
    chamomile(top, *"model cosmology --n 12 --box 10 --z-start 9 --seed 1 -o box.hdf5 -q".split())


def raw(viewed, data, wait=3):
    """Sends bytes and returns the reply until the connection closes or falls silent."""
    with socket.create_connection(("127.0.0.1", viewed.port), timeout=wait) as connection:
        got = b""
        try:
            connection.sendall(data)
            while piece := connection.recv(65536):
                got += piece
        except OSError:
            pass
        return got


def guards(top):
    """Requests that pass the guards, and requests that do not."""
    viewed = Viewed(top, *ENDLESS, "guarded", "--view")
    frame = "/frame?after=0&points=100&types=63"
    own = f"127.0.0.1:{viewed.port}"
    cases = [  # method, target, headers besides the token, status
        ("GET", "/", {"X-Chamomile-Token": None}, 200),
        ("GET", "/view.js", {"X-Chamomile-Token": None}, 200),
        ("GET", "/", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "X-Chamomile-Token": None}, 200),
        ("GET", "/scene", {"X-Chamomile-Token": None}, 403),
        ("GET", "/scene", {"X-Chamomile-Token": "0" * 32}, 403),
        ("GET", "/scene", {"X-Chamomile-Token": viewed.token[:31]}, 403),
        ("GET", "/scene", {"X-Chamomile-Token": viewed.token + "0"}, 403),
        ("GET", "/scene", {}, 200),
        ("GET", frame, {"X-Chamomile-Token": None}, 403),
        ("GET", frame, {}, 200),
        ("GET", frame, {"Host": "evil.example"}, 421),
        ("GET", frame, {"Host": f"evil.example:{viewed.port}"}, 421),
        ("GET", frame, {"Host": "localhost.evil.example"}, 421),
        ("GET", frame, {"Host": "127.0.0.1.evil.example"}, 421),
        ("GET", frame, {"Host": "127.0.0.1:80:80"}, 421),
        ("GET", frame, {"Host": None}, 421),
        ("GET", "/", {"Host": "evil.example"}, 421),
        ("GET", frame, {"Host": "localhost:9000"}, 200),  # ssh -L from another port
        ("GET", frame, {"Host": "localhost:9000", "Origin": "http://localhost:9000"}, 200),
        ("GET", frame, {"Origin": "http://evil.example"}, 403),
        ("GET", frame, {"Origin": "null"}, 403),
        ("GET", frame, {"Origin": f"https://{own}"}, 403),
        ("GET", frame, {"Origin": "http://127.0.0.1:1"}, 403),
        ("GET", frame, {"Sec-Fetch-Site": "cross-site"}, 403),
        ("GET", frame, {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403),
        ("GET", frame, {"Sec-Fetch-Site": "same-site"}, 403),
        ("GET", "/", {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403),
        ("GET", "/do/stop", {}, 404),
        ("POST", "/do/stop", {"X-Chamomile-Token": None}, 403),
        ("POST", "/do/stop", {"Origin": "http://evil.example"}, 403),
        ("POST", "/do/stop", {"Host": "evil.example"}, 421),
        ("POST", "/do/nothing", {}, 404),
        ("POST", "/do/pace", {}, 400),
        ("POST", "/do/pace?number=-1", {}, 400),
        ("POST", "/do/pace?number=nan", {}, 400),
        ("POST", "/frame?after=0&points=100&types=63", {}, 404),
        ("OPTIONS", "/do/stop", {"X-Chamomile-Token": None, "Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}, 403),
        ("GET", "/../../etc/passwd", {}, 404),
        ("GET", "/frame", {}, 400),
        ("GET", "/frame?after=0&points=100&types=64", {}, 400),
        ("GET", "/frame?after=0&after=0&points=100&types=63", {}, 400),
        ("GET", "/frame?after=-1&points=100&types=63", {}, 400),
        ("GET", frame + "&box=nan,0,0,1", {}, 400),
        ("GET", frame + "&box=0,0,0,0", {}, 400),
        ("GET", frame + "&box=0,0,0,inf", {}, 400),
        ("GET", frame + "&box=0,0,0", {}, 400),
        ("GET", frame + "&box=0,0,0,1", {}, 200),
    ]
    for method, target, headers, status in cases:
        got, content = viewed.ask(method, target, headers)
        check(got == status, f"{method} {target} {headers}: {got}, not {status}: {content[:80]}")
    check(viewed.ask("POST", "/do/pause", body=b"x")[0] == 413, "a request body was accepted")
    host = f"Host: {own}\r\nX-Chamomile-Token: {viewed.token}\r\n".encode()
    for name, data, status in [
        ("a long head", b"GET / HTTP/1.1\r\n" + host + b"X: " + 20000 * b"x" + b"\r\n\r\n", b"431"),
        ("chunks", b"POST /do/pause HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n", b"413"),
        ("two hosts", b"GET /scene HTTP/1.1\r\n" + host + b"Host: evil.example\r\n\r\n", b"400"),
        ("two tokens", b"GET /scene HTTP/1.1\r\n" + host + b"X-Chamomile-Token: 0\r\n\r\n", b"400"),
        ("no request", b"\0\1\2\3\r\n\r\n", b"400"),
        ("no version", b"GET /\r\n\r\n", b"400"),
        ("zeros", bytes(4096), b"400"),
    ]:
        got = raw(viewed, data)
        check(got.split(b" ")[1:2] == [status], f"{name}: {got[:100]!r}, not {status!r}")
    check(b"root:" not in raw(viewed, b"GET /../../etc/passwd HTTP/1.1\r\n" + host + b"\r\n"), "a file was served")
    # Nothing blocks the server: page and viewer are answered among strangers who send nothing or half a request.
    silent = [socket.create_connection(("127.0.0.1", viewed.port)) for _ in range(300)]
    for connection in silent[::3]:
        connection.sendall(b"GET /scene HTTP/1.1\r\n")
    for target in ("/", "/scene"):
        begun = time.monotonic()
        check(viewed.ask("GET", target, timeout=40)[0] == 200 and time.monotonic() - begun < 3, f"300 silent connections hold up {target} for {time.monotonic() - begun} s")
    for connection in silent:
        connection.close()
    # The server listens on this machine only, and the page contacts no other host.
    listening = pathlib.Path("/proc/net/tcp").read_text() + pathlib.Path("/proc/net/tcp6").read_text()
    places = [line.split()[1] for line in listening.splitlines() if line.split()[3] == "0A" and line.split()[1].endswith(f":{viewed.port:04X}")]
    check(places == [f"0100007F:{viewed.port:04X}"], f"listens at {places}")
    for path in (ROOT / "run/view/page").iterdir():
        check("://" not in path.read_text(), f"{path.name}: contains another address")
    head, points = viewed.all_points()
    check(len(points) == 3000, f"{len(points)} points of 3000")
    viewed.kill()
    log = (top / "guarded/run.log").read_text()
    check(viewed.token not in log and "http://" not in log, "the log contains the token")


def checkpoint_blocks(path):
    """Returns the blocks of a checkpoint, except the command, and length and sum of steps.csv, whose times differ
    (io/checkpoint/layout.hpp).
    """
    data, at, blocks = path.read_bytes(), 64, {}
    while at < len(data):
        name, length = data[at:at + 40].rstrip(b"\0").decode(), struct.unpack_from("<Q", data, at + 48)[0]
        blocks[name] = data[at + 64:at + 64 + length]
        at += 64 + length
    return {name: block for name, block in blocks.items() if name not in ("run/command", "snapshot/provenance", "steps/bytes", "steps/sum", "end")}


def same_bits(top, *device):
    """No view, a view without viewer, and a greedy viewer."""
    plain = "plummer.hdf5 --t-end 0.5 --eps 0.05 --snapshot-every 0.25 --energy-every 0.1"
    methods = {
        "tree": plain + " --dt 0.005",
        "blocks": plain + " --block-steps",
        "hermite": "--model plummer -n 300 --t-end 0.5 --eps 0.01 --integrator hermite --snapshot-every 0.25",
        "box": "box.hdf5 --z-end 5 --block-steps",
    }
    if device:  # only the leapfrog keeps particles on the GPU
        del methods["hermite"]
    looked = 0
    for method, words in methods.items():
        expected = None
        for threads in (1, 2):
            for viewers in ("none", "idle", "greedy"):
                out = f"{method}_{threads}_{viewers}{''.join(device)}"
                command = ["run", *words.split(), *device, "--threads", threads, "--checkpoint-every", 10, "-o", out]
                if viewers == "none":
                    chamomile(top, *command)
                else:
                    viewed, stop, frames = Viewed(top, *command, "--view"), threading.Event(), []
                    if viewers == "greedy":
                        threading.Thread(target=watch, args=(viewed, stop, frames), daemon=True).start()
                    status, _, errors = viewed.end()
                    stop.set()
                    check(status == 0 and not errors, f"{out}: {status} {errors}")
                    looked += len(frames)
                snapshots = sorted(path.name for path in (top / out).glob("snapshot_*"))
                got = [(top / out / "energy.csv").read_bytes(), *(as_text(top, f"{out}/{name}") for name in snapshots),
                       *(checkpoint_blocks(path) for path in sorted((top / out).glob("*.chk")))]
                expected = expected or got
                check(len(got) > 3 and got == expected, f"{out}: bits differ in values {[k for k, (a, b) in enumerate(zip(got, expected)) if a != b]}")
    check(looked > 20, f"the greedy viewers saw {looked} frames")


def positions(top, *device):
    """The points in a frame equal the snapshot at its step."""
    out = "shown" + "".join(device)
    viewed = Viewed(top, *"run plummer.hdf5 --t-end 1 --dt 0.01 --eps 0.05 --snapshot-every 0.01 --energy-every 1 --view".split(), *device, "-o", out)
    viewed.do("pause")
    head = viewed.until(lambda head: head["paused"])
    box = (0.1, -0.2, 0.05, 1.5)
    head, points = viewed.all_points(box=box)
    file = top / out / f"snapshot_{head['step']:03d}.hdf5"
    for _ in range(100):  # written concurrently
        if file.exists():
            break
        time.sleep(0.1)
    viewed.kill()
    particles = rows("\n".join(as_text(top, f"{out}/snapshot_{head['step']:03d}.hdf5")))
    quantum = 2 * box[3] / 65535
    heading = (top / "rows.txt").read_text()
    at = heading.splitlines()[0].split()[2:].index("x")  # after "# columns:"
    inside = sorted(tuple(round((row[at + k] - box[k] + box[3]) / quantum) for k in range(3)) for row in particles
                    if all(abs(row[at + k] - box[k]) <= box[3] for k in range(3)))
    found = sorted(point[:3] for point in points)
    check(len(inside) == len(found) > 1000, f"{len(found)} points, {len(inside)} particles in the cube")
    far = sum(max(abs(a - b) for a, b in zip(one, other)) > 1 for one, other in zip(inside, found))
    check(far <= len(found) // 100, f"{far} of {len(found)} points lie elsewhere")  # rounding may swap two in the order


def on_ranks(top):
    """Repeats the test with particles on ranks, of a new run and of a restarted one."""
    positions(top, "--ranks=3")
    chamomile(top, *"run plummer.hdf5 --t-end 0.1 --dt 0.01 --eps 0.05 --ranks 2 -o again -q".split())
    viewed = Viewed(top, *"run --restart again --t-end 1 --ranks 3 --view".split())
    check(len(viewed.all_points()[1]) == 3000, "a restarted run on ranks does not show all points")
    viewed.kill()


def on_a_card(top):
    """Repeats the test with particles on a GPU, which gathers the sample."""
    if not re.search(r"^gpu:[0-9]", chamomile(top, "devices"), re.M):
        return print("no GPU: the view was tested with particles on the host only")
    same_bits(top, "--device", "gpu", "--resident")
    positions(top, "--device", "gpu", "--resident")


def holds(top):
    """Pause, step, pace, checkpoint, continue, stop; and restart with equal bits."""
    command = "run plummer.hdf5 --t-end 0.3 --dt 0.005 --eps 0.05 --snapshot-every 0.1 -o".split()
    chamomile(top, *command, "undisturbed")
    viewed = Viewed(top, *command, "held", "--view")
    viewed.do("pause")
    step = viewed.until(lambda head: head["paused"])["step"]
    time.sleep(1)
    check(viewed.frame(after=0)[0]["step"] == step, "the run advances during a pause")
    for k in (1, 2, 3):
        viewed.do("step")
        viewed.until(lambda head: head["step"] == step + k and head["paused"])
    time.sleep(0.5)
    check(viewed.frame()[0]["step"] == step + 3, "more steps than requested")
    viewed.do("checkpoint")
    head = viewed.until(lambda head: head["note"])
    name = f"checkpoint_{step + 3:09d}.chk"
    check(name in head["note"] and (top / "held" / name).exists(), f"checkpoint: {head['note']}")
    viewed.do("pace", 4)
    viewed.do("go")
    begun = time.monotonic()
    viewed.until(lambda head: head["step"] >= step + 9)
    check(0.9 < time.monotonic() - begun < 4, f"six steps at four a second: {time.monotonic() - begun} s")
    viewed.do("stop")
    status, out, errors = viewed.end(5)
    check(status == 0 and "stopped by the view: " in out and not errors, f"stop: {status} {out} {errors}")
    chamomile(top, "run", "--restart", "held")
    for file in ("snapshot_003.hdf5",):
        check(as_text(top, f"held/{file}") == as_text(top, f"undisturbed/{file}"), f"{file}: bits differ after a stop by the view")
    # Events that end a run also end a paused run.
    for name, words, ask in [("signal", [], lambda viewed: viewed.process.send_signal(signal.SIGTERM)),
                             ("file", [], lambda viewed: (top / "paused_file/stop").touch()),
                             ("limit", ["--max-walltime", 4], lambda viewed: None)]:
        viewed = Viewed(top, *ENDLESS, f"paused_{name}", "--view", *words)
        viewed.do("pause")
        viewed.until(lambda head: head["paused"])
        ask(viewed)
        begun = time.monotonic()
        status, out, _ = viewed.end(10)
        check(status == 0 and "stopped by" in out and (name == "limit" or time.monotonic() - begun < 2) and
              list((top / f"paused_{name}").glob("*.chk")), f"{name} in a pause: {status} {out} after {time.monotonic() - begun} s")


def high_water(viewed):
    """Returns the peak memory of the process in MB."""
    status = pathlib.Path(f"/proc/{viewed.process.pid}/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def many(top):
    """Two viewers, and one that never reads: the run continues, memory is bounded, and the slow viewer is disconnected."""
    viewed = Viewed(top, *"run --model plummer -n 200000 --t-end 1000 --dt 0.001 --eps 0.05 --tolerance 0.01 --order 0 -o many --view".split(), env={**os.environ, "CHAMOMILE_VIEW_TIMEOUT": "5"})
    first = viewed.until(lambda head: True)["step"]
    lazy = socket.create_connection(("127.0.0.1", viewed.port))
    begun = time.monotonic()
    wish = f"GET /frame?after=0&points=1000000&types=63 HTTP/1.1\r\nHost: localhost\r\nX-Chamomile-Token: {viewed.token}\r\n\r\n"
    asked = 20  # more frames than the system buffers for a client that does not read
    lazy.sendall(asked * wish.encode())
    stop, frames = threading.Event(), []
    for _ in range(2):
        threading.Thread(target=watch, args=(viewed, stop, frames), daemon=True).start()
    viewed.until(lambda head: head["step"] >= first + 8, seconds=120)
    stop.set()
    check(len(frames) > 2, f"{len(frames)} frames")
    time.sleep(max(0, begun + 7 - time.monotonic()))
    last = frames[-1]
    viewed.until(lambda head: head["step"] > last + 2, seconds=60)  # the run goes on
    check(high_water(viewed) < 600, f"{high_water(viewed)} MB")
    lazy.settimeout(10)
    got = 0
    try:
        while piece := lazy.recv(1 << 20):
            got += len(piece)
    except TimeoutError:
        check(False, "a viewer that reads nothing is not disconnected")
    except OSError:
        pass  # closed
    check(got < asked * 8 * 100000, f"{got} bytes sent to a viewer that reads nothing")
    viewed.kill()


def thread_times(process):
    """Returns seconds of processor time so far: for the view's thread, which has the lowest priority, and for all other
    threads.
    """
    serving = others = 0
    for task in pathlib.Path(f"/proc/{process.pid}/task").iterdir():
        seconds = int((task / "schedstat").read_text().split()[0]) / 1e9
        nice = int((task / "stat").read_text().rpartition(")")[2].split()[16])
        serving, others = (serving + seconds, others) if nice else (serving, others + seconds)
    return serving, others


def cost(top):
    """Processor time of the view's thread relative to the run, and the sampling time reported by the run: the min of
    three tries, as machines may be busy.
    """
    def measured(kind, number):
        viewed, stop, frames = Viewed(top, *"run --model plummer -n 10000 --t-end 2 --dt 0.005 --eps 0.05 -o".split(), f"cost_{kind}_{number}", "--view"), threading.Event(), []
        if kind == "viewed":
            threading.Thread(target=watch, args=(viewed, stop, frames), daemon=True).start()
        times = (0, 1e-9)
        while viewed.process.poll() is None:
            try:
                times = max(times, thread_times(viewed.process), key=lambda seen: seen[1])  # zero after a thread ended
            except (OSError, IndexError):
                break  # ended
            time.sleep(0.02)
        status, out, _ = viewed.end(120)
        stop.set()
        check(status == 0 and times[1] > 0.3, f"{kind}: {status}, {times} s")
        samples = re.search(r"viewers took ([0-9.e-]+) % of the time: (\d+) samples", out)
        return times[0] / times[1], float(samples[1]) / 100 if samples else 0, len(frames)
    idle = measured("idle", 0)
    check(idle[0] < 0.001 and idle[1:] == (0, 0), f"cost of a view without viewers: {idle}")
    tries = []
    for number in range(3):
        tries.append(measured("viewed", number))
        serving, samples, frames = tries[-1]
        if samples <= 0.02 and serving + samples <= 0.03 and frames > 5:
            break
    print(f"serving, samples, frames: idle {idle}, viewed {tries}")
    check(samples <= 0.02 and serving + samples <= 0.03 and frames > 5, f"cost of a viewer that reads all frames: {tries}")


def bad_words(top):
    """One line each, and no files."""
    viewed = Viewed(top, *ENDLESS, "holder", "--view")
    short = "run plummer.hdf5 --t-end 1 --dt 0.5 --eps 0.05 -o refused --view".split()
    folder = top / "bad"
    folder.mkdir()
    (folder / "plummer.hdf5").write_bytes((top / "plummer.hdf5").read_bytes())
    refused(folder, USAGE, "--view: .*in use", *short, viewed.port)
    for port in ("0", "70000", "-1", "1.5"):
        refused(folder, USAGE, "--view: ", *short, port)
    refused(folder, USAGE, "one argument too many", *short, "x")
    refused(folder, USAGE, "--view: x", *short[:-1], "--view=x")
    viewed.kill()
    # In an empty folder, with a chosen port, also with --quiet; the page is part of the program.
    empty = top / "empty"
    empty.mkdir()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    viewed = Viewed(empty, *"run --model plummer -n 1000 --t-end 1000 --dt 0.01 --eps 0.05 -q -o out --view".split(), port, env={"PATH": "/nowhere"})
    check(viewed.port == port, f"port {viewed.port}, not {port}")
    check(b"<canvas" in viewed.ask("GET", "/")[1], "no page")
    viewed.do("stop")
    check(viewed.end(10)[0] == 0, "quiet run")


def announced(top):
    """Through ssh the run prints how to connect from elsewhere; the example is one command from clone to address."""
    viewed = Viewed(top, *ENDLESS, "far", "--view", env={**os.environ, "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"})
    viewed.do("stop")
    out = viewed.end(20)[1]
    check(re.search(rf"ssh -L {viewed.port}:127\.0\.0\.1:{viewed.port} \S+", out), f"no line for ssh: {out}")
    viewed = Viewed(top, top / "example", "500", program=ROOT / "examples/live_view", env={**os.environ, "CHAMOMILE": PROGRAM})
    check("ssh -L" not in viewed.said and viewed.all_points()[1], "the example shows no frame")
    viewed.do("stop")
    status, out, errors = viewed.end(20)
    check(status == 0 and list((top / "example").glob("*.chk")), f"examples/live_view: {status} {out} {errors}")


def files(top):
    """`view` plays a run's snapshots, seeks to any, and refuses files from other runs."""
    chamomile(top, *"run plummer.hdf5 --t-end 1 --dt 0.05 --eps 0.05 --snapshot-every 0.1 -o played".split())
    viewed = Viewed(top, "view", "played/snapshot_*.hdf5")
    scene = json.loads(viewed.ask("GET", "/scene")[1])
    check(scene["files"] == 11 and not scene["canStop"], f"scene {scene}")
    check(viewed.frame()[0]["paused"], "the series plays without a request")
    for number in (7, 0, 10, 3):
        viewed.do("show", number)
        head = viewed.until(lambda head: head["file"] == number)
        check(head["time"] == f"t = {number / 10:g} N-body units" and head["step"] == 2 * number, f"file {number}: {head}")
    head, points = viewed.all_points(box=(0, 0, 0, 100))
    particles = rows("\n".join(as_text(top, "played/snapshot_003.hdf5")))
    quantum = 200 / 65535
    expected = sorted(tuple((row[k] + 100) / quantum for k in (1, 2, 3)) for row in particles)
    check(len(points) == 3000 and all(abs(a[k] - sum(column) / 3000) < 1 for k, column in enumerate(zip(*expected)) for a in [[sum(c) / 3000 for c in zip(*points)]]),
          "points differ from the file")
    viewed.do("pace", 5)
    viewed.do("go")
    seen = set()
    viewed.until(lambda head: seen.add(head["file"]) or len(seen) > 4)
    viewed.do("pause")
    shown = viewed.until(lambda head: head["paused"])["file"]
    viewed.do("step")
    check(viewed.until(lambda head: head["file"] != shown)["file"] == (shown + 1) % 11, "a step does not change the file")
    viewed.process.send_signal(signal.SIGINT)
    check(viewed.end(10)[0] == 0, "Ctrl-C")
    # Particles outside a periodic box appear at their images inside, with a note.
    (top / "images.txt").write_text("# box_size: 8\n" + "".join(f"1 {x} {y} 4 0 0 0\n" for x in (-1, 3, 12) for y in (2, 7, 17)))
    viewed = Viewed(top, "view", "images.txt")
    head, points = viewed.all_points(box=(0, 0, 0, 100))
    places = [{round(point[k] * quantum - 100) for point in points} for k in (0, 1)]
    check(len(points) == 9 and places == [{3, 4, 7}, {1, 2, 7}], f"positions differ by periodic images: {places}")
    viewed.process.send_signal(signal.SIGINT)
    out = viewed.said + viewed.end(10)[1]
    check("note: 7 particles are outside the periodic box" in out, f"particles outside the box: {out}")
    # Fifteen files take as much memory as two.
    chamomile(top, *"model plummer -n 200000 -o large_00.hdf5 -q".split())
    for k in range(1, 15):
        (top / f"large_{k:02d}.hdf5").hardlink_to(top / "large_00.hdf5")
    memory = []
    for names in ("large_00.hdf5", "large_*.hdf5"):
        viewed = Viewed(top, "view", names)
        viewed.frame()
        viewed.do("show", 14)
        viewed.frame()
        memory.append(high_water(viewed))
        viewed.kill()
    shadowed = b"__tsan_init" in pathlib.Path(PROGRAM).read_bytes()  # the thread sanitizer uses shadow memory
    check(shadowed or memory[1] - memory[0] < 1.6 * 200000 * 97 / 1e6, f"one file {memory[0]} MB, fifteen {memory[1]} MB")
    refused(top, INPUT, "none_\\*.hdf5: no file", "view", "none_*.hdf5")
    refused(top, INPUT, "none.hdf5", "view", "none.hdf5")
    # Other particles, types and options are refused; a restarted run counts as one, and so do files with particles in
    # another order.
    chamomile(top, *"run plummer.hdf5 --t-end 1 --dt 0.05 --eps 0.04 --snapshot-every 0.5 -o softer".split())
    chamomile(top, *"model hernquist -n 3000 --type 2 -o disk.hdf5 -q".split())
    refused(top, INPUT, "softer/snapshot_001.hdf5: its initial conditions or options differ", "view", "played/snapshot_000.hdf5", "softer/snapshot_001.hdf5")
    refused(top, INPUT, "disk.hdf5: .* differ", "view", "plummer.hdf5", "disk.hdf5")
    chamomile(top, *"run plummer.hdf5 --t-end 0.5 --dt 0.05 --eps 0.05 --snapshot-every 0.25 -o went_on".split())
    chamomile(top, *"run --restart went_on --t-end 1 --threads 1".split())
    Viewed(top, "view", "went_on/snapshot_*.hdf5").kill()
    particles = [f"1 {x} 0 0 0 0 0 {number}" for number, x in ((1, 0.5), (2, -0.25))]
    for name, lines in (("a", particles), ("b", particles[::-1])):
        (top / f"order_{name}.txt").write_text("# columns: mass x y z vx vy vz id\n# types: 1 2\n".replace("1 2", "1*1 2*1" if name == "a" else "2*1 1*1") + "\n".join(lines) + "\n")
    viewed = Viewed(top, "view", "order_*.txt")
    for number in (0, 1):
        viewed.do("show", number)
        viewed.until(lambda head: head["file"] == number)
        points = viewed.all_points(box=(0, 0, 0, 1))[1]
        check([(point[3], round(point[0] / 65535, 2)) for point in points] == [(1, 0.75), (2, 0.38)], f"file {number}: {points}")
    viewed.kill()
    refused(top, INPUT, "box.hdf5: .* differ", "view", "played/snapshot_000.hdf5", "box.hdf5")
    refused(top, USAGE, "--port: 70000", "view", "plummer.hdf5", "--port", 70000)


run_parts("the view shows, holds and changes nothing", model, guards, same_bits, positions, on_ranks, on_a_card, holds, many, cost, bad_words, announced, files)
