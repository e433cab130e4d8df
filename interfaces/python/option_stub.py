"""Writes _options.pyi, the types of the option keywords, from the module's table: option_stub.py FOLDER_OF_MODULE FILE."""

import pathlib
import sys

sys.path.insert(0, sys.argv[1])
import _chamomile  # noqa: E402

lines = ["from typing import Literal, Optional, Sequence, TypedDict"]
for name, base, rows in zip(("Options", "SimulationOptions", "RunSettings"), ("TypedDict", "Options", "TypedDict"), _chamomile.option_table()):
    lines += ["", f"class {name}({base}, total=False):"]
    lines += [f"    {key}: Optional[{'Literal' + repr(words) if words else kind}]" for key, kind, words, *_ in rows]
pathlib.Path(sys.argv[2]).write_text("\n".join(lines) + "\n")
