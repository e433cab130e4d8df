#!/usr/bin/env python3
"""Writes references for named potentials: named_orbits.csv in this folder, and prints the rows of
integrate/external/named_potentials.cpp.

pip install galpy==1.12.1 scipy
tests/references/named_potentials.py

mwpotential2014 has the formulas of galpy. Of McMillan17, galpy's expansion of bulge and disks is fitted by disks of
Miyamoto & Nagai, by least squares of both force components relative to the whole force.
"""
import math
import pathlib
import sys

import galpy
import numpy as np
from galpy.orbit import Orbit
from galpy.potential import MWPotential2014, vcirc, vesc
from galpy.potential.mwpotentials import McMillan17
from scipy.optimize import least_squares, nnls

HERE = pathlib.Path(__file__).resolve().parent
UNITS = {"mwpotential2014": (8.0, 220.0), "mcmillan17": (8.21, 233.1)}  # kpc, km/s
POTENTIALS = {"mwpotential2014": list(MWPotential2014), "mcmillan17": list(McMillan17)}
STARTS = [[8.0, 0.5, 1.0, 30.0, 180.0, -60.0], [0.0, 40.0, 0.0, 20.0, 10.0, 90.0], [3.0, 0.0, 0.2, -90.0, 120.0, 15.0]]
KPC, KM_S = 3.085678e21, 1e5
TIMES = [0.25, 0.5, 1.0]  # kpc/(km/s), about Gyr
PLACES = [(R, z) for R in np.geomspace(0.3, 60, 36) for z in (0, 0.05, 0.15, 0.3, 0.6, 1, 2, 3.5, 6, 10, 18, 30)]


def forces(parts, ro, vo, places):
    """Returns F_R and F_z in (km/s)^2/kpc."""
    return np.array([[sum(force(p, R / ro, z / ro) for p in parts) * vo * vo / ro for force in (lambda p, R, z: p.Rforce(R, z), lambda p, R, z: p.zforce(R, z))]
                     for R, z in places])


def disk(a, b):
    R, z = np.array(PLACES).T
    height = np.sqrt(z * z + b * b)
    u3 = (R * R + (a + height) ** 2) ** -1.5
    return np.stack([-R * u3, -(a + height) / height * z * u3], 1)


def fitted(target, whole, count):
    """Returns `count` rows GM, a, b of disks for the forces `target`, and the errors relative to `whole`."""
    grid = [(a, b) for a in (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 1, 1.4, 1.8, 2.3, 3, 3.7, 4.5, 5.5, 6.5, 8, 10) for b in (0.03, 0.06, 0.1, 0.15, 0.22, 0.3, 0.4, 0.55, 0.75, 1, 1.4)]
    columns = np.stack([(disk(a, b) / whole[:, None]).ravel() for a, b in grid], 1)
    masses, _ = nnls(columns, (target / whole[:, None]).ravel())
    rows = sorted(([math.log(m), math.log(a), math.log(b)] for m, (a, b) in zip(masses, grid) if m > 0), reverse=True)

    def errors(x):
        return ((sum(math.exp(m) * disk(math.exp(a), math.exp(b)) for m, a, b in x.reshape(-1, 3)) - target) / whole[:, None]).ravel()

    while True:
        found = least_squares(errors, np.array(rows).ravel(), max_nfev=200).x
        rows = sorted(found.reshape(-1, 3).tolist(), reverse=True)
        if len(rows) <= count:
            return np.exp(rows), np.linalg.norm(errors(found).reshape(-1, 2), axis=1)
        rows.pop()


def print_rows():
    ro, vo = UNITS["mwpotential2014"]
    bulge, thin, halo = POTENTIALS["mwpotential2014"]
    unit = vo * vo * ro
    c = 15.3
    print(f"cutoff GM {float(bulge.mass(1e3) * unit)!r} rc {bulge.rc * ro!r} alpha {bulge.alpha!r}")
    print(f"miyamoto_nagai GM {float(thin._amp * unit)!r} a {thin._a * ro!r} b {thin._b * ro!r}")
    print(f"nfw GM {float(halo._amp * unit * (math.log1p(c) - c / (1 + c)))!r} rs {halo.a * ro!r} c {c}")
    ro, vo = UNITS["mcmillan17"]
    halo = POTENTIALS["mcmillan17"][1]
    whole = np.linalg.norm(forces(POTENTIALS["mcmillan17"], ro, vo, PLACES), axis=1)
    rest = forces([POTENTIALS["mcmillan17"][0], POTENTIALS["mcmillan17"][2]], ro, vo, PLACES)
    rows, errors = fitted(rest, whole, 5)
    print(f"nfw GM {halo._amp * vo * vo * ro * (math.log1p(c) - c / (1 + c))!r} rs {halo.a * ro!r} c {c}")
    for m, a, b in rows:
        print(f"miyamoto_nagai GM {m:.9g} a {a:.6g} b {b:.6g}")
    print(f"errors of the force: at most {errors.max():.4f}, rms {np.sqrt((errors**2).mean()):.4f}")


def main():
    for parts in POTENTIALS.values():
        for part in parts:
            part.turn_physical_off()
    lines = [f"# tests/references/named_potentials.py, galpy {galpy.__version__}",
             "# after @ the potential; speed,R,circular,escape in km/s and kpc in the plane; shape,x,y,z,vx,vy,vz,peri,apo;",
             "# else an orbit: t,x,y,z,vx,vy,vz in kpc, km/s, kpc/(km/s)"]
    for name, parts in POTENTIALS.items():
        ro, vo = UNITS[name]
        lines.append("@" + name)
        for R in (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 40.0, 100.0):
            lines.append(f"speed,{R!r},{float(vcirc(parts, R / ro)) * vo!r},{float(vesc(parts, R / ro)) * vo!r}")
        if name != "mwpotential2014":
            continue
        for x, y, z, vx, vy, vz in STARTS:
            R = math.hypot(x, y)
            start = [R / ro, (x * vx + y * vy) / R / vo, (x * vy - y * vx) / R / vo, z / ro, vz / vo, math.atan2(y, x)]
            orbit = Orbit(start)
            times = np.concatenate([[0.0], TIMES]) * vo / ro
            orbit.integrate(times, parts, method="dop853_c")
            for t, k in zip([0.0, *TIMES], times):
                values = [orbit.x(k) * ro, orbit.y(k) * ro, orbit.z(k) * ro, orbit.vx(k) * vo, orbit.vy(k) * vo, orbit.vz(k) * vo]
                lines.append(",".join(repr(float(v)) for v in [t, *values]))
            fine = Orbit(start)
            fine.integrate(np.linspace(0, times[-1], 400001), parts, method="dop853_c")
            lines.append("shape," + ",".join(repr(float(v)) for v in [x, y, z, vx, vy, vz, fine.rperi() * ro, fine.rap() * ro]))
    (HERE / "named_orbits.csv").write_text("\n".join(lines) + "\n")
    print_rows()
    return 0


if __name__ == "__main__":
    sys.exit(main())
