"""The time loop and its diagnostics."""

from __future__ import annotations

import os
import shlex
import sys
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Callable, NoReturn, Optional, Sequence, Union

from . import _chamomile, errors
from ._chamomile import Snapshot
from ._processes import meeting, processes_of
from ._shared_simulation import SharedEvolution

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import RunSettings, SimulationOptions

Observer = Callable[["Simulation"], None]
Potential = Union[str, Callable[..., Any]]


@dataclass(frozen=True)
class Diagnostics:
    """Energies, momenta and radii of all particles, in the units of the snapshot.

    For comoving coordinates, the energies are of peculiar velocities and density fluctuations, in physical
    lengths, as in the Layzer-Irvine equation.
    """

    mass: float
    kinetic: float
    potential: float
    """Of the mutual gravity of the particles."""
    external: float
    """Energy in external potentials, including the centrifugal potential of a rotating frame."""
    virial_ratio: float
    """-K/W with K relative to the center of mass; 1/2 in equilibrium. W includes the virial of external potentials."""
    momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]
    center_of_mass: tuple[float, float, float]
    lagrangian_radii: dict[float, float]
    """Radius around the density center that encloses each mass fraction."""

    @property
    def energy(self) -> float:
        return self.kinetic + self.potential + self.external


@dataclass(frozen=True)
class View:
    """The page of a live view. Notebooks show it in a frame."""

    url: str
    """The URL. Anyone with this URL can pause and stop the run."""

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="600" style="border: 0"></iframe>'


class Simulation:
    """Evolves the particles of a snapshot in place, from its time to `end_time`.

    A snapshot in comoving coordinates is evolved in its periodic box and background by the leapfrog, to z_end or
    a_end (default: today) instead of end_time. Steps are eta times a criterion, or `step` in ln a, or individual.
    Velocities are peculiar; `time` is the scale factor.

    step: length of all steps. eta: steps of eta times the time of a criterion, shared or, with block_steps=True,
    individual (Quinn et al. 1997), between `shortest` and `longest`. integrator: "leapfrog" (kick-drift-kick,
    second order) or "hermite" (fourth order, direct sums in double, individual block steps by eta, or shared steps
    of length step; Makino & Aarseth 1992). G, softening and periodic box default to the snapshot's (box=0: open
    boundaries). help(chamomile.Options) explains the keywords of the forces, help(chamomile.SimulationOptions) all
    keywords. For a snapshot in physical units, lengths and times may be texts: end_time="1 Gyr", step="1 Myr",
    softening="50 pc".

    potentials: external potentials in addition to self-gravity. Each is a text as in `chamomile run --potential`,
    "nfw,M=1e12Msun,c=12", or a function f(positions, time) of an array (n, 3) that returns accelerations (n, 3), or
    accelerations and potentials (n,). It may be called for a subset of the particles. With forces on a GPU the
    particles stay in GPU memory; the snapshot's arrays are current in observers and at the end. Results are bitwise
    independent of the number of threads.

    comm: an mpi4py communicator. All processes make the simulation and its calls, each with a snapshot of local
    particles (possibly none), which is updated in place. The first process writes the files. Results are bitwise those
    of one process with all particles, in order of rank. Observers are called on all processes with the local
    particles, and may call diagnostics() collectively. Only the leapfrog is supported. Ctrl-C
    on process 0 ends the run, on another process the present observer or call. A second Ctrl-C ends a wait for other
    processes as a failure. An invalid argument or an exception in an observer on one process is raised on all. For
    peer_timeout and share_gpu see Solver.

    >>> simulation = Simulation(plummer(1000), end_time=1, step=1 / 128, softening=0.02)
    >>> simulation.at_intervals(0.25, lambda now: print(now.time, now.diagnostics().energy))
    >>> simulation.run()
    """

    def __init__(
        self,
        snapshot: Snapshot,
        *,
        end_time: Union[float, str, None] = None,
        potentials: Union[Sequence[Potential], None] = None,
        comm: Any = None,
        **options: Unpack[SimulationOptions],
    ) -> None:
        words: dict[str, Any] = dict(options)
        self._processes = processes_of(comm, words)
        for name, unbounded in (("shortest", 0), ("longest", inf)):
            if words.get(name) == unbounded:
                del words[name]
        self._core: Any
        if self._processes is None:
            self._core = _chamomile.PySimulation(snapshot, words, end_time, potentials, None)
        else:
            self._core = SharedEvolution(snapshot, words, end_time, potentials, self._processes)
        self._observers: list[Observer] = []

    def at_intervals(self, interval: Union[float, str], observer: Observer, *, potentials: bool = False) -> None:
        """Calls observer(self) at the start, exactly at start + k interval, and at the end.

        snapshot.potentials are current at the call if `potentials`. For comoving coordinates the interval is in ln a.
        """
        self._core.at_intervals(interval, potentials, len(self._observers))
        self._observers.append(observer)

    def at_times(self, times: Sequence[float], observer: Observer, *, potentials: bool = False) -> None:
        """Calls observer(self) at the start, exactly at these times or scale factors, and at the end."""
        self._core.at_times(times, potentials, len(self._observers))
        self._observers.append(observer)

    def every_steps(self, n: int, observer: Observer, *, potentials: bool = False) -> None:
        """Calls observer(self) at the start, after every n-th step and at the end."""
        self._core.every_steps(n, potentials, len(self._observers))
        self._observers.append(observer)

    def run(
        self,
        folder: Union[str, os.PathLike[str], None] = None,
        *,
        overwrite: bool = False,
        restart: bool = False,
        **settings: Unpack[RunSettings],
    ) -> None:
        """Runs to the end, to stop(), or to an exception in an observer. Can be called only once.

        Other Python threads run during the call. Ctrl-C ends it within about 0.2 s, with the state before the present
        step. Raises NumericError naming particle and step if a number is no longer finite.

        With a folder, writes the files of `chamomile run`, with the same code: snapshot_NNN.hdf5, energy.csv, steps.csv,
        run.log and checkpoints. help(chamomile.RunSettings) explains the other keywords. `overwrite` replaces results of
        an earlier run. An exception or Ctrl-C leaves a checkpoint. SIGTERM and other signals without a handler,
        max_walltime, and a file `stop` in the folder also leave a checkpoint, and run() returns before end_time. The same
        script with restart=True continues from the checkpoint with bitwise equal results, like `chamomile run --restart`
        for a simulation without observers. Untrustworthy results give a RuntimeWarning. The snapshot gets the provenance
        of the run.
        """
        notify = lambda number: self._observers[number](self)
        with meeting(self._processes, "run()"):
            if folder is None and (settings or overwrite or restart):
                name = next(iter(settings), "overwrite" if overwrite else "restart")
                raise errors.UsageError(f"{name}: needs a folder")
            path = None if folder is None else os.fspath(folder)
        if path is not None:
            command = shlex.join(getattr(sys, "orig_argv", sys.argv))
            self._core.run_in_folder(notify, path, settings, overwrite, restart, command)
        else:
            self._core.run(notify)

    def view(self, port: Union[int, None] = None) -> View:
        """Serves a page at 127.0.0.1 that shows the particles in a browser or notebook, before, during and after run().

        Viewers may pause, slow down and stop the run; results do not change. Without `port` any free port is used. The page
        lives as long as the Simulation. In a notebook call run() in another thread, or open the page in a browser.
        """
        return View(self._core.view(port))

    def stop(self) -> None:
        """Ends run() after the present step. An observer or another thread may call it."""
        self._core.stop()

    def diagnostics(self) -> Diagnostics:
        """Returns the diagnostics of the present state. Evaluates the potentials if they are not current."""
        found: dict[str, Any] = self._core.diagnostics()
        return Diagnostics(**found)

    @property
    def snapshot(self) -> Snapshot:
        """The particles in their present state."""
        return self._core.snapshot

    @property
    def time(self) -> float:
        """The present time; for comoving coordinates the scale factor."""
        return self._core.time

    @property
    def step(self) -> int:
        """Number of completed steps."""
        return self._core.step

    @property
    def step_length(self) -> float:
        """Length of the last step (in ln a for comoving coordinates); 0 at the start."""
        return self._core.step_length

    @property
    def end_time(self) -> float:
        return self._core.end_time

    @property
    def device(self) -> str:
        return self._core.device

    @property
    def options(self) -> dict[str, Any]:
        """The force options in use."""
        return self._core.options

    def __repr__(self) -> str:
        return f"<chamomile.Simulation: {len(self.snapshot)} particles, t = {self.time:g} of {self.end_time:g}, {self.device}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Simulation: cannot be pickled; write_snapshot() saves the particles")

    __copy__ = __deepcopy__ = lambda self, *_: self.__reduce__()
