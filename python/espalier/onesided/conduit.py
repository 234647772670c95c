# SPDX-License-Identifier: Apache-2.0
"""Processes with segments that all of them reach."""

from __future__ import annotations

import contextlib
import ctypes
import warnings
from typing import TYPE_CHECKING, Any, Protocol

from espalier import api
from espalier.errors import ArgumentError, MpiError
from espalier.onesided import arguments, endings, message
from espalier.onesided.block import EndedByBlock
from espalier.onesided.functions import (
    CONDITION,
    ConduitOptions,
    Remote,
    TransferState,
    ask,
    call,
    handle,
)
from espalier.onesided.message import Handlers
from espalier.onesided.segment import Segment
from espalier.onesided.transfer import Transfer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy.typing as npt
    from mpi4py import MPI

    from espalier.onesided.message import HandlerFunction


class _Team(Protocol):
    """What has to end before its conduit."""

    def free(self) -> None: ...


# Conduits that were not detached; a name that goes out of scope must not end what others use.
_attached: set[Conduit] = set()


class Conduit(EndedByBlock):
    """The processes of a communicator, each with a segment that the others reach.

    A `with` block detaches it at its end. It does not if the block ends by an exception, since
    others may never come; `detach()` still can.

    Arrays of the segment may be used as long as they exist, until MPI is finalized. If there is one
    when the conduit is detached, on any process, then nobody communicates any more, but the memory
    stays; see `detach()`.
    """

    def __init__(
        self,
        comm: MPI.Intracomm,
        segment_bytes: int,
        *,
        transport: str | None = None,
        scratch_bytes: int = 0,
        handlers: Sequence[HandlerFunction] = (),
    ) -> None:
        """Attach. Collective over `comm`, which may be freed afterwards.

        Args:
            comm: an intracommunicator of mpi4py.
            segment_bytes: what others reach of this process, zero at first; may differ between
                processes.
            transport: `node` (memory that the processes share), `rma` (MPI-3 one-sided
                communication), `ucx` (networks that UCX knows, if Espalier was built with it), or
                None: `node` if all processes are on one node, else `ucx` if all find it, else
                `rma`. Equal on all.
            scratch_bytes: beside each segment, for all teams; 0 for 4 MiB. Equal on all.
            handlers: functions of a `Message`, which messages of `send()` name by number. As many
                on all. They must not wait, and do nothing on the conduit but `Message.reply()`,
                `counter()` and what only asks. What they raise is raised by the method of the
                conduit that let them run, or by the next one.

        Raises:
            ArgumentError: arguments that cannot be.
            OutOfMemoryError: the segments do not fit.
            MpiError: mpi4py is missing, a call of MPI failed, or the transport cannot serve these
                processes.
        """
        self._handlers = Handlers(handlers, self)
        options = ConduitOptions(
            size=ctypes.sizeof(ConduitOptions),
            flags=0,
            transport=None if transport is None else transport.encode(),
            scratch_bytes=arguments.number(scratch_bytes, "scratch_bytes"),
            handlers=self._handlers.list,
            num_handlers=self._handlers.count,
        )
        num_bytes = arguments.number(segment_bytes, "segment_bytes")
        made = ctypes.c_void_p()
        call("conduit_attach", handle(comm), num_bytes, ctypes.byref(options), ctypes.byref(made))
        self._handle = made
        self._segment = Segment(ask("conduit_segment", made) or 0, num_bytes)
        self._comm = comm.Dup()
        self._is_ended = False
        self._teams: list[_Team] = []
        self._underway: set[Transfer] = set()
        self._posted: list[npt.NDArray[Any]] = []
        self._rank: int = ask("conduit_rank", made)
        self._size: int = ask("conduit_size", made)
        self._transport: str = ask("conduit_transport", made).decode()
        _attached.add(self)

    def _end_block(self) -> None:
        self.detach()

    @property
    def rank(self) -> int:
        """The rank of this process."""
        return self._rank

    @property
    def size(self) -> int:
        """The number of processes."""
        return self._size

    @property
    def transport(self) -> str:
        """`node`, `rma`, `ucx` or, on simulated machines, `simulated`."""
        return self._transport

    @property
    def is_released(self) -> bool:
        """Whether it was detached and its memory was given back."""
        return self._handle.value is None

    def detach(self) -> None:
        """End the conduit. Collective over its processes; waits for all of them.

        Waits for what this process has started, and frees the teams. The memory is given back
        unless arrays of a segment are in use on any process. Then it stays on all processes, so
        that these arrays may be used further as memory of their process alone: until all processes
        call this function again when there are none, or until MPI is finalized. A
        `ResourceWarning` says so. Nothing happens if the memory was given back before.

        An error of what is under way is raised in the end: other processes wait for this one.

        Raises:
            MpiError: MPI was finalized before.
        """
        if self.is_released:
            return
        if api.mpi().Is_finalized():
            raise MpiError("expected detach() before MPI is finalized, got it afterwards")
        try:
            if not self._is_ended:
                self._end()
        finally:
            if self._is_ended:
                self._release_unless_used()

    def _release_unless_used(self) -> None:
        """Give back the memory if no process has arrays of a segment, else say so. Collective."""
        num_users = self._comm.allreduce(int(self._segment.has_arrays()))
        if num_users == 0:
            endings.cancel(self._release)
            self._release()
            return
        if self in _attached:
            _attached.remove(self)
            endings.put_off(self._release)
        warnings.warn(
            f"arrays of segments are in use on {num_users} of {self._size} processes, so that "
            "their memory stays; delete them before the conduit is detached",
            ResourceWarning,
            stacklevel=3,
        )

    def _release(self) -> None:
        """Give back the memory of all processes. Collective."""
        call("conduit_detach", ctypes.byref(self._handle))
        self._comm.Free()
        _attached.discard(self)

    def _end(self) -> None:
        """Complete what this process has begun, and wait until nobody uses segments of others."""
        for transfer in list(self._underway):
            transfer.wait()
        self.fence()
        with contextlib.ExitStack() as left:
            left.callback(self._leave)
            for team in reversed(self._teams):
                left.callback(team.free)

    def _leave(self) -> None:
        """Wait until all processes have ended what they have begun."""
        self.barrier()
        self._is_ended = True

    def _run(self, name: str, *given: Any) -> None:
        """Call a function that may run handlers, and raise what they raised."""
        call(name, *given)
        self._handlers.raise_error()

    def _live(self) -> ctypes.c_void_p:
        """Return the handle of a conduit that is attached."""
        if self._is_ended:
            raise ArgumentError("expected a conduit that is attached, got one that was detached")
        return self._handle

    def _remote(self, rank: int, offset: int) -> Remote:
        return Remote(
            arguments.number(rank, "rank", self._size), arguments.number(offset, "offset")
        )

    def array(
        self, shape: int | Sequence[int], dtype: npt.DTypeLike = float, offset: int = 0
    ) -> npt.NDArray[Any]:
        """Return an array that is part of the own segment, in C order. Not collective.

        Args:
            shape: the extents, or the length of one dimension.
            dtype: of the elements; anything but Python objects.
            offset: bytes from the beginning of the segment, a multiple of the alignment of `dtype`.

        Raises:
            ArgumentError: it would not lie in the segment.
        """
        self._live()
        return self._segment.array(shape, dtype, offset)

    def offset(self, array: npt.NDArray[Any]) -> int:
        """Return how many bytes of the own segment stand before an array of it. Not collective."""
        self._live()
        address = arguments.contiguous(array, "array")
        return self._segment.offset(address, array.nbytes, "array")

    def segment_bytes(self, rank: int | None = None) -> int:
        """Return the bytes of the segment of a process, by default of this one. Not collective."""
        number = self._rank if rank is None else arguments.number(rank, "rank", self._size)
        found = ctypes.c_uint64()
        call("conduit_segment_bytes", self._live(), number, ctypes.byref(found))
        return found.value

    def put(self, array: npt.NDArray[Any], rank: int, offset: int) -> None:
        """Write the bytes of an array to a segment, and wait until they are there.

        Not collective.

        Args:
            array: contiguous, in the own segment or anywhere else.
            rank: whose segment.
            offset: bytes from its beginning.

        Raises:
            ArgumentError: it would not lie in the segment of that process.
        """
        conduit, address = self._live(), arguments.contiguous(array, "array")
        self._run("put", address, array.nbytes, self._remote(rank, offset), conduit)

    def get(self, array: npt.NDArray[Any], rank: int, offset: int) -> None:
        """Fill an array with the bytes of a segment, and wait until they are here.

        Not collective; arguments are those of `put()`.
        """
        conduit, address = self._live(), arguments.contiguous(array, "array", is_written=True)
        self._run("get", address, array.nbytes, self._remote(rank, offset), conduit)

    def start_put(self, array: npt.NDArray[Any], rank: int, offset: int) -> Transfer:
        """Put without waiting: the array must not be written until the transfer is over.

        Not collective.
        """
        address = arguments.contiguous(array, "array")
        return self._start("start_put", array, address, self._remote(rank, offset))

    def start_get(self, array: npt.NDArray[Any], rank: int, offset: int) -> Transfer:
        """Get without waiting: the array must not be used until the transfer is over.

        Not collective.
        """
        address = arguments.contiguous(array, "array", is_written=True)
        return self._start("start_get", array, address, self._remote(rank, offset))

    def _start(
        self, name: str, array: npt.NDArray[Any], address: int, remote: Remote, *signal: int
    ) -> Transfer:
        conduit, state = self._live(), TransferState()
        call(name, address, array.nbytes, remote, *signal, conduit, ctypes.byref(state))
        return Transfer(conduit, state, array, self._underway)

    def post_put(self, array: npt.NDArray[Any], rank: int, offset: int) -> None:
        """Put; it is over, and the array may be written again, at the next `fence()`.

        Not collective.
        """
        conduit, address = self._live(), arguments.contiguous(array, "array")
        self._run("post_put", address, array.nbytes, self._remote(rank, offset), conduit)
        self._posted.append(array)

    def post_get(self, array: npt.NDArray[Any], rank: int, offset: int) -> None:
        """Get; it is over at the next `fence()`. Not collective."""
        conduit, address = self._live(), arguments.contiguous(array, "array", is_written=True)
        self._run("post_get", address, array.nbytes, self._remote(rank, offset), conduit)
        self._posted.append(array)

    def fence(self) -> None:
        """Wait for all that this process has posted. Not collective."""
        self._run("fence", self._live())
        self._posted.clear()

    def put_signal(
        self, array: npt.NDArray[Any], rank: int, offset: int, *, counter: int, amount: int = 1
    ) -> None:
        """Put, and add to a counter of the same process after that.

        Who sees the counter sees the data. Returns when the array may be written again. Not
        collective.

        Args:
            array: contiguous, in the own segment or anywhere else.
            rank: whose segment.
            offset: bytes from its beginning.
            counter: the offset of 8 bytes in the same segment, a multiple of 8.
            amount: what is added, modulo 2^64.
        """
        conduit, address = self._live(), arguments.contiguous(array, "array")
        where = arguments.number(counter, "counter")
        added = arguments.number(amount, "amount")
        self._run(
            "put_signal", address, array.nbytes, self._remote(rank, offset), where, added, conduit
        )

    def start_put_signal(
        self, array: npt.NDArray[Any], rank: int, offset: int, *, counter: int, amount: int = 1
    ) -> Transfer:
        """Put and add to a counter without waiting; arguments are those of `put_signal()`.

        The array must not be written until the transfer is over, which says nothing about the other
        process: only the counter says that the data are there. It goes on where this process waits
        or polls. Not collective.
        """
        address = arguments.contiguous(array, "array")
        signal = (arguments.number(counter, "counter"), arguments.number(amount, "amount"))
        return self._start("start_put_signal", array, address, self._remote(rank, offset), *signal)

    def post_put_signal(
        self, array: npt.NDArray[Any], rank: int, offset: int, *, counter: int, amount: int = 1
    ) -> None:
        """Put and add to a counter; the array may be written again at the next `fence()`.

        Arguments are those of `put_signal()`. Only the counter says that the data are there. Not
        collective.
        """
        conduit, address = self._live(), arguments.contiguous(array, "array")
        signal = (arguments.number(counter, "counter"), arguments.number(amount, "amount"))
        remote = self._remote(rank, offset)
        self._run("post_put_signal", address, array.nbytes, remote, *signal, conduit)
        self._posted.append(array)

    def signal(self, rank: int, counter: int, amount: int = 1) -> None:
        """Add to a counter of a process, in no order with puts that are not over.

        Not collective.
        """
        added = arguments.number(amount, "amount")
        self._run("signal", self._remote(rank, counter), added, self._live())

    def counter(self, counter: int) -> int:
        """Return the value of a counter of this process. Does not poll; not collective."""
        found = ctypes.c_uint64()
        where = arguments.number(counter, "counter")
        call("counter", self._live(), where, ctypes.byref(found))
        return found.value

    def await_counter(self, counter: int, at_least: int) -> None:
        """Wait until a counter of this process is at least that. Not collective."""
        where = arguments.number(counter, "counter")
        self._run("await", self._live(), where, arguments.number(at_least, "at_least"))

    @property
    def max_medium_bytes(self) -> int:
        """The most bytes of the payload of a message without a place in a segment."""
        return int(ask("max_medium_bytes", self._live()))

    def send(
        self,
        rank: int,
        handler: int,
        *numbers: int,
        payload: npt.NDArray[Any] | None = None,
        offset: int | None = None,
    ) -> None:
        """Run a handler of a process. Returns when the payload may be written again.

        Not collective. Two messages may overtake each other.

        Args:
            rank: of the process, which may be this one.
            handler: the number of its handler.
            numbers: at most 5, from 0 to 2^64 - 1.
            payload: a contiguous array; None for none.
            offset: where the payload goes in the segment of that process. None: the handler finds
                it elsewhere, and it has at most `max_medium_bytes`.

        Raises:
            ArgumentError: arguments that cannot be.
        """
        place = None if offset is None else self._remote(rank, offset)
        to = arguments.number(rank, "rank", self._size)
        message.send("send", handler, numbers, payload, place, to, self._live())
        self._handlers.raise_error()

    def wait_until(self, condition: Callable[[], object]) -> None:
        """Wait until a condition holds that messages or counters make true. Not collective.

        Args:
            condition: called often; it must not wait. What it or a handler raises ends the wait.
        """

        def is_true(_: int | None) -> int:
            try:
                return int(self._handlers.has_error or bool(condition()))
            except BaseException as error:
                self._handlers.keep(error)
                return 1

        call("wait_until", CONDITION(is_true), None, self._live())
        self._handlers.raise_error()

    def poll(self) -> None:
        """Move on what is under way. Never waits; not collective."""
        self._run("conduit_poll", self._live())

    def notify(self) -> None:
        """Begin a barrier of all processes, without waiting; `try_barrier()` ends it.

        The barrier orders what was over before it.
        """
        self._run("conduit_notify", self._live())

    def try_barrier(self) -> bool:
        """Tell whether all processes have called `notify()`; if so the barrier is over."""
        is_over = ctypes.c_int()
        self._run("conduit_try_barrier", self._live(), ctypes.byref(is_over))
        return bool(is_over.value)

    def barrier(self) -> None:
        """Wait until all processes are here. Collective."""
        self._run("conduit_barrier", self._live())
