"""Runs the functions test_* of all test_*.py in this folder; pytest works as well. Arguments: parts of test names to select."""

import importlib
import pathlib
import sys
import time
import traceback
import unittest

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here))


def main() -> int:
    passed, skipped, failed = 0, 0, []
    for path in sorted(here.glob("test_*.py")):
        module = importlib.import_module(path.stem)
        for name, function in list(vars(module).items()):
            full = f"{path.stem}.{name}"
            if not name.startswith("test_") or sys.argv[1:] and not any(part in full for part in sys.argv[1:]):
                continue
            start = time.perf_counter()
            try:
                function()
                passed, word = passed + 1, "passed"
            except unittest.SkipTest as reason:
                skipped, word = skipped + 1, f"skipped: {reason}"
            except Exception:
                failed.append(full)
                word = "FAILED\n" + traceback.format_exc()
            print(f"{full}: {word} ({time.perf_counter() - start:.1f} s)", flush=True)
    print(f"{passed} passed, {skipped} skipped, {len(failed)} failed" + "".join(f"\n  {name}" for name in failed))
    return bool(failed) or not passed


if __name__ == "__main__":
    sys.exit(main())
