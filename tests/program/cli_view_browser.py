#!/usr/bin/env python3
"""Tests the live view's page in a headless Chromium: pixels, mouse, touch, keys, buttons, and network requests.

With a folder as third argument, writes screenshots there.
"""
import math
import pathlib
import shutil
import subprocess
import sys
import time

from chromium import Chromium, need_chromium
from program import PROGRAM, as_text, chamomile, check, run_parts
from viewing import Viewed

need_chromium()
PICTURES = pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None
TOP, BOTTOM = 130, 100  # rows below the status and above the bar, with particles only
state = "window.chamomile"


def look(page, name):
    """Returns the rows with particles only: without status, bar and labels."""
    page.js("chamomile.labels.shown = false; dispatchEvent(new Event('resize'))")
    page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.pixels(PICTURES / f"{name}.png" if PICTURES else None)[TOP:-BOTTOM]


def bright(rows, least=60):
    """Returns the bright pixels: column, row, light, colour."""
    return [(x, y + TOP, sum(pixel), pixel) for y, row in enumerate(rows) for x, pixel in enumerate(row) if sum(pixel) >= least]


def center_of(pixels):
    light = sum(pixel[2] for pixel in pixels) or 1  # zero for a black picture
    return [sum(pixel[k] * pixel[2] for pixel in pixels) / light for k in (0, 1)]


def spread_of(pixels):
    x, y = center_of(pixels)
    return math.sqrt(sum(((px - x) ** 2 + (py - y) ** 2) * light for px, py, light, _ in pixels) / (sum(pixel[2] for pixel in pixels) or 1))


def changed(one, other):
    return sum(max(abs(p - q) for p, q in zip(a, b)) > 40 for first, second in zip(one, other) for a, b in zip(first, second))


def select(page, name, value):
    page.js(f"document.getElementById('{name}').value = '{value}'; document.getElementById('{name}').dispatchEvent(new Event('input')); "
            f"document.getElementById('{name}').dispatchEvent(new Event('change'))")


def arrive(page, viewed):
    page.go(viewed.url)
    page.until("window.chamomile && chamomile.frames > 1")
    check(page.js("Boolean(chamomile.drawing.gl) && !chamomile.drawing.trouble"), f"no WebGL: {page.js('document.body.innerText')}")


def two_spheres(top):
    """Two Plummer spheres with different types, ten apart: halo left, stars right. Omits stars beyond 8, which could
    cross a corner.
    """
    text, types = [], {}
    for name, seed, type_, shift in (("a", 1, 1, -5), ("b", 2, 4, 5)):
        chamomile(top, *f"model plummer -n 5000 --seed {seed} -o {name}.txt -q".split())
        for line in (top / f"{name}.txt").read_text().splitlines():
            if not line.startswith("#"):
                mass, x, y, z, vx, vy, vz, _ = line.split()
                if math.hypot(float(x), float(y), float(z)) > 8:
                    continue
                types[type_] = types.get(type_, 0) + 1
                text.append(f"{mass} {float(x) + shift} {y} {z} {vx} {vy} {vz} {len(text) + 1}")
    (top / "two.txt").write_text("# columns: mass x y z vx vy vz id\n# types: " + " ".join(f"{type_}*{count}" for type_, count in types.items()) + "\n" + "\n".join(text) + "\n")


def pictures(top):
    """Light appears at the particles, in their colours, and follows mouse, touch and keys."""
    viewed = Viewed(top, *"run two.txt --t-end 1000 --dt 0.001 --eps 0.1 -o two --view".split())
    with Chromium() as page:
        arrive(page, viewed)
        page.js("document.getElementById('pause').click()")
        page.until("chamomile.head.paused")
        step = page.js("chamomile.head.step")
        # Stars only at first, as in `render`: a halo would hide them.
        check(page.js("chamomile.types") == 1 << 4, f"types {page.js('chamomile.types')}")
        first = look(page, "stars")
        found = bright(first)
        x, y = center_of(found) if found else (0, 0)
        check(len(found) > 2000, f"only {len(found)} bright pixels")
        check(all(sum(pixel) < 30 for row in first[:20] for pixel in row[-20:]), "the corner is not dark")
        at = page.js("chamomile.camera.project([5, 0, 0], innerWidth, innerHeight)")
        check(math.hypot(x - at[0], y - at[1]) < 50, f"light at {x:.0f}, {y:.0f}, stars at {at[:2]}")
        # Both types: two heaps, each in its colour.
        page.js("document.getElementById('type1').click()")
        page.until("chamomile.types == 18 && chamomile.drawing.count > 9000")
        page.js("chamomile.camera.azimuth = 0; chamomile.camera.elevation = 0; chamomile.camera.center = [0, 0, 0]; chamomile.camera.distance = 25")
        page.until("chamomile.head.half > 90")
        select(page, "colour", "component")
        both = look(page, "component")
        left = [pixel for pixel in bright(both) if pixel[0] < 500]
        right = [pixel for pixel in bright(both) if pixel[0] >= 500]
        for side, pixels, place in (("left", left, [-5, 0, 0]), ("right", right, [5, 0, 0])):
            at = page.js(f"chamomile.camera.project({place}, innerWidth, innerHeight)")
            check(len(pixels) > 500, f"{side}: {len(pixels)} bright pixels")
            if pixels:
                x, y = center_of(pixels)
                check(math.hypot(x - at[0], y - at[1]) < 50, f"{side}: light at {x:.0f}, {y:.0f}, particles at {at[:2]}")
        red = [sum(pixel[3][0] > 1.5 * pixel[3][2] for pixel in pixels) / max(1, len(pixels)) for pixels in (left, right)]
        check(red[0] > 0.8 and red[1] < 0.2, f"shares of orange pixels: {red}")
        # Checks that the pixel tests fail with a shader that draws black.
        page.js("window.kept = chamomile.drawing.tone; chamomile.drawing.tone = chamomile.drawing.program("
                "'void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4. - 1., 0., 1.); }', 'out vec4 colour; void main() { colour = vec4(0., 0., 0., 1.); }')")
        check(not page.js("chamomile.drawing.trouble") and not bright(look(page, "black")), "a shader that draws black gives light")
        page.js("chamomile.drawing.tone = kept")
        # The other colourings differ.
        seen = {"component": both}
        for mode in ("density", "speed"):
            select(page, "colour", mode)
            seen[mode] = look(page, mode)
            check(len(bright(seen[mode])) > 1000, f"{mode}: {len(bright(seen[mode]))} bright pixels")
        check(changed(seen["density"], seen["speed"]) > 1000 and changed(seen["density"], both) > 1000, "two colourings look the same")
        # The scale bar's length matches its label.
        page.js("chamomile.labels.shown = true; dispatchEvent(new Event('resize'))")
        page.js("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        ends = page.js("[0, chamomile.labels.scale.length].map(x => chamomile.camera.project([x, 0, 0], innerWidth, innerHeight)[0])")
        check(abs(ends[1] - ends[0] - page.js("chamomile.labels.scale.pixels")) < 1, f"scale bar: {ends}")
        # Mouse.
        select(page, "colour", "density")
        before, camera = look(page, "before"), page.js("({...chamomile.camera})")
        page.drag((500, 350), (600, 300))
        now = page.js("({...chamomile.camera})")
        check(abs(now["azimuth"] - camera["azimuth"] + 0.6) < 1e-6 and abs(now["elevation"] - camera["elevation"] + 0.3) < 1e-6, f"turned to {now}")
        turned = look(page, "turned")
        check(changed(before, turned) > 1000, "rotation does not change the picture")
        page.drag((500, 350), (560, 390), modifiers=8)  # with shift
        moved = look(page, "moved")
        a, b = center_of(bright(turned)), center_of(bright(moved))
        check(abs(b[0] - a[0] - 60) < 12 and abs(b[1] - a[1] - 40) < 12, f"moved from {a} to {b}, not by 60, 40")
        page.drag((560, 390), (500, 350), modifiers=8)
        distance = page.js("chamomile.camera.distance")
        page.mouse("mouseWheel", 500, 350, deltaX=0, deltaY=400)
        page.until(f"Math.abs(chamomile.camera.distance / {distance} - Math.exp(0.48)) < 1e-6")
        far = look(page, "far")
        ratio = spread_of(bright(far)) / (spread_of(bright(turned)) or 1)
        check(0.5 < ratio < 0.8, f"zoomed by {ratio:.2f}, not {math.exp(-0.48):.2f}")
        # Two fingers.
        distance = page.js("chamomile.camera.distance")
        page.touch("touchStart", (450, 350), (550, 350))
        page.touch("touchMove", (400, 350), (600, 350))
        page.touch("touchEnd")
        check(abs(page.js("chamomile.camera.distance") / distance - 0.5) < 0.02, "two fingers do not zoom")
        # Keys.
        page.js("chamomile.camera.distance = 25; document.activeElement.blur()")
        azimuth = page.js("chamomile.camera.azimuth")
        page.key("ArrowLeft")
        check(abs(page.js("chamomile.camera.azimuth") - azimuth - 0.1) < 1e-9, "the arrow key does not rotate the view")
        page.key("c", "c")
        center = page.js("chamomile.camera.center")
        check(min(math.dist(center, (x, 0, 0)) for x in (-5, 5)) < 0.5, f"centered on {center}")
        # Following persists when a new frame arrives, and keys zoom.
        page.js("chamomile.camera.center = [0, 0, 0]")
        page.key("f", "f")
        page.key("s", "s")
        step += 1
        page.until(f"chamomile.head.step == {step}")
        check(page.js("chamomile.camera.center") != [0, 0, 0] and page.js("document.getElementById('follow').checked"), "the camera does not follow")
        page.key("f", "f")
        distance = page.js("chamomile.camera.distance")
        page.key("+", "+")
        check(abs(page.js("chamomile.camera.distance") / distance - 0.8) < 1e-9, "the key + does not zoom")
        azimuth = page.js("chamomile.camera.azimuth")
        page.key("o", "o")
        page.until(f"chamomile.camera.azimuth > {azimuth} + 0.02")
        page.key("o", "o")
        page.key("r", "r")
        # Zooming in requests points from a smaller cube.
        page.js("chamomile.camera.center = [5, 0, 0]; chamomile.camera.distance = 1")
        page.until("chamomile.head.half == 4 && chamomile.head.step == " + str(step))
        check(len(bright(look(page, "near"))) > 2000, "a close view is empty")
        # Far more or fewer points, also in a pause.
        page.js("chamomile.camera.distance = 25; chamomile.camera.center = [0, 0, 0]")
        select(page, "points", 10000)
        page.until("chamomile.head.half == 100")
        # A picture.
        page("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(top / "saved"))
        page.key("p", "p")
        page.until("chamomile.saved > 3000")
        # Lost graphics come back.
        page.js("window.lost = chamomile.drawing.gl.getExtension('WEBGL_lose_context'); lost.loseContext()")
        page.until("chamomile.drawing.trouble")
        page.js("lost.restoreContext()")
        page.until("!chamomile.drawing.trouble")
        page.js("dispatchEvent(new Event('resize'))")
        check(len(bright(look(page, "restored"))) > 500, "black after the graphics were lost and restored")
        check(page.js("chamomile.head.step") == step, "the run advanced during the pause")
        # Buttons.
        page.key("s", "s")
        page.until(f"chamomile.head.step == {step + 1}")
        page.key(" ", " ")
        page.until(f"!chamomile.head.paused && chamomile.head.step > {step + 3}")
        page.js("document.getElementById('checkpoint').click()")
        page.until("chamomile.head.note.includes('checkpoint_')")
        for event in page.complaints():
            check(False, f"the browser reports an error: {event}")
        others = [url for url in page.requests() if not url.startswith((viewed.url.partition('#')[0], "about:", "data:", "blob:"))]
        check(not others, f"the page requests other addresses: {others}")
        page.js("document.getElementById('stop').click()")
        time.sleep(0.5)
        check(viewed.process.poll() is None, "one click stops the run")
        page.js("document.getElementById('stop').click()")
        page.until("document.getElementById('status').textContent.includes('has ended')")
        status, out, _ = viewed.end(10)
        check(status == 0 and "stopped by the view" in out, f"stop: {status} {out}")


def box(top):
    """A periodic box shows its edges and far faces, with the camera in front."""
    chamomile(top, *"model cosmology --n 16 --box 10 --z-start 9 --seed 1 -o box.hdf5 -q".split())
    viewed = Viewed(top, *"run box.hdf5 --z-end 0 -o box --view".split())
    with Chromium() as page:
        arrive(page, viewed)
        page.until("chamomile.drawing.count == 4096")
        rows = page.pixels(PICTURES / "box.png" if PICTURES else None)
        seen = page.js("[...Array(8).keys()].map(k => chamomile.camera.project([k & 1, k >> 1 & 1, k >> 2].map(b => b * chamomile.scene.box), innerWidth, innerHeight))")
        a, b = seen[0], seen[1]
        middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]
        line = [rows[int(middle[1]) + dy][int(middle[0]) + dx] for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
        check(any(min(pixel) > 60 for pixel in line), f"no box edge at {middle}: {line}")
        # No point on a far face is black, unlike the picture's corner; k ^ 1 differs from k in x.
        far = max(range(8), key=lambda k: seen[k][2])
        face = [seen[k] for k in (far, far ^ 1, far ^ 1 ^ 2, far ^ 2)]
        inside = [[sum(weight * corner[axis] for weight, corner in zip(((1 - u) * (1 - v), u * (1 - v), u * v, (1 - u) * v), face)) for axis in (0, 1)]
                  for u in (0.15, 0.3, 0.5, 0.7, 0.85) for v in (0.15, 0.3, 0.5, 0.7, 0.85)]
        tints = [rows[int(y)][int(x)][2] for x, y in inside if 0 <= x < 1000 and TOP <= y < 700 - BOTTOM]
        check(len(tints) > 12 and min(tints) > 20 and max(rows[TOP + 5][-5]) < 10, f"no box face: {sorted(tints)[:5]} of {len(tints)}")
        check("z = " in page.js("document.getElementById('status').textContent"), "no redshift")
        check(page.js("chamomile.scene.lengthName") == "Mpc/h", page.js("chamomile.scene.lengthName"))
        # In a narrow window the first view is farther away.
        page("Emulation.setDeviceMetricsOverride", width=420, height=760, deviceScaleFactor=1, mobile=False)
        page.key("r", "r")
        places = page.js("[...Array(8).keys()].map(k => chamomile.camera.project([k & 1, k >> 1 & 1, k >> 2].map(b => b * chamomile.scene.box), innerWidth, innerHeight)[0])")
        check(0 < min(places) and max(places) < 420, f"a narrow window cuts the box: {places}")
    viewed.kill()


def strangers(top):
    """A page from another origin can neither read nor command, with or without token."""
    viewed = Viewed(top, *"run two.txt --t-end 1000 --dt 0.001 --eps 0.1 -o strange --view".split())
    before = viewed.frame()[0]
    with Chromium() as page:
        page.go("data:text/html,<h1>another page")
        page.until("document.body && document.body.innerText.includes('another')")
        address = viewed.url.partition("/#")[0]
        for code in (f"fetch('{address}/scene')", f"fetch('{address}/do/stop', {{method: 'POST'}})", f"fetch('{address}/')",
                     f"fetch('{address}/do/stop', {{method: 'POST', headers: {{'X-Chamomile-Token': '{viewed.token}'}}}})"):
            check(page.js(f"{code}.then(() => 'read', error => 'failed')") == "failed", f"{code}: another page could read the view")
        page.js(f"fetch('{address}/do/stop', {{method: 'POST', mode: 'no-cors'}}).catch(() => 0)")
        page.js(f"document.body.innerHTML = '<iframe src=\"{viewed.url}\"></iframe>'")
        time.sleep(2)
        # The frame is refused: the page requested no particle frame.
        check(not any("/frame" in url for url in page.requests()), "another page holds the view in a frame")
    check(viewed.until(lambda head: head["step"] > before["step"]), "the run was stopped")
    check(viewed.process.poll() is None, "the run was stopped")
    viewed.kill()


def without_network(top):
    """With the loopback interface only."""
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rn", "true"], capture_output=True).returncode:
        print("no network namespaces: the page was not tested without a network")
        return
    script = (f"import sys; sys.argv = {sys.argv[:3]!r}; sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})\n"
              "from chromium import Chromium\nfrom viewing import Viewed\n"
              f"viewed = Viewed({str(top)!r}, *'run two.txt --t-end 1000 --dt 0.001 --eps 0.1 -o alone --view'.split())\n"
              "with Chromium() as page:\n    page.go(viewed.url)\n    page.until('window.chamomile && chamomile.frames > 2 && chamomile.drawing.draws > 2')\n"
              "viewed.kill()\nprint('seen')\n")
    done = subprocess.run(["unshare", "-rn", "sh", "-c", 'ip link set lo up; exec "$0" -c "$1"', sys.executable, script], capture_output=True, text=True, timeout=120)
    check(done.stdout.strip() == "seen", f"without a network: {done.stdout} {done.stderr[-500:]}")


if PICTURES:
    PICTURES.mkdir(parents=True, exist_ok=True)
run_parts("the page shows what is there", two_spheres, pictures, box, strangers, without_network)
