"""Keywords of forces, time loops and runs, from the option tables of the library."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any, Literal, Sequence, TypedDict, Union, get_args, get_type_hints

from . import _chamomile

_FORCES, _STEPS, _RUNS = _chamomile.option_table()
_TYPES = {"str | Sequence[float | str]": Union[str, Sequence[Union[float, str]]], "float | str": Union[float, str], "float": float, "int": int, "str": str, "bool": bool}


def _hint(kind: str, words: list[Any], default: Any, text: str) -> Any:
    """Returns a type such as Annotated[Literal['tree', 'direct'], 'how forces are summed; default tree']."""
    shown = "" if default is None else f"; default {default}"
    return Annotated[Literal[tuple(words)] if words else _TYPES[kind], text + shown]


def _explained(options: Any) -> str:
    """Returns a paragraph per option, with its allowed values."""
    paragraphs = []
    for name, hint in get_type_hints(options, include_extras=True).items():
        kind, text = get_args(hint)
        values = " | ".join(getattr(value, "__name__", repr(value)) for value in get_args(kind)) or kind.__name__
        paragraphs.append(textwrap.fill(f"{name} ({values}): {text}", 100, subsequent_indent="    "))
    return "\n".join(paragraphs)


def _typed(name: str, rows: list[Any], doc: str) -> Any:
    made = TypedDict(name, {row[0]: _hint(*row[1:5]) for row in rows}, total=False)  # type: ignore[misc]
    made.__doc__ = doc
    return made


Options = _typed("Options", _FORCES, "Keywords of Solver, Simulation, accuracy() and the functions; None counts as not given.")
SimulationOptions = _typed("SimulationOptions", _FORCES + _STEPS, "Keywords of Simulation; None counts as not given.")
RunSettings = _typed("RunSettings", _RUNS, "Keywords of Simulation.run() with a folder; None counts as not given.")

for _kind in (Options, SimulationOptions, RunSettings):
    _kind.__doc__ = f"{_kind.__doc__}\n\n{_explained(_kind)}"
