#!/usr/bin/env python3
"""Measures how long a viewer that requests a million points continuously delays the steps of a large run:

tests/program/view_hold.py . PROGRAM [PARTICLES [OPTIONS OF run...]]      default: 1e7

Prints the line from the run's summary, and fails above 100 ms per sample or 2 % of the time.
"""
import re
import sys
import tempfile
import threading
import time

from program import check, end
from viewing import Viewed, watch

PARTICLES, OPTIONS = (sys.argv[3:4] or ["1e7"])[0], sys.argv[4:]
STEPS = 20

with tempfile.TemporaryDirectory() as top:
    words = f"run --model plummer -n {PARTICLES} --t-end 1000 --dt 0.001 --eps 0.01 --snapshot-every 1000 --energy-every 1000 -o out --view".split()
    viewed, stop, frames = Viewed(top, *words, *OPTIONS, seconds=600), threading.Event(), []
    first = viewed.until(lambda head: True, seconds=600)["step"]
    begun = time.monotonic()
    watcher = threading.Thread(target=watch, args=(viewed, stop, frames), daemon=True)
    watcher.start()
    while not frames or frames[-1] < first + STEPS or time.monotonic() < begun + 30:
        time.sleep(0.1)
    viewed.do("stop")
    status, out, errors = viewed.end(600)
    stop.set()
    print("\n".join(line for line in out.splitlines() if re.match(r"device|viewers|[0-9]+ steps? in", line)))
    found = re.search(r"viewers took ([0-9.e+-]+) % of the time: .*?, ([0-9.e+-]+) ms at most", out)
    check(status == 0 and found, f"{status} {out} {errors}")
    if found:
        check(float(found[1]) <= 2 and float(found[2]) < 100, f"the view delays the run by more than 2 % or 100 ms: {found[0]}")
end(f"{len(frames)} frames")
