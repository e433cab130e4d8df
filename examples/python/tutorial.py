# ---
# jupyter:
#   jupytext: {formats: 'py:percent'}
# ---

# %% [markdown]
# # Gravity from Python
#
# You make a model, compute its field, measure cost and errors, and evolve it. The arrays are numpy's; arrays of CuPy,
# PyTorch and JAX on a GPU are used in place ([Python](../reference/python.md)).

# %%
import tempfile

import numpy as np

import chamomile

# %% [markdown]
# ## A model and its field
#
# A disk galaxy with bulge and halo, G = 1. A snapshot's arrays are numpy views of its memory.

# %%
galaxy = chamomile.galaxy(40000, seed=3)
x, m = galaxy.positions, galaxy.masses
print(galaxy)
print(f"{(galaxy.types == 2).sum()} particles of the disk, mass {m[galaxy.types == 2].sum():.3f} of {m.sum():.3f}")

# %% [markdown]
# `Solver` keeps the tree of its sources. It computes accelerations and potentials at the sources, each without itself, and at
# any points.

# %%
solver = chamomile.Solver(softening=0.05, tolerance=1e-3).build(x, m)
own = solver.evaluate(quantities=("acceleration", "potential"))
print(solver)
print(f"potential energy {0.5 * (m * own.potential).sum():.4f}")

# %%
radii = np.linspace(0.2, 12, 60)
ring = np.stack([np.cos(np.arange(8) * np.pi / 4), np.sin(np.arange(8) * np.pi / 4), np.zeros(8)], axis=1)
points = (radii[:, None, None] * ring).reshape(-1, 3)
inward = -(solver.evaluate(points).acceleration * points).sum(axis=1) / np.linalg.norm(points, axis=1)
speed = np.sqrt(radii * inward.reshape(60, 8).mean(axis=1))
components = {"disk": 2, "bulge": 3, "halo": 1}
parts = {}
for name, kind in components.items():
    chosen = galaxy.types == kind
    part = chamomile.Solver(softening=0.05).build(x[chosen], m[chosen]).evaluate(points).acceleration
    pull = -(part * points).sum(axis=1) / np.linalg.norm(points, axis=1)
    parts[name] = np.sqrt(np.clip(radii * pull.reshape(60, 8).mean(axis=1), 0, None))
together = np.sqrt(sum(v**2 for v in parts.values()))
print(f"circular speed at R = 2.2: {np.interp(2.2, radii, speed):.3f}; parts in quadrature differ by {abs(together / speed - 1).max():.1e}")


# %%
def rotation(plt):
    figure, axes = plt.subplots(figsize=(6, 3.6))
    for name, v in parts.items():
        axes.plot(radii, v, label=name)
    axes.plot(radii, speed, "k", label="all")
    axes.set(xlabel="R / disk scale length", ylabel="circular speed", xlim=(0, 12), ylim=(0, 1))
    axes.legend(loc="lower right", ncols=2)
    return figure


# plot: rotation: The rotation curve and its parts, from fields at 480 points.

# %% [markdown]
# ## A map of the potential, without copies
#
# Results may be written into your array, here into a record per pixel.

# %%
side = 120
pixel = np.zeros((side, side), dtype=[("place", "f8", 3), ("potential", "f8"), ("acceleration", "f8", 3)])
axis = np.linspace(-8, 8, side)
pixel["place"][..., 0], pixel["place"][..., 2] = axis[None, :], axis[:, None]
flat = pixel.reshape(-1)
solver.evaluate(flat["place"], out={"potential": flat["potential"], "acceleration": flat["acceleration"]})
statistics = solver.statistics
print(f"{flat.size} points, {statistics.particle_particle / flat.size:.0f} particles and {statistics.particle_cell / flat.size:.0f} cells for each")


# %%
def edge_on(plt):
    figure, axes = plt.subplots(figsize=(5, 4))
    image = axes.imshow(pixel["potential"], extent=(-8, 8, -8, 8), origin="lower", cmap="viridis")
    axes.contour(axis, axis, pixel["potential"], 14, colors="w", linewidths=0.5, linestyles="solid")
    axes.set(xlabel="x", ylabel="z")
    figure.colorbar(image, label="potential")
    return figure


# plot: edge_on: The potential, edge-on. It is rounder than the disk: the halo has most of the mass.

# %% [markdown]
# ## How exact, at what cost
#
# `accuracy()` measures a sample against direct sums in double. The cost of a field is mostly the number of summed pairs.

# %%
tolerances = [1e-2, 3e-3, 1e-3, 3e-4, 1e-4]
median, ninety_nine, pairs = [], [], []
for tolerance in tolerances:
    errors = chamomile.accuracy(x, m, sample=500, softening=0.05, tolerance=tolerance)
    median.append(errors.acceleration.median)
    ninety_nine.append(errors.acceleration.p99)
    kept = chamomile.Solver(softening=0.05, tolerance=tolerance).build(x, m)
    kept.evaluate()
    pairs.append((kept.statistics.particle_particle + kept.statistics.particle_cell) / len(x))
for tolerance, a, b, n in zip(tolerances, median, ninety_nine, pairs):
    print(f"tolerance {tolerance:g}: median error {a:.1e}, 99 % {b:.1e}, {n:.0f} pairs for a particle")
assert sorted(ninety_nine, reverse=True) == ninety_nine


# %%
def cost(plt):
    figure, axes = plt.subplots(figsize=(5, 3.6))
    axes.loglog(ninety_nine, pairs, "o-", label="99 % of the particles")
    axes.loglog(median, pairs, "s--", label="median")
    axes.set(xlabel="|da| / |a|", ylabel="pairs for a particle")
    axes.legend()
    return figure


# plot: cost: Errors of 40000 accelerations against pairs per particle; a direct sum has 40000.

# %% [markdown]
# ## A simulation
#
# A cold sphere collapses at t = pi / (2 sqrt 2) = 1.11. Observers see the simulation at chosen times.

# %%
sphere = chamomile.cold_sphere(4000, seed=1)
simulation = chamomile.Simulation(sphere, end_time=3, step=1 / 512, softening=0.05)
times, half, energy, views = [], [], [], {}


def watch(now):
    found = now.diagnostics()
    times.append(now.time)
    half.append(found.lagrangian_radii[0.5])
    energy.append(found.energy)
    if any(abs(now.time - t) < 1e-9 for t in (0, 1, 3)):
        views[now.time] = now.snapshot.positions.copy()


simulation.at_intervals(1 / 16, watch, potentials=True)
simulation.run()
drift = max(abs(e / energy[0] - 1) for e in energy)
print(f"{simulation.step} steps; the half-mass radius is smallest at t = {times[int(np.argmin(half))]:.2f}, energy kept to {drift:.1e}")
assert abs(times[int(np.argmin(half))] - 1.11) < 0.15 and drift < 0.02


# %%
def collapse(plt):
    figure, axes = plt.subplots(1, 4, figsize=(11, 2.9), width_ratios=[1, 1, 1, 1.5])
    for place, (t, positions) in zip(axes, sorted(views.items())):
        place.plot(*positions[:, :2].T, "k.", markersize=0.6)
        place.set(xlim=(-1.5, 1.5), ylim=(-1.5, 1.5), title=f"t = {t:g}", aspect="equal", xticks=[], yticks=[])
    axes[3].plot(times, half)
    axes[3].axvline(np.pi / 8**0.5, color="0.6", linewidth=0.8)
    axes[3].set(xlabel="t", title="radius of half the mass", ylim=(0, None))
    figure.tight_layout()
    return figure


# plot: collapse: The collapse; the grey line is the time of free fall.

# %% [markdown]
# ## Files
#
# `write_snapshot()` chooses the format by the extension and returns the names of what it cannot hold.

# %%
with tempfile.TemporaryDirectory() as folder:
    for name in ("collapsed.hdf5", "collapsed.gadget2"):
        left_out = chamomile.write_snapshot(sphere, f"{folder}/{name}")
        again = chamomile.read_snapshot(f"{folder}/{name}")
        print(f"{name}: t = {again.time:g}, {len(again)} particles; left out: {', '.join(left_out) or 'nothing'}")
        assert again.time == 3 and (left_out or np.array_equal(again.positions, sphere.positions))
