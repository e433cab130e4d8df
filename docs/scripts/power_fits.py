#!/usr/bin/env python3
"""Power spectra beside fits that CAMB has: docs/scripts/power_fits.py POWER.txt ... [--omega-b X] [--n-s X] [--sigma8 X]

Takes tables of `chamomile power --fits` of flat boxes at one redshift and prints, in the bins of the first, the mean of their P over
Takahashi et al. (2012) and over HMcode-2020 (Mead et al. 2021, good to 2.5 % of emulators), and that of P with its shot noise over the latter: what
a lattice's particles have before they cluster is no such noise. Each fit is CAMB's ratio to its own linear theory times the table's column of
linear theory, so that transfer functions do not enter. Needs numpy and camb (1.6)."""
import argparse
import re

import camb
import numpy as np


def head(path):
    """(redshift, Omega_m, h) and the columns' names."""
    text = path.read()
    numbers = re.search(r"redshift ([\d.e+-]+), Omega_m ([\d.]+), .*h ([\d.]+)", text)
    names = re.search(r"^# (k P .*)$", text, re.M)[1].split()
    if "linear" not in names:
        raise SystemExit(f"{path.name}: has no column of linear theory: chamomile power --fits writes it")
    return tuple(map(float, numbers.groups())), names


def growth_by_clustering(k, redshift, omega_m, h, o, fit):
    """Returns P from the fit over linear theory."""
    power = []
    amplitude = 2e-9
    for nonlinear in (None, None, fit):  # the first for sigma8
        p = camb.CAMBparams()
        p.set_cosmology(H0=100 * h, ombh2=o.omega_b * h * h, omch2=(omega_m - o.omega_b) * h * h, mnu=0, num_massive_neutrinos=0)
        p.InitPower.set_params(As=amplitude, ns=o.n_s)
        p.set_matter_power(redshifts=sorted({0.0, redshift}, reverse=True), kmax=50)
        p.NonLinear = camb.model.NonLinear_both if nonlinear else camb.model.NonLinear_none
        if nonlinear:
            p.NonLinearModel.set_params(halofit_version=nonlinear)
        results = camb.get_results(p)
        if len(power) == 0:
            amplitude *= (o.sigma8 / results.get_sigma8_0()) ** 2
        power.append(results.get_matter_power_interpolator(nonlinear=bool(nonlinear), hubble_units=True, k_hunit=True).P(redshift, k))
    return power[2] / power[1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="+", type=argparse.FileType())
    parser.add_argument("--omega-b", type=float, default=0.049)
    parser.add_argument("--n-s", type=float, default=0.965)
    parser.add_argument("--sigma8", type=float, default=0.811)
    o = parser.parse_args()
    (redshift, omega_m, h), names = head(o.tables[0])
    tables = []
    for table in o.tables:
        table.seek(0)
        tables.append(dict(zip(names, np.loadtxt(table).T)))
    first = tables[0]
    use = (first["k"] < 10) & (first["folding"] == 0)
    k, linear = first["k"][use], first["linear"][use]
    mean = {name: np.mean([t[name][use] for t in tables], axis=0) for name in ("P", "total")}
    takahashi, hmcode = (linear * growth_by_clustering(k, redshift, omega_m, h, o, fit) for fit in ("takahashi", "mead2020"))
    print(f"z = {redshift:g}, mean of {len(tables)}\n     k/h  modes   Takahashi  HMcode-2020  with shot noise")
    for i in range(len(k)):
        print(f"{k[i]:8.4f} {first['modes'][use][i]:6.0f} {mean['P'][i] / takahashi[i]:11.3f} {mean['P'][i] / hmcode[i]:12.3f} {mean['total'][i] / hmcode[i]:16.3f}")


if __name__ == "__main__":
    main()
