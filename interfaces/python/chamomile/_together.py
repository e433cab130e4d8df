"""Several runs in one figure: each plot is drawn for one run after another, on the same axes."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Sequence

from ._drawing import COLOURS, PlotError, _ticks

LINES = ("-", "--", ":", "-.", (0, (5, 1, 1, 1, 1, 1)), (0, (1, 4)), (0, (8, 3)))  # by quantity; colours are by run


def run_names(folders: Sequence[pathlib.Path]) -> list[str]:
    """The names of the folders, or their paths if two names are equal."""
    names = [folder.resolve().name for folder in folders]
    return names if len(set(names)) == len(names) else [str(folder) for folder in folders]


class _SharedFigure:
    """A figure whose axes are made once."""

    def __init__(self, figure: Any) -> None:
        self.figure = figure
        self.axes: Any = None

    def subplots(self, *words: Any, **named: Any) -> Any:
        if self.axes is None:
            self.axes = self.figure.subplots(*words, **named)
        return self.axes


def _restyle(axes: Any, lines: Sequence[Any], collections: Sequence[Any], colour: str, styles: dict[str, Any]) -> None:
    """Gives the lines of a run its colour, and solid lines a style by label if there are several. Lines across the axes, such as at 0, stay as they are."""
    lines = [line for line in lines if line.get_transform() == axes.transData]
    solid = [line for line in lines if line.get_linestyle() == "-"]
    for line in solid if len(solid) > 1 else ():
        line.set_linestyle(styles.setdefault(line.get_label(), LINES[len(styles) % len(LINES)]))
    for part in [*lines, *collections]:
        part.set_color(colour)


def _legend(axes: Any, names: Sequence[str], runs: Sequence[Sequence[Any]]) -> None:
    """Replaces the legend: a colour for each run, and a black line for each quantity if there are several."""
    from matplotlib.lines import Line2D

    first = [labelled[0][0] if labelled else "" for labelled in runs]
    is_epoch = len(set(first)) > 1  # such as redshifts that differ, which stand beside the names
    handles = [Line2D([], [], color=COLOURS[k], label=f"{name}, {label}" if is_epoch and label else name) for k, (name, label) in enumerate(zip(names, first))]
    quantities = {label: line for labelled in runs for label, line in labelled[is_epoch:]}
    if len(quantities) < 2 and not is_epoch:
        quantities = {}
    for label, line in quantities.items():
        quantities[label] = Line2D([], [])
        quantities[label].update_from(line)
        quantities[label].set(color="black", label=label)
    others = list(quantities.values())
    words = getattr(axes, "legend_words", {})
    if "bbox_to_anchor" in words and others:  # above the axes
        axes.add_artist(axes.legend(handles=handles, fontsize="small", framealpha=0.8))
        axes.legend(handles=others, **words)
    else:
        axes.legend(handles=handles + others, fontsize="small", framealpha=0.8)


def draw_together(make: Callable[[pathlib.Path, Any], None], folders: Sequence[pathlib.Path], figure: Any) -> None:
    """Draws all runs with `make`, which draws one. Refuses axes with different units."""
    shared, names = _SharedFigure(figure), run_names(folders)
    drawn: dict[Any, list[list[Any]]] = {}
    first: dict[Any, tuple[str, str]] = {}
    lowest: dict[Any, float] = {}
    styles: dict[Any, dict[str, Any]] = {}
    for folder, colour in zip(folders, COLOURS):
        before = {axes: (len(axes.lines), len(axes.collections)) for axes in figure.axes}
        for axes in figure.axes:
            axes.autoscale(True)
        make(folder, shared)
        for axes in figure.axes:
            labels = (axes.get_xlabel(), axes.get_ylabel())
            if first.setdefault(axes, labels) != labels:
                texts = next((new, old) for new, old in zip(labels, first[axes]) if new != old)
                raise PlotError(f"{folder}: '{texts[0]}': must be '{texts[1]}', as in {folders[0]}")
            lines, collections = before.get(axes, (0, 0))
            bars = [(box.get_label(), box.lines[0]) for box in axes.containers if box.lines[0] in list(axes.lines)[lines:]]
            new = bars + [(line.get_label(), line) for line in list(axes.lines)[lines:]]
            drawn.setdefault(axes, []).append([(label, line) for label, line in new if not label.startswith("_")])
            _restyle(axes, list(axes.lines)[lines:], list(axes.collections)[collections:], colour, styles.setdefault(axes, {}))
            lowest[axes] = min(axes.get_ylim()[0], lowest.get(axes, axes.get_ylim()[0]))
    for axes, runs in drawn.items():
        if not axes.get_autoscaley_on():  # a plot that chose its lower end
            axes.set_ylim(bottom=lowest[axes])
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":
                _ticks(axis)
        if any(runs):
            _legend(axes, names, runs)
