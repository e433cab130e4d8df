"""Initial models as snapshots: spheres in equilibrium, disks, galaxies and their encounters."""

from ._chamomile import (
    cold_sphere,
    cube,
    disk,
    einasto,
    exponential,
    galaxy,
    hernquist,
    king,
    merger,
    nfw,
    plummer,
    spheres,
    two_body,
)

__all__ = ["cold_sphere", "cube", "disk", "einasto", "exponential", "galaxy", "hernquist", "king", "merger", "nfw", "plummer", "spheres", "two_body"]
