"""The field by plain numpy sums in double, one target at a time: the reference for these tests."""

import numpy as np


def field(points, positions, masses, eps=0.0, G=1.0, own=None, velocities=None, point_velocities=None):
    """Acceleration, potential, tidal tensor (xx, xy, xz, yy, yz, zz) and jerk; own[i]: index of the source at point i."""
    a, phi, tide, jerk = np.zeros((len(points), 3)), np.zeros(len(points)), np.zeros((len(points), 6)), np.zeros((len(points), 3))
    for i, point in enumerate(np.asarray(points, dtype=float)):
        keep = np.ones(len(positions), bool)
        if own is not None and own[i] >= 0:
            keep[own[i]] = False
        r = np.asarray(positions, dtype=float)[keep] - point
        m = np.broadcast_to(np.asarray(masses, dtype=float), len(positions))[keep]
        u = np.sqrt((r**2).sum(axis=1) + eps**2)
        a[i] = G * (m / u**3) @ r
        phi[i] = -G * (m / u).sum()
        full = G * ((3 * m / u**5)[:, None, None] * r[:, :, None] * r[:, None, :]).sum(axis=0)
        full -= G * (m / u**3).sum() * np.eye(3)
        tide[i] = full[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]]
        if velocities is not None:
            v = np.asarray(velocities, dtype=float)[keep] - point_velocities[i]
            jerk[i] = G * ((m / u**3) @ v - (3 * m / u**5 * (r * v).sum(axis=1)) @ r)
    return a, phi, tide, jerk


def error(values, expected):
    """Returns the largest |difference| / |expected| of the rows."""
    flat = (len(expected), -1)
    off = np.linalg.norm((np.asarray(values, dtype=float) - expected).reshape(flat), axis=1)
    return (off / np.linalg.norm(np.asarray(expected).reshape(flat), axis=1)).max()
