#!/usr/bin/env python3
"""Plots, as SVG and PNG, of what `chamomile accuracy --hdf5` wrote:

    docs/scripts/accuracy_plots.py errors.hdf5 [more.hdf5 ...] [-o FOLDER]

For the particles of each sample: SOURCE_N_distribution, the fraction of particles whose error is larger, one curve per setting;
SOURCE_N_cost, the 99 % error against time and against interactions per particle, one curve per criterion and order of the tree; and
SOURCE_N_radius, median and 99 % error in bins of equally many particles. SOURCE is the model or the name of the file. Where two samples
have the same SOURCE and N, the name of the HDF5 file stands before it. Beyond six settings, distribution and radius show six of them.
"""
import argparse
import pathlib
import sys

try:
    import h5py
    import matplotlib
    import numpy as np
except ImportError as missing:
    sys.exit(f"accuracy_plots.py: {missing.name} is missing: install python3-{missing.name} (Debian, Ubuntu) or pip install {missing.name}")

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import LogLocator, NullFormatter  # noqa: E402

from scaling import COLOURS  # noqa: E402

FAMILY = ("device", "instruction set", "softening", "solver", "precision", "order", "local order", "group", "leaf", "criterion")
LIMIT = ("tolerance", "theta")  # varies along a cost curve; each criterion uses one
NAMES = ("device", "instruction set", "criterion", "precision")  # value without option name
SHOWN = 6  # max curves for distributions and radii
STYLES = ("-", "--", ":", "-.")
plt.rcParams.update({"figure.figsize": (7, 4.6), "font.size": 9, "axes.grid": True, "grid.color": "#ddd", "lines.linewidth": 1.4,
                     "legend.fontsize": 7.5, "svg.fonttype": "none", "svg.hashsalt": "chamomile", "savefig.bbox": "tight"})


def text(value):
    """Returns an attribute in table spelling."""
    if isinstance(value, (bytes, str)):
        return value.decode() if isinstance(value, bytes) else value
    return f"{value:g}"


def number(value):
    """Returns NaN if the setting has no such number."""
    return np.nan if isinstance(value, (bytes, str)) else float(value)


def read(files):
    """Returns file, name, radii and settings per sample; a setting has attributes and error arrays."""
    samples = []
    for name in files:
        try:
            opened = h5py.File(name)
        except OSError as error:
            sys.exit(f"accuracy_plots.py: {name}: cannot be read: {str(error).splitlines()[0]}")
        with opened as file:
            if "Header" not in file or "Setting_0000" not in file:
                sys.exit(f"accuracy_plots.py: {name}: no file of 'chamomile accuracy --hdf5'")
            settings = [(dict(group.attrs), {key: group[key][:] for key in group}) for key, group in file.items() if key.startswith("Setting_")]
            for key, group in file.items():
                if key.startswith("Sample_"):
                    own = [s for s in settings if text(s[0]["sample"]) == key]
                    samples.append((name, text(group.attrs["particles from"]), int(group.attrs["N"]), group["radius"][:], own))
    return samples


def is_tree(setting):
    return text(setting[0]["solver"]) == "tree"


def labels(settings, keys):
    """Returns labels with the attributes that distinguish the settings; direct sums use their own attributes only."""
    words = [{key: text(s[0].get(key, "-")) for key in keys} for s in settings]

    def label(own):
        others = [w for w in words if w["solver"] == own["solver"]]
        differing = [key for key in keys if len({w[key] for w in others}) > 1 and own[key] != "-"]
        named = [own[key] if key in NAMES else f"{key} {own[key]}" for key in differing]
        return ", ".join(([] if own["solver"] == "tree" else [own["solver"] + " sum"]) + named) or own["solver"]
    return [label(w) for w in words]


def thinned(settings):
    """Returns at most SHOWN settings, evenly spaced by 99 % error, and a legend title if some are omitted."""
    ordered = sorted(settings, key=lambda s: -number(s[0]["99 %"]))
    places = np.unique(np.linspace(0, len(ordered) - 1, min(SHOWN, len(ordered))).round().astype(int))
    return [ordered[k] for k in places], f"{len(places)} of {len(ordered)} settings" if len(places) < len(ordered) else None


def look(k):
    return {"color": COLOURS[k % len(COLOURS)], "linestyle": STYLES[k // len(COLOURS) % len(STYLES)]}


def plain_ticks(axis):
    """Sets ticks at 1, 2, 5 per decade, for axes with few decades."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def legend_below(axes, title):
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False, title=title)


def distribution(title, radii, settings):
    figure, axes = plt.subplots()
    chosen, some = thinned(settings)
    for k, ((_, errors), label) in enumerate(zip(chosen, labels(chosen, FAMILY + LIMIT))):
        x = np.sort(errors["acceleration"])
        part = 1 - np.arange(len(x)) / len(x)
        keep = np.unique(np.geomspace(1, len(x), 60).astype(int)) - 1  # denser in the tail
        keep = np.unique(np.concatenate([keep, len(x) - 1 - keep]))
        axes.plot(x[keep], part[keep], label=label, **look(k))
    axes.set(xscale="log", yscale="log", xlabel="|Δa| / |a|", ylabel="fraction of particles with a larger error", title=title,
             ylim=(0.8 / len(radii), 1.2))
    legend_below(axes, some)
    return figure


def cost(title, radii, settings):
    figure, sides = plt.subplots(1, 2, sharey=True, figsize=(9, 4.6))
    families = {}
    for setting in [s for s in settings if is_tree(s)] or settings:  # a direct sum would push the trees into a corner
        families.setdefault(tuple(text(setting[0].get(key, "-")) for key in FAMILY), []).append(setting)
    first = [family[0] for family in families.values()]
    for k, (family, label) in enumerate(zip(families.values(), labels(first, FAMILY))):
        family = sorted(family, key=lambda s: number(s[0]["99 %"]))
        error = [number(s[0]["99 %"]) for s in family]
        times = [1e3 * number(s[0]["seconds"]) if number(s[0]["targets"]) == number(s[0]["N"]) else np.nan for s in family]
        pairs = [sum(number(s[0][key]) for key in ("particles", "cells", "far")) for s in family]
        marker = {"marker": "o", "markersize": 4}
        sides[0].plot(times, error, **marker, **look(k))
        sides[1].plot(pairs, error, label=label, **marker, **look(k))
    sides[0].set(xscale="log", yscale="log", xlabel="ms for one evaluation", ylabel="99 % of |Δa| / |a|")
    sides[1].set(xscale="log", xlabel="particles + cells + far cells per particle")
    for axis in (sides[0].xaxis, sides[1].xaxis, sides[0].yaxis):
        plain_ticks(axis)
    sides[1].legend(loc="best")
    figure.suptitle(title, y=0.95)
    return figure


def radius(title, radii, settings):
    figure, axes = plt.subplots()
    chosen, some = thinned(settings)
    bins = np.array_split(np.argsort(radii, kind="stable"), max(1, min(20, len(radii) // 100)))
    middle = [np.median(radii[own]) for own in bins]
    for k, ((_, errors), label) in enumerate(zip(chosen, labels(chosen, FAMILY + LIMIT))):
        for percentile, style in ((50, "-"), (99, "--")):
            axes.plot(middle, [np.percentile(errors["acceleration"][own], percentile) for own in bins], color=COLOURS[k % len(COLOURS)],
                      linestyle=style, label=label if percentile == 50 else None)
    axes.set(xscale="log", yscale="log", xlabel="distance from the center of mass", ylabel="|Δa| / |a|: median, dashed 99 %", title=title)
    plain_ticks(axes.xaxis)
    legend_below(axes, some)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("hdf5", nargs="+")
    parser.add_argument("-o", "--output", default=".", type=pathlib.Path, metavar="FOLDER")
    arguments = parser.parse_args()
    samples = read(arguments.hdf5)
    stems = [f"{pathlib.Path(source).stem}_{n}" for _, source, n, _, _ in samples]
    stems = [stem if stems.count(stem) == 1 else f"{pathlib.Path(file).stem}_{stem}" for stem, (file, *_) in zip(stems, samples)]
    if twice := [stem for k, stem in enumerate(stems) if stem in stems[:k]]:
        sys.exit(f"accuracy_plots.py: {twice[0]}: two samples have this name: give files of other names")
    arguments.output.mkdir(parents=True, exist_ok=True)
    for stem, (_, source, n, radii, settings) in zip(stems, samples):
        for plot in (distribution, cost, radius):
            figure = plot(f"{pathlib.Path(source).stem}, N = {n}", radii, settings)
            for extension in ("svg", "png"):
                figure.savefig(arguments.output / f"{stem}_{plot.__name__}.{extension}", dpi=100,
                               metadata={"Date": None} if extension == "svg" else None)
            plt.close(figure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
