# SPDX-License-Identifier: Apache-2.0
"""Some processes of a conduit that run collectives together."""

from __future__ import annotations

import contextlib
import ctypes
import weakref
from typing import TYPE_CHECKING, Any, Protocol

from espalier import api
from espalier.errors import ArgumentError, Error
from espalier.onesided import arguments, modes
from espalier.onesided.block import EndedByBlock
from espalier.onesided.buffers import Buffer, contents
from espalier.onesided.dropped import Dropped
from espalier.onesided.functions import ask, call, handle
from espalier.onesided.modes import Addresses
from espalier.onesided.request import Request, started
from espalier.onesided.uneven import addresses, check_own, uneven

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt
    from mpi4py import MPI
    from typing_extensions import Unpack

    from espalier.onesided.buffers import Place
    from espalier.onesided.conduit import Conduit
    from espalier.onesided.modes import Modes
    from espalier.onesided.segment import Segment
    from espalier.onesided.uneven import Blocks

    Array = npt.NDArray[Any]


class _Array(Protocol):
    """What has to end before its team."""

    def free(self) -> None: ...


class Team(EndedByBlock):
    """The processes of a communicator, with its ranks; all are processes of the conduit.

    Each collective exists twice: `bcast_init()` plans a `Request` that is started any number of
    times, and `bcast()` plans and starts one that frees itself when it is over. Both are collective
    over the team, in the same order on all members, and wait for nobody, unless addresses are
    single. Drop a request, and it goes on; `fence()` waits for it.

    The keywords of all collectives are those of `Modes`. By default they are strict, and buffers
    are symmetric: arrays of the segment, at the same offset on all members. With
    `Addresses.SINGLE` they are at any offset; then an array that cannot be is an error on all
    members. Types are those that
    mpi4py finds for NumPy arrays, equal on all members, as are counts, root, op and modes.

    Blocks of different sizes are `(array, counts)` or `(array, counts, displacements)`, with an
    entry for each member; without displacements one follows the other.

    Where only the root has a buffer, other members pass None if addresses are local or single. If
    they are symmetric they say where it is, by the offset in bytes or an array of their own segment
    there.
    """

    def __init__(self, conduit: Conduit, comm: MPI.Intracomm, *, scratch_bytes: int = 0) -> None:
        """Make a team. Collective over `comm`, which must not be freed before the team.

        Members that are in several teams make them in the same order.

        Args:
            conduit: it frees the team when it is detached.
            comm: an intracommunicator of mpi4py, as `Split()` makes it.
            scratch_bytes: of those of the conduit, for this team alone, equal on all members; 0 for
                an eighth. A collective that needs more than half of it is refused.

        Raises:
            ArgumentError: processes that the conduit does not have, or scratch space that it does
                not have any more.
        """
        made = ctypes.c_void_p()
        num_bytes = arguments.number(scratch_bytes, "scratch_bytes")
        call("team_create", conduit._live(), handle(comm), num_bytes, ctypes.byref(made))
        self._handle = made
        self._conduit = conduit
        self._comm = comm
        self._requests: weakref.WeakSet[Request] = weakref.WeakSet()
        self._underway: set[Request] = set()
        self._arrays: weakref.WeakSet[_Array] = weakref.WeakSet()
        self._dropped = Dropped()
        self._rank: int = ask("team_rank", made)
        self._size: int = ask("team_size", made)
        conduit._teams.append(self)

    def _end_block(self) -> None:
        self.free()

    @property
    def rank(self) -> int:
        """The rank of this process in the team."""
        return self._rank

    @property
    def size(self) -> int:
        """The number of members."""
        return self._size

    @property
    def conduit(self) -> Conduit:
        """The conduit whose processes are members."""
        return self._conduit

    @property
    def cache_size(self) -> int:
        """Implicit teams of shared arrays that this process is in."""
        size: int = ask("team_cache_size", self._live())
        return size

    def cache_limits(self, most_teams: int, scratch_bytes: int = 0) -> None:
        """Bound the implicit teams, before the first one is made. Not collective.

        Args:
            most_teams: that a member is in at the same time, by default 16. Equal on all members.
            scratch_bytes: of those of the conduit, for each of them, equal on all members; 0 for a
                thirty-second part. A collective that needs more than half of it is refused.
        """
        number = arguments.number(most_teams, "most_teams", 2**31)
        num_bytes = arguments.number(scratch_bytes, "scratch_bytes")
        call("team_cache_limits", self._live(), number, num_bytes)

    def cache_clear(self) -> None:
        """Give up all implicit teams. Collective over the team, for all members of which it waits.

        Raises:
            ArgumentError: requests of shared arrays that were not freed.
        """
        live = self._live()
        self._dropped.free()
        call("team_cache_clear", live)

    def conduit_rank(self, rank: int) -> int:
        """Return the rank on the conduit of a rank of the team. Not collective."""
        found = ctypes.c_int()
        number = arguments.number(rank, "rank", self._size)
        call("team_conduit_rank", self._live(), number, ctypes.byref(found))
        return found.value

    def rank_of(self, conduit_rank: int) -> int | None:
        """Return the rank in the team of a rank of the conduit, None if it is no member.

        Not collective; takes time in proportion to the size of the team.
        """
        found = ctypes.c_int()
        number = arguments.number(conduit_rank, "conduit_rank", self._conduit.size)
        call("team_rank_of", self._live(), number, ctypes.byref(found))
        return None if found.value == api.mpi().UNDEFINED else found.value

    def free(self) -> None:
        """Wait for what is under way, and free the team with its requests and shared arrays.

        Collective over the team; nothing happens if it was freed before. An error of what is under
        way is raised in the end: other members wait for this one.
        """
        if self._handle.value is None:
            return
        try:
            self.fence()
        except Error:
            with contextlib.suppress(Error):
                self._end()
            raise
        self._end()

    def _end(self) -> None:
        """Free the team, with all that it has. Collective over it."""
        for request in list(self._requests):
            request.free()
        for array in list(self._arrays):
            array.free()
        self._dropped.free()
        call("team_free", ctypes.byref(self._handle))
        self._conduit._teams.remove(self)

    def fence(self) -> None:
        """Wait for all collectives of the team that this process has started. Not collective.

        If something is wrong with several of them, that of one of them is raised.
        """
        live = self._live()
        self._dropped.free()
        try:
            call("team_fence", live)
        except Error:
            for request in list(self._underway):
                request._end_if_over()
            raise
        for request in list(self._underway):
            request.wait()

    def bcast_init(self, array: Array, root: int = 0, **keywords: Unpack[Modes]) -> Request:
        """Plan a broadcast: the array of the root is copied to those of all other members.

        Raises:
            ArgumentError: arrays or options that cannot be.
            MpiError: no algorithm or mechanism can serve it so.
        """
        root = arguments.number(root, "root", self._size)
        buffer = Buffer("array", array, is_written=self._rank != root)
        return self._plan("bcast", [buffer], root, keywords=keywords)

    def scatter_init(
        self, send: Place, recv: Array, root: int = 0, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan a scatter: member i gets part i of `send`, which only the root needs."""
        root = arguments.number(root, "root", self._size)
        buffers = [
            Buffer("send", send, num_parts=self._size, counts=self._rank == root),
            Buffer("recv", recv, is_written=True),
        ]
        return self._plan("scatter", buffers, root, keywords=keywords)

    def gather_init(
        self, send: Array, recv: Place, root: int = 0, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan a gather: part i of `recv`, which only the root needs, comes from member i."""
        root = arguments.number(root, "root", self._size)
        is_root = self._rank == root
        buffers = [
            Buffer("send", send),
            Buffer("recv", recv, num_parts=self._size, is_written=True, counts=is_root),
        ]
        return self._plan("gather", buffers, root, keywords=keywords)

    def reduce_init(
        self,
        send: Array,
        recv: Place,
        op: MPI.Op | None = None,
        root: int = 0,
        **keywords: Unpack[Modes],
    ) -> Request:
        """Plan a reduction to `recv`, which only the root needs; op is `MPI.SUM` by default."""
        op = api.mpi().SUM if op is None else op
        root = arguments.number(root, "root", self._size)
        buffers = [
            Buffer("send", send),
            Buffer("recv", recv, is_written=True, counts=self._rank == root),
        ]
        return self._plan("reduce", buffers, handle(op), root, keywords=keywords, kept=op)

    def allreduce_init(
        self, send: Array, recv: Array, op: MPI.Op | None = None, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan a reduction whose result all members get; op is `MPI.SUM` by default."""
        op = api.mpi().SUM if op is None else op
        buffers = [Buffer("send", send), Buffer("recv", recv, is_written=True)]
        return self._plan("allreduce", buffers, handle(op), keywords=keywords, kept=op)

    def allgather_init(self, send: Array, recv: Array, **keywords: Unpack[Modes]) -> Request:
        """Plan a gather to all: part i of `recv` of all members comes from member i."""
        buffers = [
            Buffer("send", send),
            Buffer("recv", recv, num_parts=self._size, is_written=True),
        ]
        return self._plan("allgather", buffers, keywords=keywords)

    def alltoall_init(self, send: Array, recv: Array, **keywords: Unpack[Modes]) -> Request:
        """Plan an exchange: part i of `recv` of member j is part j of `send` of member i."""
        buffers = [
            Buffer("send", send, num_parts=self._size),
            Buffer("recv", recv, num_parts=self._size, is_written=True),
        ]
        return self._plan("alltoall", buffers, keywords=keywords)

    def scatterv_init(
        self, send: Blocks, recv: Array, root: int = 0, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan a scatter of blocks of different sizes: block i of `send` goes to member i.

        All members name all counts and displacements, which are those of the array of the root.
        """
        root = arguments.number(root, "root", self._size)
        with self._telling(keywords):
            blocks = uneven(send, "send", self._size, counts=self._rank == root)
            own = Buffer("recv", recv, is_written=True)
            check_own(own, blocks.counts[self._rank])
            ends = addresses(blocks, own, self._segment(keywords))
            given = (ends[0], *blocks.lists, ends[1], _type(own), root)
        return self._made("scatterv", given, keywords, (send, recv))

    def gatherv_init(
        self, send: Array, recv: Blocks, root: int = 0, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan a gather of blocks of different sizes: block i of `recv` comes from member i.

        All members name all counts and displacements, which are those of the array of the root.
        """
        root = arguments.number(root, "root", self._size)
        is_root = self._rank == root
        with self._telling(keywords):
            blocks = uneven(recv, "recv", self._size, is_written=True, counts=is_root)
            own = Buffer("send", send)
            check_own(own, blocks.counts[self._rank])
            ends = addresses(own, blocks, self._segment(keywords))
            given = (*ends, *blocks.lists, _type(own), root)
        return self._made("gatherv", given, keywords, (send, recv))

    def allgatherv_init(self, send: Array, recv: Blocks, **keywords: Unpack[Modes]) -> Request:
        """Plan a gather to all: block i of `recv` of all members comes from member i.

        Counts and displacements are equal on all members.
        """
        with self._telling(keywords):
            blocks = uneven(recv, "recv", self._size, is_written=True)
            own = Buffer("send", send)
            check_own(own, blocks.counts[self._rank])
            ends = addresses(own, blocks, self._segment(keywords))
            given = (*ends, *blocks.lists, _type(own))
        return self._made("allgatherv", given, keywords, (send, recv))

    def alltoallv_init(self, send: Blocks, recv: Blocks, **keywords: Unpack[Modes]) -> Request:
        """Plan an exchange: block i of `recv` of member j is block j of `send` of member i.

        Each member names the counts and displacements of its own arrays. Planning is collective and
        waits for all members, which tell each other their lists.

        Raises:
            ArgumentError: on all members, if what one of them passes cannot be, or if two of them
                name different sizes of one block.
        """
        try:
            sent = uneven(send, "send", self._size)
            received = uneven(recv, "recv", self._size, is_written=True)
            ends = addresses(sent, received, self._segment(keywords))
            given = (ends[0], *sent.lists, ends[1], *received.lists, _type(sent.buffer))
            modes.options(**keywords)
        except Exception:
            self._leave_exchange()
            raise
        return self._made("alltoallv", given, keywords, (send, recv))

    def barrier_init(self, **keywords: Unpack[Modes]) -> Request:
        """Plan a barrier of the team."""
        return self._plan("barrier", [], keywords=keywords)

    def bcast(self, array: Array, root: int = 0, **keywords: Unpack[Modes]) -> Request:
        """Plan and start a broadcast, see `bcast_init()`."""
        return started(self.bcast_init(array, root, **keywords))

    def scatter(
        self,
        send: Place,
        recv: Array,
        root: int = 0,
        **keywords: Unpack[Modes],
    ) -> Request:
        """Plan and start a scatter, see `scatter_init()`."""
        return started(self.scatter_init(send, recv, root, **keywords))

    def gather(
        self,
        send: Array,
        recv: Place,
        root: int = 0,
        **keywords: Unpack[Modes],
    ) -> Request:
        """Plan and start a gather, see `gather_init()`."""
        return started(self.gather_init(send, recv, root, **keywords))

    def reduce(
        self,
        send: Array,
        recv: Place,
        op: MPI.Op | None = None,
        root: int = 0,
        **keywords: Unpack[Modes],
    ) -> Request:
        """Plan and start a reduction, see `reduce_init()`."""
        return started(self.reduce_init(send, recv, op, root, **keywords))

    def allreduce(
        self,
        send: Array,
        recv: Array,
        op: MPI.Op | None = None,
        **keywords: Unpack[Modes],
    ) -> Request:
        """Plan and start a reduction to all, see `allreduce_init()`."""
        return started(self.allreduce_init(send, recv, op, **keywords))

    def allgather(self, send: Array, recv: Array, **keywords: Unpack[Modes]) -> Request:
        """Plan and start a gather to all, see `allgather_init()`."""
        return started(self.allgather_init(send, recv, **keywords))

    def alltoall(self, send: Array, recv: Array, **keywords: Unpack[Modes]) -> Request:
        """Plan and start an exchange, see `alltoall_init()`."""
        return started(self.alltoall_init(send, recv, **keywords))

    def scatterv(
        self, send: Blocks, recv: Array, root: int = 0, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan and start a scatter of different blocks, see `scatterv_init()`."""
        return started(self.scatterv_init(send, recv, root, **keywords))

    def gatherv(
        self, send: Array, recv: Blocks, root: int = 0, **keywords: Unpack[Modes]
    ) -> Request:
        """Plan and start a gather of different blocks, see `gatherv_init()`."""
        return started(self.gatherv_init(send, recv, root, **keywords))

    def allgatherv(self, send: Array, recv: Blocks, **keywords: Unpack[Modes]) -> Request:
        """Plan and start a gather to all of different blocks, see `allgatherv_init()`."""
        return started(self.allgatherv_init(send, recv, **keywords))

    def alltoallv(self, send: Blocks, recv: Blocks, **keywords: Unpack[Modes]) -> Request:
        """Plan and start an exchange of different blocks, see `alltoallv_init()`."""
        return started(self.alltoallv_init(send, recv, **keywords))

    def barrier(self, **keywords: Unpack[Modes]) -> Request:
        """Plan and start a barrier of the team, see `barrier_init()`."""
        return started(self.barrier_init(**keywords))

    def _live(self) -> ctypes.c_void_p:
        """Return the handle of a team that was not freed."""
        if self._handle.value is None:
            raise ArgumentError("expected a team, got one that was freed")
        return self._handle

    def _plan(
        self, name: str, buffers: Sequence[Buffer], *rest: Any, keywords: Modes, kept: object = None
    ) -> Request:
        """Plan a collective; `rest` is what stands in C between the datatype and the team."""
        self._live()
        given: tuple[Any, ...] = ()
        if buffers:
            with self._telling(keywords):
                found = contents(buffers, self._segment(keywords))
            given = (*found.addresses, found.count, handle(found.datatype))
        used = (*(buffer.given for buffer in buffers), kept)
        return self._made(name, (*given, *rest), keywords, used)

    def _segment(self, keywords: Modes) -> Segment | None:
        """Return where buffers have to lie, if this member can tell for all of them."""
        is_known = modes.options(**keywords).addresses == Addresses.SYMMETRIC
        return self._conduit._segment if is_known else None

    @contextlib.contextmanager
    def _telling(self, keywords: Modes) -> Iterator[None]:
        """Check what differs between members: others may wait to be told of it."""
        try:
            yield
        except Exception:
            if keywords.get("addresses") is Addresses.SINGLE:
                self._leave_planning()
            raise

    def _made(
        self, name: str, given: tuple[Any, ...], keywords: Modes, used: tuple[object, ...]
    ) -> Request:
        """Return what C plans; `used` lives as long as the request."""
        options = modes.options(**keywords)
        made = ctypes.c_void_p()
        team = self._live()
        self._dropped.free()
        call(f"team_{name}_init", *given, team, ctypes.byref(options), ctypes.byref(made))
        request = Request(made, used, self._underway, self._dropped)
        self._requests.add(request)
        return request

    def _leave_exchange(self) -> None:
        """Let the others know that this member does not exchange lists with them."""
        nothing = (None, None, None)
        byte = handle(api.mpi().BYTE)
        with contextlib.suppress(Error):
            call("team_alltoallv_init", *nothing, *nothing, byte, self._live(), None, None)

    def _leave_planning(self) -> None:
        """Let the others know that this member does not tell them of a buffer."""
        byte = handle(api.mpi().BYTE)
        options = ctypes.byref(modes.options(addresses=Addresses.SINGLE))
        with contextlib.suppress(Error):
            call("team_bcast_init", None, 0, byte, 0, self._live(), options, None)


def _type(buffer: Buffer) -> Any:
    """Return the handle of C of the type of an array."""
    return handle(arguments.mpi_type(buffer.array.dtype, buffer.name))
