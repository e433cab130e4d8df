# ---
# jupyter:
#   jupytext: {formats: 'py:percent'}
# ---

# %% [markdown]
# # A box of the universe
#
# You evolve a small box to today, and compare its power spectrum and its halos with theory.

# %%
import os
import pathlib
import subprocess

import numpy as np

import chamomile

# %% [markdown]
# ## Initial conditions
#
# The program writes them: 20^3 particles in 40 Mpc/h at redshift 49.

# %%
program = os.environ.get("CHAMOMILE", "chamomile")
subprocess.run([program, "model", "cosmology", "--n", "20", "--box", "40", "--seed", "1", "--fixed", "-o", "ics.hdf5", "--overwrite", "-q"], check=True)
box = chamomile.read_snapshot("ics.hdf5")
print(box)

# %% [markdown]
# ## To redshift 0
#
# A comoving snapshot runs in its own box and background; steps are in ln a. Each output gets a spectrum and a catalogue of halos.

# %%
simulation = chamomile.Simulation(box, step=0.0125)
simulation.run("box", power=True, halos=True, fits=True, overwrite=True)

# %% [markdown]
# ## The spectrum
#
# The first bins have few waves. With `--fixed` each wave had its mean amplitude at the start, so that they are near Halofit all the same.


# %%
def table(name):
    """The columns of the last table of this name; the last comment names them."""
    path = sorted(pathlib.Path("box").glob(f"{name}_*.txt"))[-1]
    names = [line for line in path.read_text().splitlines() if line.startswith("#")][-1][1:].split()
    return dict(zip(names, np.loadtxt(path, unpack=True)))


spectrum = table("power")
k, ratio = spectrum["k"], spectrum["P"] / spectrum["halofit"]
for wave, value in zip(k[:6], ratio[:6]):
    print(f"k = {wave:.2f} h/Mpc: P / Halofit = {value:.2f}")
assert 0.6 < np.median(ratio[:6]) < 1.5

# %% [markdown]
# ## Halos

# %%
halos = table("mass_function")
for mass, counted, theory in zip(halos["M"], halos["dn_dlnM"], halos["warren"]):
    print(f"M = {mass:.1e}: dn/dlnM = {counted:.1e}, Warren et al. {theory:.1e}")
assert halos["halos"].sum() > 20
