#!/usr/bin/env python3
"""Laws given as text from Python: screened.py FOLDER_OF_LIBCHAMOMILE_C."""
import ctypes
import pathlib
import sys

import numpy

TEXT = """
target position x y z
source position x y z, charge
sum fx fy fz, potential
parameter length = 1
dx = source.x - target.x
dy = source.y - target.y
dz = source.z - target.z
inv_r = rsqrt(dx*dx + dy*dy + dz*dz)
u = charge * inv_r * exp(-1 / (inv_r * length))
w = u * inv_r * (inv_r + 1 / length)
potential += u
fx += -w * dx
fy += -w * dy
fz += -w * dz
"""


class Law:
    """Pair sums with a law given as text (docs/howto/own_law.md)."""

    def __init__(self, text, name="law", library="libchamomile_c.so", **parameters):
        self._c = ctypes.CDLL(str(library))
        self._c.chm_law_last_error.restype = ctypes.c_char_p
        self._c.chm_law_last_error.argtypes = self._c.chm_law_destroy.argtypes = [ctypes.c_void_p]
        self._law = ctypes.c_void_p()
        self._check(self._c.chm_law_create(ctypes.byref(self._law), text.encode(), name.encode()))
        for key, value in parameters.items():
            self._check(self._c.chm_law_set_parameter(self._law, key.encode(), ctypes.c_double(value)))
        shape = [ctypes.c_int() for _ in range(3)]
        self._check(self._c.chm_law_shape(self._law, *map(ctypes.byref, shape)))
        self.shape = tuple(s.value for s in shape)

    def __del__(self):
        self._c.chm_law_destroy(self._law)

    def option(self, key, value):
        self._check(self._c.chm_law_set_option(self._law, key.encode(), str(value).encode()))
        return self

    def sum(self, targets, sources, self_numbers=None):
        """Returns rows of sums (n_i, FDIM) for rows of targets (n_i, IDIM) and sources (n_j, JDIM)."""
        targets, sources = (numpy.ascontiguousarray(a, float) for a in (targets, sources))
        for rows, width in ((targets, self.shape[0]), (sources, self.shape[1])):
            if rows.ndim != 2 or rows.shape[1] != width:
                raise ValueError(f"rows of {width} values are needed, not {rows.shape}")
        sums = numpy.empty((len(targets), self.shape[2]))
        own = None if self_numbers is None else numpy.ascontiguousarray(self_numbers, numpy.int64)
        pointer = lambda a: None if a is None else ctypes.c_void_p(a.ctypes.data)
        self._check(self._c.chm_law_sum(self._law, ctypes.c_int64(len(targets)), pointer(targets),
                                        ctypes.c_int64(len(sources)), pointer(sources), pointer(own), pointer(sums)))
        return sums

    def _check(self, status):
        if status:
            raise RuntimeError(self._c.chm_law_last_error(self._law).decode())


if __name__ == "__main__":
    library = pathlib.Path(sys.argv[1]) / "libchamomile_c.so"
    random = numpy.random.default_rng(1)
    ions = numpy.column_stack([random.uniform(-1, 1, (500, 3)), random.choice([-1.0, 1.0], 500)])
    law = Law(TEXT, "screened", library, length=0.3).option("precision", "double")
    sums = law.sum(ions[:, :3], ions, range(500))
    d = numpy.linalg.norm(ions[:, None, :3] - ions[None, :, :3], axis=2)
    numpy.fill_diagonal(d, numpy.inf)
    exact = (ions[:, 3] * numpy.exp(-d / 0.3) / d).sum(axis=1)
    worst = abs(sums[:, 3] - exact).max() / abs(exact).max()
    print(f"500 screened charges: potentials within {worst:.0e} of numpy's")
    try:
        Law(TEXT.replace("inv_r * length", "inv_r * lenght"), "typo", library)
    except RuntimeError as error:
        print(error)
    sys.exit(0 if worst < 1e-12 else 1)
