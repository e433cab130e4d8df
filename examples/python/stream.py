# ---
# jupyter:
#   jupytext: {formats: 'py:percent'}
# ---

# %% [markdown]
# # A stream of stars
#
# A dwarf galaxy loses stars to the tides of the Milky Way. You choose its orbit, run it, and see when it loses mass.

# %%
import pathlib

import numpy as np

import chamomile

milky_way = ["mwpotential2014"]
apocenter, pericenter = 45.0, 12.0  # kpc

# %% [markdown]
# ## The orbit
#
# Bodies without mass start at the apocenter with several speeds. The pericenter rises with the speed.

# %%
speeds = np.linspace(40, 160, 25)  # km/s
tilt = np.array([0, 0.5, np.sqrt(0.75)])  # 60 degrees to the disk
bodies = chamomile.make_snapshot(np.tile([apocenter, 0, 0], (25, 1)), 1, velocities=np.outer(speeds, tilt))
bodies.use_units("galactic")
orbits = chamomile.orbits(bodies, milky_way)
speed = np.interp(pericenter, orbits["pericenter"], speeds)
print(f"{speed:.1f} km/s at {apocenter:g} kpc for a pericenter of {pericenter:g} kpc")

# %% [markdown]
# ## The dwarf
#
# A King model of 2e7 solar masses. Masses are in 1e10 solar masses.

# %%
dwarf = chamomile.king(1000, seed=1, mass=2e-3, r_half=0.2, type=4, physical=True)
dwarf.positions[:] += [apocenter, 0, 0]
dwarf.velocities[:] += speed * tilt
simulation = chamomile.Simulation(dwarf, potentials=milky_way, end_time="2 Gyr", step="0.5 Myr", softening="50pc")
simulation.run("stream", snapshot_every="500 Myr", bound=True, bound_every=40, overwrite=True)

# %% [markdown]
# ## What is left
#
# `bound.csv` has the bound mass against time. Most stars leave near the pericenters.

# %%
table = np.genfromtxt("stream/bound.csv", delimiter=",", names=True, deletechars="", replace_space="_")
columns = table.dtype.names
time, mass = table[columns[0]] * 0.9778, table[columns[2]] / 2e-3
distance = np.linalg.norm([table[name] for name in columns if name.startswith("center_")], axis=0)
lost = -np.diff(mass)
near = distance[1:] < 20
print(f"{mass[-1]:.2f} of the mass is bound after {time[-1]:.2f} Gyr")
print(f"{lost[near].sum() / lost.sum():.2f} of the loss is within 20 kpc, in {np.diff(time)[near].sum() / time[-1]:.2f} of the time")
assert 0.5 < mass[-1] < 0.97 and distance.min() < 14

# %% [markdown]
# ## Pictures

# %%
try:
    print(*chamomile.plot("stream", plots=["bound"], overwrite=True))
except chamomile.PlotError as fault:
    print(fault)
last = sorted(pathlib.Path("stream").glob("snapshot_*.hdf5"))[-1]
print(f"chamomile render {last} --center 0,0,0 --fov 110kpc --inclination 90 --path stream/bound.csv -o stream.png")
