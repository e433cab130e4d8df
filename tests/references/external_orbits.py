#!/usr/bin/env python3
"""Writes reference orbits for tests/unit/integrate/test_external_orbits.cpp: external_orbits.csv and satellite_orbit.txt in this
folder.

pip install galpy==1.12.1 scipy
tests/references/external_orbits.py

Forces come from galpy, or from an integral over the density; scipy's DOP853 integrates to 1e-13. Orbits that galpy
can integrate are also compared with galpy's integrator. G = 1.
"""
import math
import pathlib
import shlex
import sys

import galpy
import galpy.potential as gp
import numpy as np
from galpy.orbit import Orbit
from scipy.integrate import quad, solve_ivp

HERE = pathlib.Path(__file__).resolve().parent
START = [1.0, 0.2, -0.3, -0.1, 0.8, 0.35]
TIMES = [0.0, 2.5, 5.0, 10.0]
SATELLITE_START = [0.0, 1.6, 0.2, -0.7, 0.1, 0.1]
CASES = [
    "point,M=1.3",
    "plummer,M=2,a=0.7",
    "hernquist,M=2,a=0.8",
    "nfw,M=3,c=10,rs=1.5",
    "nfw,M=3,c=10,rs=1.5,rt=0.9",
    "isochrone,M=2,b=0.6",
    "dehnen,M=2,a=0.8,gamma=0.5",
    "cutoff,M=2,alpha=1.8,rc=0.7",
    "cutoff,M=2,alpha=0.5,rc=1.9",
    "logarithmic,v0=1,rc=0.3,q=0.8",
    "miyamoto-nagai,M=2,a=1,b=0.3",
    "miyamoto-nagai,M=1,a=0.6,b=0.1;logarithmic,v0=0.7,rc=0.2;plummer,M=0.2,a=0.3,x=0.4,y=-0.3,z=0.1",
    "logarithmic,v0=0.9,rc=0.2;plummer,M=0.4,a=0.3,x=-2,y=0.5,vx=0.4,vy=0.1,vz=-0.05",
    "logarithmic,v0=0.9,rc=0.2;hernquist,M=0.3,a=0.2,orbit=satellite_orbit.txt",
    "logarithmic,v0=0.9,rc=0.2;miyamoto-nagai,M=1.5,a=0.7,b=0.2,from=1,to=6",
    "rotation,omega=0.4;logarithmic,v0=0.9,rc=0.3;plummer,M=0.5,a=0.3,x=0.6,y=0.2",
    "text,file=bar.txt,strength=0.5",
]


def bulge_mass(alpha, rc):
    """Returns the mass of a density r^-alpha exp(-(r / rc)^2)."""
    return 2 * math.pi * rc ** (3 - alpha) * math.gamma(1.5 - alpha / 2)


def density_nfw(x):
    return 1 / (x * (1 + x) ** 2)


class Term:
    """One potential in the program's option syntax."""

    def __init__(self, text):
        self.name, *items = text.split(",")
        self.texts = dict(item.split("=") for item in items)
        self.value = {k: float(v) for k, v in self.texts.items() if k not in ("orbit", "file")}
        v = self.value
        self.galpy = {
            "point": lambda: gp.KeplerPotential(amp=v["M"]),
            "plummer": lambda: gp.PlummerPotential(amp=v["M"], b=v["a"]),
            "hernquist": lambda: gp.HernquistPotential(amp=2 * v["M"], a=v["a"]),
            "nfw": lambda: gp.NFWPotential(amp=v["M"] / (math.log(1 + v["c"]) - v["c"] / (1 + v["c"])), a=v["rs"]),
            "isochrone": lambda: gp.IsochronePotential(amp=v["M"], b=v["b"]),
            "dehnen": lambda: gp.DehnenSphericalPotential(amp=(3 - v["gamma"]) * v["M"], a=v["a"], alpha=v["gamma"]),
            "cutoff": lambda: gp.PowerSphericalPotentialwCutoff(amp=v["M"] / bulge_mass(v["alpha"], v["rc"]), alpha=v["alpha"], rc=v["rc"]),
            "logarithmic": lambda: gp.LogarithmicHaloPotential(amp=v["v0"] ** 2, core=v.get("rc", 0), q=v.get("q", 1)),
            "miyamoto-nagai": lambda: gp.MiyamotoNagaiPotential(amp=v["M"], a=v["a"], b=v["b"]),
        }.get(self.name, lambda: None)()

    def is_plain(self):
        return self.galpy is not None and not set(self.texts) & {"rt", "x", "vx", "orbit", "from"}

    def center(self, t, satellite):
        if "orbit" in self.texts:
            return satellite
        return np.array([self.value.get(k, 0) + t * self.value.get("v" + k, 0) for k in "xyz"])

    def part(self, t):
        if "from" not in self.value:
            return 1.0
        length = self.value["to"] - self.value["from"]
        return float(gp.DehnenSmoothWrapperPotential(pot=self.galpy, tform=self.value["from"], tsteady=length)._smooth(t))

    def pull(self, r):
        R = math.hypot(r[0], r[1])
        if self.name == "text":  # -strength (x^2 - y^2) exp(-r^2 / 2) - ln(0.5 + r^2)
            s, r2 = self.value["strength"], float(r @ r)
            e, q = math.exp(-r2 / 2), r[0] ** 2 - r[1] ** 2
            return s * e * (np.array([2 * r[0], -2 * r[1], 0.0]) - q * r) - 2 * r / (0.5 + r2)
        if "rt" in self.value:
            distance = math.sqrt(float(r @ r))
            v = self.value
            mass = quad(lambda x: x * x * density_nfw(x), 0, min(distance, v["rt"]) / v["rs"], epsabs=0, epsrel=1e-13)[0]
            whole = quad(lambda x: x * x * density_nfw(x), 0, v["c"], epsabs=0, epsrel=1e-13)[0]
            return -v["M"] * mass / whole / distance**3 * r
        radial = float(self.galpy.Rforce(R, r[2], use_physical=False))
        return np.array([radial * r[0] / R, radial * r[1] / R, float(self.galpy.zforce(R, r[2], use_physical=False))])


def turned(angle, r):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([c * r[0] - s * r[1], s * r[0] + c * r[1], r[2]])


def orbit(text, start, times, satellite=None):
    """Returns rows x y z vx vy vz, integrated in the inertial frame; orbits from a rotating frame are rotated back."""
    terms = [Term(one) for one in text.split(";")]
    omega = sum(term.value["omega"] for term in terms if term.name == "rotation")
    acting = [term for term in terms if term.name != "rotation"]

    def rates(t, y):
        x = turned(-omega * t, y[:3])
        pulls = sum(term.part(t) * term.pull(x - term.center(t, y[6:9])) for term in acting)
        rate = [*y[3:6], *turned(omega * t, pulls)]
        if satellite is not None:
            rate += [*y[9:12], *acting[0].pull(y[6:9])]
        return np.array(rate)

    spin = np.array([-omega * start[1], omega * start[0], 0])
    begin = np.array([*start[:3], *(np.array(start[3:]) + spin), *(satellite if satellite is not None else [])])
    found = solve_ivp(rates, (0, times[-1]), begin, method="DOP853", t_eval=times, rtol=1e-13, atol=1e-14, max_step=0.02)
    rows = []
    for t, y in zip(times, found.y.T):
        x, v = turned(-omega * t, y[:3]), turned(-omega * t, y[3:6])
        rows.append([*x, *(v - np.array([-omega * x[1], omega * x[0], 0])), *y[6:]])
    return terms, rows


def compare_with_galpy(terms, rows):
    x, y, z, vx, vy, vz = START
    R, phi = math.hypot(x, y), math.atan2(y, x)
    own = Orbit([R, (x * vx + y * vy) / R, (x * vy - y * vx) / R, z, vz, phi])
    own.integrate(np.array(TIMES), [term.galpy for term in terms], method="dop853_c")
    for t, row in zip(TIMES, rows):
        error = math.dist((own.x(t), own.y(t), own.z(t)), row[:3])
        assert error < 3e-9, (terms[0].name, t, error)


def main():
    head = [f"# {' '.join(map(shlex.quote, ['tests/references/external_orbits.py']))}, galpy {galpy.__version__}"]
    lines = [*head, "# after @ the potentials, then t,x,y,z,vx,vy,vz; G = 1"]
    for text in CASES:
        satellite = np.array(SATELLITE_START) if "orbit=" in text else None
        terms, rows = orbit(text, START, TIMES, satellite)
        if all(term.is_plain() for term in terms):
            compare_with_galpy(terms, rows)
        lines.append("@" + text)
        lines += [",".join([repr(t), *(repr(float(value)) for value in row[:6])]) for t, row in zip(TIMES, rows)]
        print(text, flush=True)
    (HERE / "external_orbits.csv").write_text("\n".join(lines) + "\n")
    times = [k / 100 for k in range(1001)]
    _, rows = orbit("logarithmic,v0=0.9,rc=0.2", SATELLITE_START, times)
    table = [*head, "# t x y z vx vy vz"] + [" ".join(f"{value:.15g}" for value in [t, *row[:6]]) for t, row in zip(times, rows)]
    (HERE / "satellite_orbit.txt").write_text("\n".join(table) + "\n")


if __name__ == "__main__":
    sys.exit(main())
