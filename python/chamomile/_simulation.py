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

    Of comoving coordinates the energies are those of peculiar velocities and of the fluctuations, in physical
    lengths, as Layzer's and Irvine's equation has them.
    """

    mass: float
    kinetic: float
    potential: float
    """Of the particles' own gravity."""
    external: float
    """Energy in external potentials, with the centrifugal one of a rotating frame."""
    virial_ratio: float
    """-K/W with K about the centre of mass; 1/2 in equilibrium. W has the virial of external potentials."""
    momentum: tuple[float, float, float]
    angular_momentum: tuple[float, float, float]
    center_of_mass: tuple[float, float, float]
    lagrangian_radii: dict[float, float]
    """Radius about the density centre that holds each fraction of the mass."""

    @property
    def energy(self) -> float:
        return self.kinetic + self.potential + self.external


@dataclass(frozen=True)
class View:
    """The page of a live view. In a notebook it is shown in a frame."""

    url: str
    """The address. Whoever has it can hold and stop the run."""

    def _repr_html_(self) -> str:
        return f'<iframe src="{self.url}" width="100%" height="600" style="border: 0"></iframe>'


class Simulation:
    """Evolves the particles of a snapshot in place, from its time to `end_time`.

    A snapshot in comoving coordinates is evolved in its periodic box, in the background that it states, to
    z_end or a_end (today) instead of end_time, by the leapfrog: in steps of eta times the criterion, or of
    `step` in ln a, or individual ones. Its velocities are peculiar ones; `time` is the scale factor.

    step: length of all steps; or eta: steps of eta times the time of a criterion, one for all or, with
    block_steps=True, individual ones (Quinn et al. 1997), within `shortest` and `longest`. integrator:
    "leapfrog" (kick-drift-kick, second order) or "hermite" (fourth order, direct sums in double, individual
    steps in blocks by eta, or shared steps of length step; Makino & Aarseth 1992). G, softening and the
    periodic box are those of the snapshot unless given (box=0 leaves boundaries open);
    help(chamomile.Options) explains the keywords of the forces, help(chamomile.SimulationOptions) all.
    Lengths and times of a snapshot in physical units may be texts: end_time="1 Gyr", step="1 Myr",
    softening="50 pc".

    potentials: external potentials that act beside the particles' own, each a text as `chamomile run --potential` takes
    it, "nfw,M=1e12Msun,c=12", or a function f(positions, time) of an array (n, 3) that returns accelerations (n, 3),
    or them and potentials (n,). It may be called with some of the particles. Where forces come from a GPU the particles live there;
    the snapshot's arrays are current in observers and at the end. The same input gives the same bits, whatever the number of threads.

    comm: a communicator of mpi4py. All of its processes make the simulation and its calls, each with a snapshot
    that has particles of its own, of which there may be none, and gets them as they are now. The particles live
    on the processes, and the first one writes the files: those of one process that has all particles, those of
    process 0 first. Observers are called on all, where each sees its own, and may call diagnostics() together.
    It is the leapfrog, of isolated particles. Ctrl-C of process 0 ends a run, and that of another the present
    observer or call; the second one ends a wait for others as a failure. What one process gives wrong, or its observer raises, is raised
    on all. peer_timeout and share_gpu are those of a Solver with comm.

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
            self._core = _chamomile.Evolution(snapshot, words, end_time, potentials, None)
        else:
            self._core = SharedEvolution(snapshot, words, end_time, potentials, self._processes)
        self._observers: list[Observer] = []

    def at_intervals(self, interval: Union[float, str], observer: Observer, *, potentials: bool = False) -> None:
        """Calls observer(self) at the start, at start + k interval, which steps hit exactly, and at the end.

        snapshot.potentials are current at the call if `potentials`. Of comoving coordinates the interval is in ln a.
        """
        self._core.at_intervals(interval, potentials, len(self._observers))
        self._observers.append(observer)

    def at_times(self, times: Sequence[float], observer: Observer, *, potentials: bool = False) -> None:
        """Calls observer(self) at the start, at these times or scale factors, which steps hit exactly, and at the end."""
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
        """Runs to the end, to stop(), or to what an observer raises; once only.

        Other Python threads run meanwhile; Ctrl-C ends it within about 0.2 s, with the state before the present step. Raises NumericError naming
        particle and step if a number is no longer finite.

        With a folder it writes there what `chamomile run` writes, by the same code: snapshot_NNN.hdf5, energy.csv,
        steps.csv, run.log and checkpoints; help(chamomile.RunSettings) explains the other keywords. `overwrite` replaces
        the results of a run that are there. An exception, Ctrl-C too, leaves a checkpoint; so do SIGTERM and other
        signals without a handler, the limit of max_walltime, and a file `stop` in the folder, after which run() returns
        before end_time. The same script with restart=True goes on from there, with the same bits, as
        `chamomile run --restart` does if the simulation has no observers. What cannot be trusted is a RuntimeWarning.
        The snapshot takes the provenance of the run.
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

        Viewers may pause, slow down and stop the run; its bits stay the same. Without a port any free one is taken. The page
        is there as long as the Simulation. In a notebook call run() in another thread, or look at the page in a browser.
        """
        return View(self._core.view(port))

    def stop(self) -> None:
        """Ends run() after the present step. An observer or another thread may call it."""
        self._core.stop()

    def diagnostics(self) -> Diagnostics:
        """Returns the diagnostics of the present state; evaluates the potentials if no observer asked for them."""
        found: dict[str, Any] = self._core.diagnostics()
        return Diagnostics(**found)

    @property
    def snapshot(self) -> Snapshot:
        """The particles, as they are now."""
        return self._core.snapshot

    @property
    def time(self) -> float:
        """The present time; the scale factor of comoving coordinates."""
        return self._core.time

    @property
    def step(self) -> int:
        """How many steps have been made."""
        return self._core.step

    @property
    def step_length(self) -> float:
        """Length of the last step, in ln a of comoving coordinates; 0 at the start."""
        return self._core.step_length

    @property
    def end_time(self) -> float:
        return self._core.end_time

    @property
    def device(self) -> str:
        return self._core.device

    @property
    def options(self) -> dict[str, Any]:
        """The options of the forces that are in force."""
        return self._core.options

    def __repr__(self) -> str:
        return f"<chamomile.Simulation: {len(self.snapshot)} particles, t = {self.time:g} of {self.end_time:g}, {self.device}>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("Simulation: cannot be pickled; write_snapshot() keeps its state")

    __copy__ = __deepcopy__ = lambda self, *_: self.__reduce__()
