"""A simulation with particles from several mpi4py processes."""

from __future__ import annotations

import pickle
from typing import Any, Callable, Optional, Sequence, Union

from . import _chamomile, errors
from ._processes import meeting, raised_as

Notify = Callable[[int], None]
_STATE = ("has_started", "time", "step", "step_length", "end_time", "device", "options")  # properties of the simulation


class SharedEvolution:
    """A simulation of the particles of all processes. Each process has a local snapshot and makes the same calls.

    Only the first process has the simulation. Inside a call, the others run its rank server until it reports an event:
    an observer to call, or the end of the call.
    """

    def __init__(self, snapshot: Any, words: dict[str, Any], end_time: Any, potentials: Any, processes: _chamomile.Processes) -> None:
        self._processes, self.snapshot = processes, snapshot
        self._core: Any = None  # only on the first process
        self._notify: Optional[Notify] = None
        self._fault: Optional[BaseException] = None  # raised by an observer on this process
        self._stops = False
        self._deals_all = False  # masses and ids too, restored from a checkpoint
        said = [potential if isinstance(potential, str) else "a function" for potential in potentials or ()]
        with meeting(processes, "Simulation()"):
            self._shared = _chamomile.SharedParticles(snapshot, processes)
            processes.meet(repr((sorted(words.items()), end_time, said)) + self._shared.alike())
        everything = self._shared.gather()

        def make() -> None:
            self._core = _chamomile.PySimulation(everything, words, end_time, potentials, processes)

        self._lead(make, True)

    def at_intervals(self, interval: Union[float, str], potentials: bool, observer: int) -> None:
        self._call("at_intervals()", (interval, potentials), lambda: self._core.at_intervals(interval, potentials, observer))

    def at_times(self, times: Sequence[float], potentials: bool, observer: int) -> None:
        with meeting(self._processes, "at_times()"):
            times = list(times)
        self._call("at_times()", (times, potentials), lambda: self._core.at_times(times, potentials, observer))

    def every_steps(self, n: int, potentials: bool, observer: int) -> None:
        self._call("every_steps()", (n, potentials), lambda: self._core.every_steps(n, potentials, observer))

    def view(self, port: Optional[int]) -> str:
        return self._call("view()", port, lambda: self._core.view(port), collects=True)

    def run(self, notify: Notify) -> None:
        self._run(notify, (), lambda: self._core.run(self._call_observer))

    def run_in_folder(self, notify: Notify, folder: str, settings: dict[str, Any], overwrite: bool, restart: bool, command: str) -> None:
        words = (folder, sorted(settings.items()), overwrite, restart)
        self._deals_all = restart
        self._run(notify, words, lambda: self._core.run_in_folder(self._call_observer, folder, settings, overwrite, restart, command))

    def stop(self) -> None:
        self._stops = True
        if self._core is not None:
            self._core.stop()

    def diagnostics(self) -> dict[str, Any]:
        return self._call("diagnostics()", (), lambda: self._core.diagnostics(), collects=True)

    def __getattr__(self, name: str) -> Any:
        if name in _STATE:
            return getattr(self._core, name) if self._core is not None else self._state[name]
        raise AttributeError(name)

    def _run(self, notify: Notify, words: Any, work: Callable[[], Any]) -> None:
        self._notify, self._fault = notify, None
        self._call("run()", words, work, collects=True, deals=True)

    def _call(self, name: str, words: Any, work: Callable[[], Any], collects: bool = False, deals: bool = False) -> Any:
        """Runs `work` on the first process while the others run the rank server. All return or raise its result.

        collects: gathers the snapshots' particles first, unless the run has started; deals: scatters the particles afterwards.
        """
        with meeting(self._processes, name):
            self._processes.meet(repr(words))
        if collects and not self.has_started:
            self._shared.gather()
        found = self._lead(work, deals)
        _chamomile.look_at_signals()
        return found

    def _lead(self, work: Callable[[], Any], deals: bool) -> Any:
        if self._processes.rank > 0:
            return self._follow()
        try:
            found = work()
        except BaseException as error:
            try:
                self._tell("raised", raised_as(error), deals)
            except errors.Error:  # a process has failed, and all processes know
                pass
            raise
        self._tell("done", found, deals)
        return found

    def _follow(self) -> Any:
        while True:
            what, given, self._state, deals = pickle.loads(self._shared.follow())
            if deals:
                self._deal(self._state)
            if what == "done":
                return given
            if what == "raised":
                if self._fault is not None:
                    raise self._fault
                _chamomile.raise_as(*given)
            self._observe(given)

    def _tell(self, what: str, given: Any, deals: bool) -> None:
        state = {}
        if self._core is not None:
            state = {name: getattr(self._core, name) for name in _STATE}
        state["provenance"] = dict(self._core.snapshot.provenance if self._core is not None else self.snapshot.provenance)
        self._shared.tell(pickle.dumps((what, given, state, deals)))
        if deals:
            self._deal(state)

    def _deal(self, state: dict[str, Any]) -> None:
        self._shared.scatter(self._deals_all)
        self._deals_all = False
        self.snapshot.provenance = state["provenance"]

    def _call_observer(self, number: int) -> None:
        self._tell("observe", number, True)
        self._observe(number)

    def _observe(self, number: int) -> None:
        """Calls an observer on all processes. An exception on any of them ends the run."""
        assert self._notify is not None
        fault: Optional[BaseException] = None
        try:
            self._notify(number)
            _chamomile.look_at_signals()
        except BaseException as error:
            fault = error
        while True:
            self._processes.begin("the end of an observer")
            try:
                self._processes.refuse(*raised_as(fault))
            except BaseException as error:
                fault = fault or error
                if self._processes.have_differed:  # other processes are still in their observers
                    continue
                if self._processes.rank > 0:
                    self._fault = fault
                    return
                raise fault
            break
        if self._processes.sum(int(self._stops)) and self._core is not None:
            self._core.stop()
