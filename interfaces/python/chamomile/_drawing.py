"""Colours, axes and faults of all plots."""

from __future__ import annotations

from typing import Any

COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#777777")  # Tol's color-blind safe palette


class PlotError(ValueError):
    """A missing or incomplete table, in one line. `status` is the program's exit status."""

    def __init__(self, line: str, status: int = 3) -> None:
        super().__init__(line)
        self.status = status


def _number(value: float, _: Any = None) -> str:
    """The label of a logarithmic tick: plain near 1, otherwise with a power of ten."""
    if 1e-3 <= value < 1e4:
        return f"{value:g}"
    mantissa, exponent = f"{value:.4e}".split("e")
    return ("" if float(mantissa) == 1 else rf"{float(mantissa):g} $\times$ ") + rf"10$^{{{int(exponent)}}}$"


def _ticks(axis: Any) -> None:
    """Sets ticks of a logarithmic axis: decades; for few decades 1, 2 and 5 of each; for less than one, round numbers."""
    import math

    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    axis.set_major_locator(LogLocator() if decades >= 2.5 else LogLocator(subs=(1, 2, 5)) if decades >= 0.7 else MaxNLocator(5, steps=(1, 2, 5, 10)))
    axis.set_major_formatter(_number)
    axis.set_minor_formatter(NullFormatter())


def _finish(axes: Any, x: str, y: str, **words: Any) -> None:
    for axis in (axes.xaxis, axes.yaxis):
        if axis.get_scale() == "log":
            _ticks(axis)
        else:
            axis.get_major_formatter().set_useMathText(True)  # of a common power of ten
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    axes.grid(alpha=0.25, linewidth=0.5)
    handles, _ = axes.get_legend_handles_labels()
    if handles:
        if words.pop("above", False):
            words.update(loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False)
        axes.legend_words = {"fontsize": "small", "framealpha": 0.8, **words}
        axes.legend(**axes.legend_words)
