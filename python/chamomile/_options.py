"""The keywords that decide a force and a time loop, from the table of the library."""

from __future__ import annotations

import textwrap
from typing import Annotated, Any, Literal, TypedDict

from . import _chamomile

_FORCES, _RUNS = _chamomile.option_table()
_TYPES = {"float": float, "int": int, "str": str, "bool": bool}


def _hint(kind: str, words: list[Any], default: Any, text: str) -> Any:
    """Such as Annotated[Literal['tree', 'direct'], 'how forces are summed; default tree']."""
    shown = "" if default is None else f"; default {default}"
    return Annotated[Literal[tuple(words)] if words else _TYPES[kind], text + shown]


def _explained(rows: list[Any]) -> str:
    """A paragraph for each option, with the values that it takes."""
    paragraphs = []
    for name, kind, words, default, text, *_ in rows:
        values = " | ".join(map(repr, words)) or kind
        shown = "" if default is None else f"; default {default}"
        paragraphs.append(textwrap.fill(f"{name} ({values}): {text}{shown}", 100, subsequent_indent="    "))
    return "\n".join(paragraphs)


def _typed(name: str, rows: list[Any], doc: str) -> Any:
    made = TypedDict(name, {row[0]: _hint(*row[1:5]) for row in rows}, total=False)  # type: ignore[misc]
    made.__doc__ = f"{doc}\n\n{_explained(rows)}"
    return made


Options = _typed("Options", _FORCES, "Keywords of Solver, Simulation, accuracy() and the functions; None counts as not given.")
SimulationOptions = _typed("SimulationOptions", _FORCES + _RUNS, "Keywords of Simulation; None counts as not given.")
