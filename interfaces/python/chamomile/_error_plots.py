"""Plots of force errors, from the file of `chamomile accuracy --hdf5`."""

from __future__ import annotations

import pathlib
from typing import Any, Callable, Optional, Sequence

from ._drawing import COLOURS, PlotError, _finish

ERROR_PLOTS = ("distribution", "cost", "radius")
FAMILY = ("forces of", "device", "instruction set", "softening", "solver", "precision", "order", "local order", "group", "leaf", "criterion")
LIMIT = ("tolerance", "theta")  # varies along a cost curve; each criterion uses one
NAMES = ("forces of", "device", "instruction set", "criterion", "precision")  # value without option name
STYLES = ("-", "--", ":", "-.")
Setting = tuple[dict[str, Any], dict[str, Any]]  # attributes, errors
Sample = tuple[str, int, Any, list[Setting]]  # source, N, radii, settings


def _text(value: Any) -> str:
    """An attribute in table spelling."""
    if isinstance(value, (bytes, str)):
        return value.decode() if isinstance(value, bytes) else value
    return f"{value:g}"


def _value(value: Any) -> float:
    """NaN if the setting has no such number."""
    return float("nan") if isinstance(value, (bytes, str)) else float(value)


def _read_errors(path: pathlib.Path) -> list[Sample]:
    try:
        import h5py
    except ImportError as fault:
        raise PlotError(f"plot: needs h5py for Python (Debian: python3-h5py; pip install h5py): {fault}") from None
    try:
        opened = h5py.File(path)
    except OSError as fault:
        raise PlotError(f"{path}: cannot be read: {str(fault).splitlines()[0]}") from None
    with opened as file:
        if "Header" not in file or "Setting_0000" not in file:
            raise PlotError(f"{path}: is a file: must be the folder of a run, or written by 'accuracy --hdf5'")
        settings = [(dict(group.attrs), {key: group[key][:] for key in group}) for key, group in file.items() if key.startswith("Setting_")]
        return [
            (_text(group.attrs["particles from"]), int(group.attrs["N"]), group["radius"][:],
             [s for s in settings if _text(s[0]["sample"]) == key and "acceleration" in s[1]])
            for key, group in file.items() if key.startswith("Sample_")
        ]


def _labels(settings: Sequence[Setting], keys: Sequence[str]) -> list[str]:
    """Labels with the attributes that distinguish the settings; direct sums use their own attributes only."""
    words = [{key: _text(s[0].get(key, "-")) for key in keys} for s in settings]

    def label(own: dict[str, str]) -> str:
        others = [w for w in words if w["solver"] == own["solver"]]
        differing = [key for key in keys if key != "solver" and own[key] != "-" and (key == "forces of" or len({w[key] for w in others}) > 1)]
        named = [own[key] if key in NAMES else f"{key} {own[key]}" for key in differing]
        kind = [] if own["solver"] in ("tree", "-") else [own["solver"] + " sum"]
        return ", ".join(kind + named) or own["solver"]

    return [label(w) for w in words]


def _thinned(settings: Sequence[Setting], most: int = 12) -> tuple[list[Setting], Optional[str]]:
    """At most `most` settings, evenly spaced by 99 % error, and a legend title if some are omitted."""
    ordered = sorted(settings, key=lambda s: -_value(s[0]["99 %"]))
    places = sorted({round(k * (len(ordered) - 1) / max(1, most - 1)) for k in range(min(most, len(ordered)))}) if len(ordered) > most else range(len(ordered))
    return [ordered[k] for k in places], f"{len(places)} of {len(ordered)} settings" if len(places) < len(ordered) else None


def _look(k: int) -> dict[str, Any]:
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": STYLES[k // len(COLOURS) % len(STYLES)]}


def _distribution(sample: Sample, figure: Any) -> None:
    import numpy

    axes = figure.subplots()
    chosen, some = _thinned(sample[3])
    for k, ((_, errors), label) in enumerate(zip(chosen, _labels(chosen, FAMILY + LIMIT))):
        x = numpy.sort(errors["acceleration"])
        part = 1 - numpy.arange(len(x)) / len(x)
        keep = numpy.unique(numpy.geomspace(1, len(x), 60).astype(int)) - 1  # denser in the tail
        keep = numpy.unique(numpy.concatenate([keep, len(x) - 1 - keep]))
        axes.plot(numpy.where(x > 0, x, numpy.nan)[keep], part[keep], label=label, **_look(k))
    axes.set(xscale="log", yscale="log", ylim=(0.8 / len(sample[2]), 1.2))
    _finish(axes, "|Δa| / |a|", "fraction of particles with a larger error", above=True, ncols=2, title=some)


def _cost(sample: Sample, figure: Any) -> None:
    sides = figure.subplots(1, 2, sharey=True)
    own = [s for s in sample[3] if _text(s[0].get("forces of", "-")) == "-"]
    families: dict[tuple[str, ...], list[Setting]] = {}
    for setting in [s for s in own if _text(s[0]["solver"]) == "tree"] or own:  # a direct sum would push the trees into a corner
        families.setdefault(tuple(_text(setting[0].get(key, "-")) for key in FAMILY), []).append(setting)
    for k, (family, label) in enumerate(zip(families.values(), _labels([family[0] for family in families.values()], FAMILY))):
        family = sorted(family, key=lambda s: _value(s[0]["99 %"]))
        error = [_value(s[0]["99 %"]) for s in family]
        times = [1e3 * _value(s[0]["seconds"]) if _value(s[0]["targets"]) == _value(s[0]["N"]) else float("nan") for s in family]
        pairs = [sum(_value(s[0][key]) for key in ("particles", "cells", "far")) for s in family]
        sides[0].plot(times, error, marker="o", markersize=4, label=label, **_look(k))
        sides[1].plot(pairs, error, marker="o", markersize=4, **_look(k))
        for s, x, y in zip(family, pairs, error):  # the limit at each point
            limits = [_text(s[0][key]) for key in LIMIT if _text(s[0].get(key, "-")) != "-"]
            sides[1].annotate(limits[0] if limits else "", (x, y), xytext=(4, 3), textcoords="offset points", fontsize=6, color=_look(k)["color"])
    for axes in sides:
        axes.set(xscale="log", yscale="log")
    _finish(sides[0], "ms for one evaluation", "99 % of |Δa| / |a|", above=len(families) < 5)
    _finish(sides[1], "particles + cells + far cells per particle", "")


def _radius(sample: Sample, figure: Any) -> None:
    import numpy

    radii, settings = sample[2], sample[3]
    axes = figure.subplots()
    chosen, some = _thinned(settings)
    bins = numpy.array_split(numpy.argsort(radii, kind="stable"), max(1, min(20, len(radii) // 100)))
    middle = [numpy.median(radii[own]) for own in bins]
    for k, ((_, errors), label) in enumerate(zip(chosen, _labels(chosen, FAMILY + LIMIT))):
        for percentile, style in ((50, "-"), (99, "--")):
            values = [numpy.percentile(errors["acceleration"][own], percentile) for own in bins]
            axes.plot(middle, values, color=COLOURS[k % len(COLOURS)], linestyle=style, marker="" if k < len(COLOURS) else "o", markersize=3, label=label if percentile == 50 else None)
    axes.set(xscale="log", yscale="log")
    _finish(axes, "distance from the center of mass", "|Δa| / |a|: median, dashed 99 %", above=True, ncols=2, title=some)


_ERROR_MAKERS: dict[str, Callable[[Sample, Any], None]] = {"distribution": _distribution, "cost": _cost, "radius": _radius}


def error_jobs(path: pathlib.Path, plots: Sequence[str]) -> list[tuple[str, str, Callable[[Any], None], tuple[float, float]]]:
    """The plots of a file: name of the picture, title, function and size. Names begin with the file's name, so that files do not collide."""
    samples = [sample for sample in _read_errors(path) if sample[3]]
    jobs: list[tuple[str, str, Callable[[Any], None], tuple[float, float]]] = []
    for number, sample in enumerate(samples):
        source = f"{pathlib.Path(sample[0]).stem}_{sample[1]}"
        several = len(samples) > 1
        twice = [s[:2] for s in samples].count(sample[:2]) > 1
        stem = path.stem + (f"_{source}" if several else "") + (f"_{number}" if twice else "")
        for name in plots:
            if name == "cost" and all(_text(s[0].get("forces of", "-")) != "-" for s in sample[3]):
                continue
            size = (9.0, 4.8) if name == "cost" else (7.0, 5.0)
            title = f"{pathlib.Path(sample[0]).stem}, N = {sample[1]}"
            jobs.append((f"{stem}_{name}", title, lambda figure, make=_ERROR_MAKERS[name], of=sample: make(of, figure), size))
    if not jobs:
        raise PlotError(f"{path}: no settings with times: cost is known for own forces only")
    return jobs
