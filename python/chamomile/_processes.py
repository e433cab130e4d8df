"""Forces of particles that lie on the processes of MPI, by libchamomile_mpi, which is built with the MPI that mpi4py uses."""

from __future__ import annotations

import ctypes
import numbers
import os
from typing import Any, Mapping, Optional

import numpy as np

from .errors import DeviceError, Error, InputError, NumericError, UsageError

_CLASSES = {2: UsageError, 3: InputError, 5: DeviceError, 6: NumericError}  # by status
_WIDTHS = {"acceleration": 3, "potential": 1}


class _View(ctypes.Structure):
    """A chm_view."""

    _fields_ = [("component", ctypes.c_void_p * 6), ("stride", ctypes.c_int64), ("type", ctypes.c_int32), ("place", ctypes.c_int32)]


def _library() -> ctypes.CDLL:
    name = os.environ.get("CHAMOMILE_MPI_LIBRARY", "libchamomile_mpi.so.0")
    try:
        library = ctypes.CDLL(name)
    except OSError as error:
        raise UsageError(f"comm: needs an installed library with MPI, which CHAMOMILE_MPI_LIBRARY may name: {error}") from None
    library.chm_mpi_last_error.restype = ctypes.c_char_p
    for call in (library.chm_mpi_set_option, library.chm_mpi_last_error, library.chm_mpi_destroy):
        call.argtypes = [ctypes.c_void_p] + 2 * [ctypes.c_char_p] * (call is library.chm_mpi_set_option)
    library.chm_mpi_set_softenings.argtypes = [ctypes.c_void_p, _View]
    library.chm_mpi_evaluate.argtypes = [ctypes.c_void_p, ctypes.c_int64] + 4 * [_View]
    return library


def _checked(name: str, array: Any, rows: int, width: int) -> np.ndarray:
    """Returns the array. Raises InputError where it is none of numpy's with that shape; rows -1: any number."""
    if not isinstance(array, np.ndarray) or array.dtype not in (np.float32, np.float64):
        raise InputError(f"{name}: with comm must be a numpy array of float32 or float64")
    wanted = (array.shape[0] if rows < 0 and array.ndim else rows, width)[: 1 + (width > 1)]
    if array.shape != wanted:
        raise InputError(f"{name}: shape {array.shape}: must be ({'N' if rows < 0 else rows},{f' {width}' if width > 1 else ''})")
    return array


def _view(array: Optional[np.ndarray]) -> _View:
    view = _View()
    if array is None or not len(array):
        return view
    width = array.shape[1] if array.ndim > 1 else 1
    for c in range(width):
        view.component[c] = array.ctypes.data + c * (array.strides[1] if array.ndim > 1 else 0)
    view.stride, view.type = array.strides[0], int(array.dtype == np.float32)
    return view


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


class _Call:
    """What one process gives, checked before it meets the others."""

    def __init__(self, comm: Any, names: tuple[str, ...], arrays: tuple[Any, Any, Any], out: Any, refused: Mapping[str, Any]) -> None:
        self.calls = _library()
        for name, value in refused.items():
            if value is not None:
                raise UsageError(f"{name}: is not for particles on several processes (comm)")
        self.positions = _checked("positions", arrays[0], -1, 3)
        self.rows = len(self.positions)
        self.masses = self.numbers("masses", arrays[1])
        self.softenings = None if arrays[2] is None else self.numbers("softenings", arrays[2])
        given = dict(zip(names, out)) if out is not None else {}
        self.results = {}
        for name in names:
            width = _WIDTHS[name]
            if name in given:
                self.results[name] = _checked("out", given[name], self.rows, width)
                if not given[name].flags.writeable:
                    raise InputError("out: cannot be written to")
            else:
                self.results[name] = np.empty((self.rows, width) if width > 1 else self.rows, self.positions.dtype)

    def numbers(self, name: str, values: Any) -> np.ndarray:
        """Returns a number of each particle, where one may stand for all."""
        if isinstance(values, numbers.Real):
            values = np.broadcast_to(np.asarray(values, dtype=float), (self.rows,))
        return _checked(name, values, self.rows, 1)

    def run(self, comm: Any, options: Mapping[str, Any]) -> None:
        forces = ctypes.c_void_p()
        self.demand(self.calls.chm_mpi_create_f(comm.py2f(), ctypes.byref(forces)), None)
        try:
            for key in sorted(options):
                self.demand(self.calls.chm_mpi_set_option(forces, key.encode(), _text(options[key]).encode()), forces)
            if self.softenings is not None:
                self.demand(self.calls.chm_mpi_set_softenings(forces, _view(self.softenings)), forces)
            accelerations = self.results.get("acceleration")
            if accelerations is None:  # the library makes both
                accelerations = np.empty((self.rows, 3), self.positions.dtype)
            views = [_view(a) for a in (self.positions, self.masses, accelerations, self.results.get("potential"))]
            self.demand(self.calls.chm_mpi_evaluate(forces, self.rows, *views), forces)
        finally:
            self.calls.chm_mpi_destroy(forces)

    def demand(self, status: int, forces: Any) -> None:
        if status:
            raise _CLASSES.get(status, Error)(self.calls.chm_mpi_last_error(forces).decode())


def results_of_processes(
    comm: Any, names: tuple[str, ...], arrays: tuple[Any, Any, Any], out: Any, options: Mapping[str, Any], **refused: Any
) -> tuple[np.ndarray, ...]:
    """Returns these quantities of this process's particles, (positions, masses, softenings or None), by those of all. All processes of comm call it."""
    if not hasattr(comm, "py2f"):
        raise UsageError(f"comm: {comm!r}: must be a communicator of mpi4py")
    given = {key: value for key, value in options.items() if value is not None}
    call, fault = None, None
    try:
        call = _Call(comm, names, arrays, out, refused)
    except Error as error:
        fault = error
    # What one process gives wrong is raised on all, and none waits for another that has left.
    met = comm.allgather((fault, names, arrays[2] is not None, sorted((key, _text(value)) for key, value in given.items() if key != "threads")))
    for other, *_ in met:
        if other is not None:
            raise other
    for rank, (_, *asked) in enumerate(met):
        if asked != list(met[0][1:]):
            raise UsageError(f"rank {rank} of {len(met)}: other quantities or options: must be those of rank 0")
    assert call is not None
    call.run(comm, given)
    return tuple(call.results[name] for name in names)
