"""Plots of a run's tables and of force errors, with matplotlib. The command `chamomile plot` also runs this file."""

from __future__ import annotations

import csv
import os
import pathlib
import re
import sys
from typing import Any, Callable, Optional, Sequence

from ._drawing import COLOURS, PlotError, _finish
from ._error_plots import ERROR_PLOTS, error_jobs
from ._together import draw_together, run_names

TABLES = {"bound": "--bound", "cluster": "--cluster", "escapers": "--cluster", "binaries": "--set cluster.binaries", "encounters": "--set cluster.encounters"}  # NAME.csv of run OPTION
PLOTS = ("energies", "radii", "steps", "power", "mass-function", "profiles", *TABLES)
FORMATS = ("svg", "png")
MYR_PER_PC_S_PER_KM = 3.0856775814913673e13 / 3.15576e13  # Julian years
PARSECS = {"AU": 1.495978707e8 / 3.0856775814913673e13, "pc": 1.0, "kpc": 1e3, "Mpc": 1e6}
_runs: list[pathlib.Path] = []  # those in the figure that is drawn


class Table:
    """The columns of a file by name, and their units."""

    def __init__(self, path: pathlib.Path) -> None:
        self.path = path
        self.head: list[str] = []
        try:
            lines = path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as fault:
            raise PlotError(f"{path}: cannot be read: {fault}") from None
        if path.suffix == ".csv":
            rows = list(csv.reader(lines))
            names, rows = (rows[0], rows[1:]) if rows else ([], [])
        else:
            self.head = [line[2:] for line in lines if line.startswith("#")]
            names = self.head[-1].split() if self.head else []
            rows = [line.split() for line in lines if line.strip() and not line.startswith("#")]
        if not rows or any(len(row) != len(names) for row in rows):
            raise PlotError(f"{path}: not a complete table: {len(names)} columns and {len(rows)} rows")
        self.units = {name.partition(" [")[0]: name.partition(" [")[2].removesuffix("]") for name in names}
        self.factors: dict[str, float] = {}
        for name, unit in self.units.items():  # a unit such as 1e10 Msun becomes Msun, (0.977792 km/s)^2 becomes (km/s)^2
            factor = 1.0
            if mass := re.match(r"(\d\S*) (?=Msun)", unit):
                factor, unit = float(mass[1]), unit[mass.end():]
            if (speed := re.search(r"(\d\S*) km/s(\)\^2)?", unit)) and "/(" not in unit:
                factor *= float(speed[1]) ** (2 if speed[2] else 1)
                unit = unit.replace(speed[1] + " ", "", 1) if speed[2] else unit.replace(speed[0], "km/s")
            self.factors[name], self.units[name] = factor, unit
        self.texts = {name.partition(" [")[0]: [row[k] for row in rows] for k, name in enumerate(names)}

    def __contains__(self, name: str) -> bool:
        return name in self.texts

    def __getitem__(self, name: str) -> Any:
        import numpy

        if name not in self.texts:
            raise PlotError(f"{self.path}: column {name}: missing")
        try:
            return numpy.array([float(text) if text not in ("", "-") else numpy.nan for text in self.texts[name]]) * self.factors.get(name, 1)
        except ValueError as fault:
            raise PlotError(f"{self.path}: column {name}: {fault}") from None

    def label(self, name: str, text: Optional[str] = None) -> str:
        """The name of an axis with its unit."""
        unit = re.sub(r"\^(-?\d+)", r"$^{\1}$", self.units.get(name, ""))
        return f"{text or name.replace('_', ' ')} [{unit}]" if unit else text or name.replace("_", " ")

    def clock(self, name: str = "time") -> tuple[float, str]:
        """The factor from a column of times to years that fit it, in all runs of the figure, and the unit; 1 unless the time unit is a length over a speed."""
        unit = self.units.get(name) or self.units.get("time", "")
        parts = re.fullmatch(r"(AU|pc|kpc|Mpc)(/h)?/\((?:(\S+) )?km/s\)", unit)
        if not parts:
            return 1, unit
        factor = PARSECS[parts[1]] / float(parts[3] or 1) * MYR_PER_PC_S_PER_KM
        longest = factor * self.largest([name])
        word, scale = next(row for row in (("Gyr", 1e3), ("Myr", 1.0), ("kyr", 1e-3), ("yr", 1e-6)) if longest >= 0.5 * row[1] or row[0] == "yr")
        return factor / scale, word + (parts[2] or "")

    def largest(self, names: Sequence[str]) -> float:
        """The largest absolute value of the columns in all runs of the figure; 0 without values."""
        return max((abs(value) for table in [self, *self.others()] for name in names if name in table for value in table[name] if value == value), default=0)

    def others(self) -> list["Table"]:
        """The same table of the other runs in the figure."""
        return [Table(run / self.path.name) for run in _runs if run != self.path.parent]

    def fit_units(self, names: Sequence[str]) -> None:
        """Changes the unit of columns of lengths or times to one that fits them, in all runs of the figure."""
        if not self.units.get(names[0]):
            return
        parts = re.fullmatch(r"(AU|pc|kpc|Mpc)(/h)?", self.units[names[0]])
        largest = self.largest(names)
        if parts and largest > 0:
            largest *= PARSECS[parts[1]]
            word = next(word for word in ("Mpc", "kpc", "pc", "AU") if largest >= 0.1 * PARSECS[word] or word == "AU")
            factor, unit = PARSECS[parts[1]] / PARSECS[word], word + (parts[2] or "")
        else:
            factor, unit = self.clock(max(names, key=lambda name: self.largest([name])))
        for name in names:
            self.factors[name] = self.factors.get(name, 1) * factor
            self.units[name] = unit

    def said(self, pattern: str) -> Optional[str]:
        """The first group of the pattern in the comments, or None."""
        found = re.search(pattern, "\n".join(self.head), re.MULTILINE)
        return found[1] if found else None


def _time_axis(table: Table) -> tuple[Any, str]:
    if len({"scale_factor" in run for run in [table, *table.others()]}) > 1:
        raise PlotError(f"{table.path}: comoving runs and others have no common axis of time")
    if "scale_factor" in table:
        return table["scale_factor"], "scale factor a"
    factor, unit = table.clock()
    return factor * table["time"], f"time [{unit}]" if unit else "time"


def _log_if_positive(axes: Any, values: Any) -> None:
    import numpy

    if (numpy.isfinite(values) & (values > 0)).any():
        axes.set_yscale("log", nonpositive="mask")  # a gap


def _energies(folder: pathlib.Path, figure: Any) -> None:
    import numpy

    table = Table(folder / "energy.csv")
    x, x_label = _time_axis(table)
    error = "layzer_irvine" if "layzer_irvine" in table else "energy_error"
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    for name, colour in zip(("kinetic", "potential", "total", "external", "internal"), COLOURS):
        if name in table and (name not in ("external", "internal") or numpy.any(table["external"] != 0)):
            above.plot(x, table[name], color=colour, label=name)
    _finish(above, "", table.label("total", "energy"), above=True, ncols=5)
    size = numpy.abs(table[error])
    below.plot(x, numpy.where(size > 0, size, numpy.nan), color=COLOURS[6], marker=".", markersize=3)
    _log_if_positive(below, size)
    _finish(below, x_label, "|residue of Layzer-Irvine|" if error == "layzer_irvine" else r"$|\Delta E/E|$")


def _radii(folder: pathlib.Path, figure: Any) -> None:
    import numpy

    table = Table(folder / "energy.csv")
    is_alone = not ("external" in table and numpy.any(table["external"] != 0))  # else -K/W has the motion of the whole
    above, *below = numpy.atleast_1d(figure.subplots(1 + is_alone, 1, sharex=True, height_ratios=[3, 2][:1 + is_alone]))
    names = [name for name in table.texts if re.fullmatch(r"r\d+", name)]
    table.fit_units(names)
    x, x_label = _time_axis(table)
    for name, colour in zip(names, COLOURS):
        above.plot(x, table[name], color=colour, label=f"{name[1:]} %")
    _log_if_positive(above, numpy.concatenate([table[name] for name in names]))
    _finish(above, "" if is_alone else x_label, table.label(names[0], "Lagrangian radius"), above=True, ncols=5)
    for axes in below:
        axes.plot(x, table["virial_ratio"], color=COLOURS[0], label="-K/W")
        axes.axhline(0.5, color=COLOURS[6], linewidth=0.8, linestyle="--", label="equilibrium")
        _finish(axes, x_label, "virial ratio")


def _steps(folder: pathlib.Path, figure: Any) -> None:
    import numpy

    table = Table(folder / "steps.csv")
    factor, unit = table.clock("dt")
    x, x_label = _time_axis(table)
    if (folder / "energy.csv").exists() and "scale_factor" in Table(folder / "energy.csv"):
        x_label = "scale factor a"
    parts = [name for name in table.texts if name.endswith(" ms") and not name.startswith("GPU")]
    parts = sorted(parts, key=lambda name: -numpy.nansum(table[name]))[:6]
    top, middle, low = figure.subplots(3, 1, sharex=True)
    steps = factor * table["dt"]
    later = steps > 0  # line 0: first evaluation, no step
    top.plot(x[later], steps[later], color=COLOURS[0], drawstyle="steps-pre")
    _log_if_positive(top, steps)
    _finish(top, "", "step in ln a" if "scale" in x_label else f"step [{unit}]" if unit else "step")
    for name, label, colour in zip(("particles", "cells", "far"), ("with particles", "with cells", "far cells of a group"), COLOURS):
        if name in table and numpy.nansum(table[name]) > 0:
            middle.plot(x, table[name], color=colour, label=label)
    _finish(middle, "", "interactions per target", above=True, ncols=3)
    for name, colour in zip(parts, COLOURS):
        if numpy.nansum(table[name]) > 0:
            low.plot(x, table[name], color=colour, label=name.removesuffix(" ms"))
    _finish(low, x_label, "time per step [ms]", above=True, ncols=6)


def _numbered(folder: pathlib.Path, start: str, end: str) -> list[tuple[int, pathlib.Path]]:
    found = ((re.fullmatch(rf"{start}(\d+){re.escape(end)}", path.name), path) for path in folder.iterdir())
    return sorted((int(match[1]), path) for match, path in found if match)


def _several(paths: Sequence[tuple[int, pathlib.Path]], most: int = 8) -> list[tuple[int, pathlib.Path]]:
    """At most `most` of the files, including the first and the last; only the last in a figure of several runs."""
    if len(_runs) > 1:
        return list(paths[-1:])
    if len(paths) <= most:
        return list(paths)
    return [paths[round(k * (len(paths) - 1) / (most - 1))] for k in range(most)]


def _shades(count: int) -> list[Any]:
    import matplotlib

    return [matplotlib.colormaps["viridis"](0.9 * k / max(count - 1, 1)) for k in range(count)]


def _epoch(table: Table, number: int) -> str:
    if redshift := table.said(r"redshift ([^,\n]+)"):
        return f"z = {float(redshift):.3g}"
    time = table.said(r"^time ([^,\n]+)")
    return f"t = {float(time):.4g}" if time else f"number {number}"


def _power(folder: pathlib.Path, figure: Any) -> None:
    import numpy

    axes = figure.subplots()
    files = _several(_numbered(folder, "power_", ".txt"))
    note = "'total': with shot noise, because P is negative while particles are near their lattice;\nnot drawn where the lattice has its peaks"
    for (number, path), colour in zip(files, _shades(len(files))):
        table = Table(path)
        k, power, error, text = table["k"], table["P"], table["error"], _epoch(table, number)
        noise = float(table.said(r"^shot noise ([^,\n]+)") or 0)
        if (power < -3 * error).any():  # below shot noise: particles are still on their lattice
            power, text = numpy.where(k < numpy.pi / noise ** (1 / 3), table["total"], numpy.nan), text + ", total"
            axes.set_title(note, fontsize="small", loc="left")
        power = numpy.where(power > error, power, numpy.nan)  # a gap below the noise
        axes.plot(k, power, color=colour, label=text, marker=".", markersize=3)
        axes.fill_between(k, power - error, power + error, color=colour, alpha=0.2, linewidth=0)
        for name, text, style in (("linear", "linear theory", ":"), ("halofit", "Halofit (Takahashi et al. 2012)", "--")):
            if name in table:
                axes.plot(k, table[name], color=colour, linestyle=style, linewidth=0.8, zorder=1, label=text if number == files[-1][0] else None)
    axes.set_xscale("log")
    axes.set_yscale("log")
    length = table.said(r"k in radians per ([^,\n]+),")
    if length and length.startswith("the box"):
        length = None
    _finish(axes, "k" + {None: "", "Mpc/h": " [h/Mpc]"}.get(length, f" [1/{length}]"), "P(k)" + (f" [({length})$^3$]" if length else "") + ", without shot noise unless 'total'")


FITS = (("sheth_tormen", "Sheth & Tormen 1999", ":"), ("warren", "Warren et al. 2006", "--"), ("watson", "Watson et al. 2013", "-."),
        ("tinker", "Tinker et al. 2008", (0, (1, 4))))


def _mass_function(folder: pathlib.Path, figure: Any) -> None:
    import numpy

    axes = figure.subplots()
    files = _several(_numbered(folder, "mass_function_", ".txt"))
    least = []
    for (number, path), colour in zip(files, _shades(len(files))):
        try:
            table = Table(path)
        except PlotError:  # no halos yet
            continue
        seen = table["halos"] > 0
        if seen.any():
            least.append(table["dn_dlnM"][seen].min())
            empty = numpy.flatnonzero(table["M_low"][1:] > 1.001 * table["M_high"][:-1]) + 1  # bins without a row
            mass, n, y = (numpy.insert(numpy.where(seen, table[name], numpy.nan), empty, numpy.nan) for name in ("M", "halos", "dn_dlnM"))
            spread = numpy.array([n - n * (1 - 1 / (9 * n) - 1 / (3 * numpy.sqrt(n))) ** 3, 1 + numpy.sqrt(n + 0.75)])  # Gehrels (1986), eqs. 7 and 9
            axes.errorbar(mass, y, y / n * spread, color=colour, marker="o", markersize=3, capsize=2, label=_epoch(table, number))
        for name, text, style in FITS:
            if name in table:
                axes.plot(table["M"], table[name], color=colour, linestyle=style, linewidth=0.8, zorder=1,
                          label=text if number == files[-1][0] else None)
    if not least:
        raise PlotError(f"{folder}: mass-function: no snapshot has a halo")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.1 * min(least))
    mass, length = table.said(r"M in ([^,\n]+),"), table.said(r"per cubic (\S+)")
    _finish(axes, "mass of a halo, by friends of friends" + (f" [{mass}]" if length else ""),
            r"$dn/d\ln M$" + (f" [({length})$^{{-3}}$]" if length else ""))


def _snapshot_label(folder: pathlib.Path, number: int) -> str:
    """The time of a snapshot with its unit if h5py is available, otherwise its number."""
    try:
        import h5py

        with h5py.File(folder / f"snapshot_{number:03d}.hdf5", "r") as file:
            time = float(file["Header"].attrs["Time"])
        energy = Table(folder / "energy.csv")
        if "scale_factor" in energy:
            return f"a = {time:.4g}"
        factor, unit = energy.clock()
        return f"t = {factor * time:.4g} {unit}".rstrip()
    except (ImportError, OSError, KeyError, PlotError):
        return f"snapshot {number:03d}"


def _profiles(folder: pathlib.Path, figure: Any) -> None:
    import numpy

    files = _several(_numbered(folder, "profile_", ".csv"))
    axes = figure.subplots(2, 2, sharex=True)
    names = (("density", "density"), ("circular_speed", "circular speed"), ("sigma_r", "radial dispersion"), ("anisotropy", r"anisotropy $\beta$"))
    for (number, path), colour in zip(files, _shades(len(files))):
        table = Table(path)
        whole = numpy.array([text == "all" for text in table.texts["type"]])
        label = _snapshot_label(folder, number)
        for (name, _), panel in zip(names, axes.flat):
            inner, outer = table["r_low"][whole], table["r_high"][whole]
            r = outer if name == "circular_speed" else numpy.sqrt(inner * outer)
            y = table[name][whole]
            spread = table["error of " + name][whole] if "error of " + name in table else y * table["relative error of sigma"][whole] if name == "sigma_r" else 0 * y
            seen = numpy.isfinite(y) & ((y > 0) | (name == "anisotropy"))
            y = numpy.where(seen, y, numpy.nan)  # a gap at missing numbers
            low = numpy.maximum(y - spread, 0.17 * y) if name == "density" else y - spread  # lower limit for one particle, Gehrels (1986)
            panel.plot(r, y, color=colour, marker=".", markersize=2, label=label if panel is axes.flat[0] else None)
            panel.fill_between(r, low, y + spread, color=colour, alpha=0.2, linewidth=0)
    for (name, text), panel in zip(names, axes.flat):
        panel.set_xscale("log")
        if name == "density":
            panel.set_yscale("log")
        if name == "anisotropy":
            panel.axhline(0, color=COLOURS[6], linewidth=0.8, linestyle="--")
            panel.set_ylim(-1, 1)
        _finish(panel, table.label("r_low", "radius") if panel in axes[1] else "", table.label(name, text))


def _of_table(name: str, panels: Sequence[tuple[str, str]], style: str = "-") -> Callable[[pathlib.Path, Any], None]:
    """A function that draws columns of NAME.csv against time: for each panel those that a pattern matches, and the label of its axis."""

    def draw(folder: pathlib.Path, figure: Any) -> None:
        import numpy

        table = Table(folder / f"{name}.csv")
        x, x_label = _time_axis(table)
        rows = numpy.atleast_1d(figure.subplots(len(panels), 1, sharex=True))
        for axes, (pattern, label) in zip(rows, panels):
            names = [column for column in table.texts if re.fullmatch(pattern, column)]
            names = [column for column in names if numpy.isfinite(table[column]).any()]
            if names:
                table.fit_units(names)
            for k, column in enumerate(names):
                colour = COLOURS[k % len(COLOURS)]
                axes.plot(x, table[column], linestyle=style, color=colour, marker=".", markersize=3, label=column.replace("_", " ") if len(names) > 1 else None)
            _log_if_positive(axes, numpy.concatenate([table[column] for column in names]) if names and "eccentricity" not in pattern else numpy.zeros(1))
            _finish(axes, x_label if axes is rows[-1] else "", table.label(names[0], label) if names else label, above=True, ncols=4)

    return draw


MAKERS: dict[str, tuple[Callable[[pathlib.Path, Any], None], tuple[float, float]]] = {
    "energies": (_energies, (7, 5.5)),
    "radii": (_radii, (7, 5.5)),
    "steps": (_steps, (7, 7)),
    "power": (_power, (7, 5)),
    "mass-function": (_mass_function, (7, 5)),
    "profiles": (_profiles, (9, 7)),
    "bound": (_of_table("bound", (("mass", "bound mass"), ("half_mass_radius|tidal_radius", "radius"))), (7, 5.5)),
    "cluster": (_of_table("cluster", (("core_radius|r\\d+(_group\\d+)?", "radius"), (".*_relaxation_time", "relaxation time"))), (7, 5.5)),
    "escapers": (_of_table("escapers", (("speed", "speed of escapers"),), "none"), (7, 4)),
    "binaries": (_of_table("binaries", (("semi_major_axis", "semi-major axis"), ("eccentricity", "eccentricity"), ("hardness", "hardness [kT]")), "none"), (7, 7)),
    "encounters": (_of_table("encounters", (("pericenter", "pericenter"), ("speed", "speed at infinity")), "none"), (7, 5.5)),
}
NEEDED = {"power": ("power_", ".txt", "run --power"), "mass-function": ("mass_function_", ".txt", "run --halos"), "profiles": ("profile_", ".csv", "run --profile")}


def _is_there(name: str, folder: pathlib.Path) -> bool:
    if name in NEEDED:
        return bool(_numbered(folder, *NEEDED[name][:2]))
    if name in TABLES:
        return (folder / f"{name}.csv").exists() and (folder / f"{name}.csv").read_text(encoding="utf-8").count("\n") > 1
    if name == "steps":
        return (folder / "steps.csv").exists()
    return (folder / "energy.csv").exists() and (name != "radii" or "r50" in Table(folder / "energy.csv"))


def _require(name: str, folder: pathlib.Path) -> None:
    if _is_there(name, folder):
        return
    if name in NEEDED:
        start, end, maker = NEEDED[name]
        raise PlotError(f"{folder}: {name}: needs {start}NNN{end}, which '{maker}' writes")
    if name in TABLES:
        raise PlotError(f"{folder}: {name}: " + (f"{name}.csv has no rows" if (folder / f"{name}.csv").exists() else f"needs {name}.csv, which 'run {TABLES[name]}' writes"))
    raise PlotError(f"{folder}: {name}: " + ("a comoving run has no Lagrangian radii" if (folder / "energy.csv").exists() and name == "radii"
                                             else f"needs {'steps' if name == 'steps' else 'energy'}.csv, which every run writes"))


def _run_jobs(folders: Sequence[pathlib.Path], plots: Optional[Sequence[str]]) -> list[tuple[str, str, Callable[[Any], None], tuple[float, float]]]:
    """The plots of runs: name of the file, title, function and size."""
    for folder in folders:
        if not folder.is_dir():
            raise PlotError(f"{folder}: {'is a file' if folder.exists() else 'does not exist'}: must be the folder of a run")
        for name in plots or ():
            _require(name, folder)
    wanted = list(plots or [name for name in PLOTS if all(_is_there(name, folder) for folder in folders)])
    if not wanted:
        raise PlotError(f"{folders[0]}: no tables of a run" if len(folders) == 1 else f"{', '.join(map(str, folders))}: have no table in common")
    title = ", ".join(run_names(folders))
    draw = (lambda make, figure: draw_together(make, folders, figure)) if len(folders) > 1 else (lambda make, figure: make(folders[0], figure))
    return [(name, f"{title}: {name.replace('-', ' ')}", lambda figure, make=MAKERS[name][0]: draw(make, figure), MAKERS[name][1]) for name in wanted]


def plot(
    folder: Any,
    output: Any = None,
    *,
    plots: Optional[Sequence[str]] = None,
    formats: Sequence[str] = FORMATS,
    overwrite: bool = False,
) -> list[pathlib.Path]:
    """Plots the tables of a run, or force errors, with axes, units and legends, and returns the files.

    folder: of the run, a list of several for one figure of all, or a file of `chamomile accuracy --hdf5`. output: folder of the plots, by default `plots` in
    the folder of the run, or the folder of the file; several runs need it. plots: any of energies, radii, steps, power, mass-function, profiles, bound,
    cluster, escapers, binaries, encounters, or of distribution, cost, radius for force errors; by default all with existing tables. formats: any of svg, png.
    """
    folders = [pathlib.Path(one) for one in (folder if isinstance(folder, (list, tuple)) else [folder])]
    folder = folders[0]
    is_file = folder.is_file() and folder.suffix in (".hdf5", ".h5") and len(folders) == 1
    if len(folders) > len(COLOURS):
        raise PlotError(f"plot: {len(folders)} runs: must be at most {len(COLOURS)}", 2)
    if len(folders) > 1 and not output:
        raise PlotError(f"plot: {len(folders)} runs: need {'--output' if __name__ == '__main__' else 'output'}", 2)
    output = pathlib.Path(output) if output else folder.parent if is_file else folder / "plots"
    for words, known, what in ((plots or (), ERROR_PLOTS if is_file else PLOTS, "plots"), (formats, FORMATS, "formats")):
        for word in words:
            if word not in known:
                raise PlotError(f"{what}: {word}: must be one of {', '.join(known)}", 2)
    jobs = error_jobs(folder, plots or ERROR_PLOTS) if is_file else _run_jobs(folders, plots)
    files = [[output / f"{stem}.{ending}" for ending in formats] for stem, *_ in jobs]
    if not overwrite:
        for path in (path for paths in files for path in paths):
            if path.exists():
                raise PlotError(f"{path}: exists: give {'--overwrite' if __name__ == '__main__' else 'overwrite=True'} to replace it", 4)
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as fault:
        raise PlotError(f"plot: needs matplotlib for Python (Debian: python3-matplotlib; pip install matplotlib): {fault}") from None
    written = []
    with matplotlib.rc_context({"svg.hashsalt": "chamomile", "axes.spines.top": False, "axes.spines.right": False, "lines.linewidth": 1.3}):
        for (_, title, make, size), paths in zip(jobs, files):
            figure = Figure(figsize=size, layout="constrained")
            _runs[:] = folders
            try:
                make(figure)
            finally:
                _runs.clear()
            figure.suptitle(title, fontsize="medium")
            try:
                output.mkdir(parents=True, exist_ok=True)
                for path in paths:
                    unfinished = path.with_name(f"{path.name}.tmp.{os.getpid()}")
                    figure.savefig(unfinished, format=path.suffix[1:], dpi=150, metadata={"Date": None} if path.suffix == ".svg" else {"Software": "chamomile"})
                    unfinished.replace(path)
                    written.append(path)
            except OSError as fault:
                raise PlotError(f"{output}: cannot be written: {fault.strerror}", 4) from None
    return written


def _main(arguments: Sequence[str]) -> int:
    """Plots for the program, with a checked command line: OUTPUT PLOTS FORMATS OVERWRITE QUIET FOLDER..."""
    output, plots, formats, overwrite, quiet, *folders = arguments
    try:
        written = plot(folders, output or None, plots=plots.split(",") if plots else None, formats=formats.split(","), overwrite=overwrite == "1")
    except PlotError as fault:
        print(f"chamomile: error: {fault}", file=sys.stderr)
        return fault.status
    if quiet != "1":
        print(f"wrote {len(written)} plots to {written[0].parent}: {', '.join(path.name for path in written)}")
    return 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1:]))
