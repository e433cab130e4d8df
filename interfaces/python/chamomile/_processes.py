"""MPI processes with mpi4py: their messages and collective calls."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from typing import Any, Iterator, Optional, Sequence

from . import _chamomile
from .errors import UsageError

_DATA, _FAILURE = 12, 13  # tags
_MOST_BYTES = 1 << 28  # per message


class Carrier:
    """Transfers bytes between the processes of a communicator, on a duplicate communicator.

    Waits poll, so that they can end when another process has failed or is silent. Messages then stay in flight, and the
    carrier is never used again.
    """

    def __init__(self, comm: Any) -> None:
        self._mpi = sys.modules["mpi4py.MPI"]
        self._comm = comm.Dup()
        self.rank, self.size = self._comm.rank, self._comm.size
        host = self._comm.Split_type(self._mpi.COMM_TYPE_SHARED)
        self.ranks_on_host, self.rank_on_host = host.size, host.rank
        host.Free()
        self.has_failed = False
        self._handler: Any = None  # of SIGINT, while Ctrl-C is deferred
        self._kept: list[Any] = []  # messages in flight after a failure

    def hold(self) -> None:
        """Until release(), the first Ctrl-C waits for _chamomile.look_at_signals(); a second one runs its handler."""
        is_main = threading.current_thread() is threading.main_thread()  # only the main thread has handlers
        handler = signal.getsignal(signal.SIGINT) if is_main else None
        if callable(handler):
            signal.signal(signal.SIGINT, lambda *words: _chamomile.remember_interrupt() or handler(*words))
            self._handler = handler

    def release(self) -> None:
        handler, self._handler = self._handler, None
        if handler is not None:
            signal.signal(signal.SIGINT, handler)

    def tell_sizes(self, sizes: Sequence[int], limit: Optional[float]) -> tuple[Any, ...]:
        """Sends `sizes` (bytes to each process) and returns the bytes to expect from each, or the failure of _wait()."""
        import numpy as np

        leaving, coming = np.array(sizes, np.uint64), np.empty(self.size, np.uint64)
        failure = self._wait([self._comm.Ialltoall(leaving, coming)], [-1], limit, (leaving, coming))
        return failure or tuple(coming.tolist())

    def carry(self, leaving: Sequence[memoryview], arriving: Sequence[memoryview], limit: float) -> tuple[Any, ...]:
        """Sends to and receives from each process. Returns the result of _wait()."""
        requests, peers = [], []
        for post, views in ((self._comm.Irecv, arriving), (self._comm.Isend, leaving)):
            for peer, view in enumerate(views):
                for begin in range(0, len(view), _MOST_BYTES):
                    requests.append(post([view[begin : begin + _MOST_BYTES], self._mpi.BYTE], peer, _DATA))
                    peers.append(peer)
        return self._wait(requests, peers, limit, (leaving, arriving))

    def fail(self, line: str) -> None:
        """Reports to all processes that this process has failed."""
        self.has_failed = True
        text = line.encode()
        self._kept.append(text)
        for peer in range(self.size):
            if peer != self.rank:
                self._kept.append(self._comm.Isend([text, self._mpi.BYTE], peer, _FAILURE))
        for _ in range(100):  # messages progress inside MPI calls
            self._comm.Iprobe(tag=_FAILURE)
            time.sleep(0.001)

    def _wait(self, requests: list[Any], peers: list[int], limit: Optional[float], memory: Any) -> tuple[Any, ...]:
        """Waits for all requests. Returns (), or message and rank of a failed process, or "" and rank of a silent one."""
        start, rests, waited = time.monotonic(), 0, 0.0
        try:
            while not self._mpi.Request.Testall(requests):
                status = self._mpi.Status()
                if self._comm.Iprobe(tag=_FAILURE, status=status):
                    text = bytearray(status.Get_count(self._mpi.BYTE))
                    self._comm.Recv([text, self._mpi.BYTE], status.source, _FAILURE)
                    found = text.decode(), status.source
                elif limit is not None and waited > limit:
                    found = "", next((peer for peer, request in zip(peers, requests) if not request.Test()), -1)
                else:
                    rests += waited > 0.5
                    time.sleep(min(rests, 1000) * 1e-6)
                    waited = time.monotonic() - start
                    continue
                self.has_failed = True
                self._kept.append((requests, memory))
                return found
        except BaseException:  # keep the messages in flight, too
            self._kept.append((requests, memory))
            raise
        return ()


_carriers: dict[str, Any] = {}  # the attribute key of carriers in communicators


def _carrier(comm: Any) -> Carrier:
    """Returns the carrier of a communicator, creating it once."""
    mpi = sys.modules.get("mpi4py.MPI")
    if mpi is None or not isinstance(comm, mpi.Intracomm) or comm == mpi.COMM_NULL:
        raise UsageError(f"comm: {comm!r}: must be an intracommunicator of mpi4py")
    key = _carriers.setdefault("key", None) or mpi.Comm.Create_keyval()
    _carriers["key"] = key
    carrier = comm.Get_attr(key)
    if carrier is None:
        carrier = Carrier(comm)
        comm.Set_attr(key, carrier)
    return carrier


def processes_of(comm: Any, options: dict[str, Any]) -> Optional[_chamomile.Processes]:
    """Returns the processes of a communicator, or None. Removes peer_timeout and share_gpu from `options`."""
    if comm is None:
        return None
    carrier = _carrier(comm)
    timeout, share = options.pop("peer_timeout", None), options.pop("share_gpu", None)
    made = _chamomile.Processes(carrier, 600.0, bool(share))
    with meeting(made, "comm"):
        return made if timeout is None else _chamomile.Processes(carrier, timeout, bool(share))


def raised_as(error: Optional[BaseException]) -> tuple[str, str]:
    """Returns class name and message of an exception, in UTF-8; empty texts for None."""
    if error is None:
        return "", ""
    return type(error).__name__, str(error).encode(errors="replace").decode()


@contextlib.contextmanager
def meeting(processes: Optional[_chamomile.Processes], call: str) -> Iterator[None]:
    """A context for a collective exchange. An exception on one process before the exchange is raised on all."""
    if processes is None:
        yield
        return
    processes.begin(call)
    try:
        yield
    except BaseException as error:
        if processes.has_met:
            raise
        processes.refuse(*raised_as(error))
    if not processes.has_met:
        processes.refuse("", "")
