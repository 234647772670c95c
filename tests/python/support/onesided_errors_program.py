# SPDX-License-Identifier: Apache-2.0
"""Run by test_onesided.py on several ranks: what is refused, and that all goes on after that.

Usage: onesided_errors_program.py node|rma
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest
from mpi4py import MPI

from espalier.errors import ArgumentError, Error, OutOfMemoryError
from espalier.onesided import Addresses, Conduit, Sync, Team

if TYPE_CHECKING:
    from collections.abc import Callable

    from espalier.onesided import Modes, Request

world = MPI.COMM_WORLD
SEGMENT = 1 << 12
LOCAL: Modes = {"addresses": Addresses.LOCAL}


def refuse(text: str, call: Callable[[], object], kind: type[Exception] = ArgumentError) -> None:
    with pytest.raises(kind, match=text):
        call()


def check_attaching(transport: str) -> None:
    refuse("whole number as segment_bytes", lambda: Conduit(world, 1.5))
    refuse("segment_bytes in .*, got -1", lambda: Conduit(world, -1))
    refuse("scratch_bytes in .*, got -1", lambda: Conduit(world, 8, scratch_bytes=-1))
    refuse("carrier", lambda: Conduit(world, 8, transport="carrier"))
    refuse("got MPI_COMM_NULL", lambda: Conduit(MPI.COMM_NULL, 8, transport=transport))


def check_arrays(conduit: Conduit) -> None:
    numbers = np.zeros((4, 4))
    for call in (conduit.put, conduit.get, conduit.start_put, conduit.start_get):
        refuse("NumPy array as array, got list", lambda call=call: call([1.0], 0, 0))
        refuse("contiguous array", lambda call=call: call(numbers[:, 1], 0, 0))
        refuse("Python objects", lambda call=call: call(np.zeros(1, object), 0, 0))
        refuse(r"rank in \[0, \d\), got -1", lambda call=call: call(numbers, -1, 0))
        refuse("rank in", lambda call=call: call(numbers, 2**32, 0))
        refuse("rank in", lambda call=call: call(numbers, conduit.size, 0))
        refuse("offset in .*, got -8", lambda call=call: call(numbers, 0, -8))
        refuse("whole number as offset", lambda call=call: call(numbers, 0, "0"))
        refuse("inside the segment of rank 0", lambda call=call: call(numbers, 0, SEGMENT - 120))
        refuse("inside the segment of rank 0", lambda call=call: call(numbers, 0, 2**64 - 8))
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    conduit.put(frozen, conduit.rank, 0)
    for call in (conduit.get, conduit.start_get, conduit.post_get):
        refuse("may be written as array", lambda call=call: call(frozen, 0, 0))
    refuse("a put inside the segment", lambda: conduit.post_put(numbers, 0, SEGMENT - 120))
    refuse("a get inside the segment", lambda: conduit.post_get(numbers, 0, SEGMENT - 120))
    conduit.fence()
    refuse("of the own segment as array", lambda: conduit.offset(numbers))
    refuse("inside a segment", lambda: conduit.array(SEGMENT))
    refuse("rank in", lambda: conduit.segment_bytes(conduit.size))


def check_counters(conduit: Conduit) -> None:
    one = np.zeros(1)
    for put in (conduit.put_signal, conduit.start_put_signal, conduit.post_put_signal):
        refuse("NumPy array as array", lambda put=put: put([1.0], 0, 0, counter=8))
        refuse("rank in", lambda put=put: put(one, conduit.size, 0, counter=8))
        refuse("8 bytes, got offset 12", lambda put=put: put(one, 0, 0, counter=12))
        refuse("counter in .*, got -8", lambda put=put: put(one, 0, 0, counter=-8))
        refuse("a counter inside", lambda put=put: put(one, 0, 0, counter=SEGMENT))
        refuse("a put inside", lambda put=put: put(one, 0, SEGMENT, counter=0))
        refuse("amount in", lambda put=put: put(one, 0, 0, counter=8, amount=-1))
    conduit.fence()
    assert conduit.counter(8) == 0
    refuse("multiple of 8 bytes, got offset 4", lambda: conduit.signal(0, 4))
    refuse("amount in", lambda: conduit.signal(0, 8, 2**64))
    refuse("a counter inside", lambda: conduit.counter(SEGMENT))
    refuse("multiple of 8 bytes, got offset 1", lambda: conduit.counter(1))
    refuse("multiple of 8 bytes", lambda: conduit.await_counter(SEGMENT - 4, 0))
    refuse("at_least in", lambda: conduit.await_counter(0, -1))


def check_buffers(team: Team, conduit: Conduit) -> None:
    p = team.size
    x, y = conduit.array(8), conduit.array(8, offset=64)
    elsewhere = np.zeros(8)
    refuse("of the own segment as array", lambda: team.bcast(elsewhere))
    refuse("of the own segment as recv", lambda: team.allreduce(x, elsewhere))
    refuse("of the own segment as send", lambda: team.allreduce_init(elsewhere, x))
    refuse("NumPy array as array, got list", lambda: team.bcast([1], **LOCAL))
    refuse("NumPy array as array, got NoneType", lambda: team.bcast(None, **LOCAL))
    refuse("contiguous array as array", lambda: team.bcast(np.zeros((3, 4))[:, 0], **LOCAL))
    for dtype in ("M8[s]", ">f8", "U4", [("key", int)]):
        wrong = np.zeros(4, np.dtype(dtype))
        refuse("expected a type that MPI has for array", lambda w=wrong: team.bcast(w, **LOCAL))
    frozen = np.zeros(8)
    frozen.flags.writeable = False
    refuse("may be written as recv", lambda: team.allreduce(elsewhere, frozen, **LOCAL))
    refuse(
        "expected 8 elements of float64 as recv, to fit send, got 7",
        lambda: team.allreduce(x, y[:7]),
    )
    refuse("got 16 of float32", lambda: team.allreduce(x, y.view(np.float32)))
    refuse("that do not overlap", lambda: team.allreduce(x, x))
    refuse("that do not overlap", lambda: team.allgather(x[:1], conduit.array(p)))
    refuse(
        f"expected {8 * p} elements",
        lambda: team.allgather(elsewhere, np.zeros(8 * p + 1), **LOCAL),
    )
    if p > 1:
        odd = np.zeros(p + 1)
        refuse(f"multiple of {p} elements as send", lambda: team.alltoall(odd, odd.copy(), **LOCAL))
    is_root = team.rank == 0
    if is_root:
        refuse("NumPy array as send", lambda: team.scatter(None, x))
        refuse("NumPy array as recv", lambda: team.gather(x, None))
        refuse("NumPy array as recv", lambda: team.reduce(x, None))
    else:
        refuse("where send of the root is in its segment", lambda: team.scatter(None, x))
        refuse("where recv of the root is", lambda: team.gather(x, None))
        refuse("of the own segment as recv", lambda: team.reduce(x, elsewhere))
        refuse("recv in .*, got -8", lambda: team.reduce(x, -8))


def check_uneven_buffers(team: Team, conduit: Conduit) -> None:
    p, rank = team.size, team.rank
    own, whole = conduit.array(1), conduit.array(p, offset=64)
    ones = [1] * p
    refuse(r"expected \(array, counts\) or .* as recv", lambda: team.allgatherv(own, whole))
    refuse(f"{p} numbers as counts of recv", lambda: team.allgatherv(own, (whole, [1] * (p + 1))))
    refuse("numbers as counts of send", lambda: team.scatterv((whole, 1), own))
    refuse("counts of recv in", lambda: team.allgatherv(own, (whole, [-1] * p)))
    refuse("displacements of recv", lambda: team.allgatherv(own, (whole, ones, [-1] * p)))
    refuse("inside of the", lambda: team.allgatherv(own, (whole, ones, [p] * p)))
    refuse("expected 1 elements as send, got 0", lambda: team.gatherv(own[:0], (whole, ones)))
    refuse("as recv, to fit send", lambda: team.allgatherv(own, (whole.view(np.int64), ones)))
    refuse("that do not overlap", lambda: team.allgatherv(whole[:1], (whole, ones)))
    refuse("of the own segment as recv", lambda: team.allgatherv(own, (np.zeros(p), ones)))
    if p > 1:
        same_place = (whole, ones, [0] * p)
        refuse("recvbuf that do not overlap", lambda: team.allgatherv(own, same_place))
    # What one member does wrong in an exchange is an error on all of them.
    sent, received = conduit.array(p, offset=128), conduit.array(p, offset=256)
    wrong = (received, [1] * (p + 1)) if rank == 0 else (received, ones)
    text = "numbers as counts of recv" if rank == 0 else "another rank are wrong"
    refuse(text, lambda: team.alltoallv((sent, ones), wrong))
    kind = AttributeError if rank == 0 else ArgumentError
    text = "encode" if rank == 0 else "another rank are wrong"
    named: str = 5 if rank == 0 else ""
    refuse(text, lambda: team.alltoallv((sent, ones), (received, ones), algorithm=named), kind)
    doubled = np.zeros(2 * p)
    refuse(
        "member 0 to receive the 2 elements that member 0 sends to it, got a count of 1",
        lambda: team.alltoallv((doubled, [2] * p), (np.zeros(p), ones), **LOCAL),
    )


def check_told(team: Team, conduit: Conduit) -> None:
    """What is wrong with an array of one member is an error on all, which are told whose it is."""
    single: Modes = {"addresses": Addresses.SINGLE}
    x, y, last = conduit.array(8), conduit.array(8, offset=64), team.size - 1
    is_last = team.rank == last
    refuse(
        f"sendbuf of 64 bytes inside .* of rank {last} of the team",
        lambda: team.allreduce(np.zeros(8) if is_last else x, y, **single),
    )
    wrong = np.zeros((8, 2))[:, 0] if is_last else x
    told = f"the arguments of rank {last} of the team are wrong"
    expected = "contiguous array as send" if is_last else told
    refuse(expected, lambda: team.allreduce(wrong, y, **single))
    ones = [1] * team.size
    part = x[:0] if is_last else x[:1]
    expected = "got 0" if is_last else told
    whole = conduit.array(team.size, offset=64)
    refuse(expected, lambda: team.gatherv(part, (whole, ones), **single))
    if last > 0:
        refuse("others on rank 1", lambda: team.bcast(x if team.rank == 0 else x[:4], **single))
    x[:] = team.rank
    conduit.barrier()
    team.allreduce(x, y, **single).wait()
    assert (y == team.size * last / 2).all()
    conduit.barrier()


def check_modes(team: Team, conduit: Conduit) -> None:
    x, y = conduit.array(8), conduit.array(8, offset=64)
    for root in (-1, team.size, 2**32):
        refuse("root in", lambda root=root: team.bcast(x, root))
    refuse("expected one of Sync.ALLSYNC, .* as sync_in", lambda: team.bcast(x, sync_in=1))
    refuse("as sync_out", lambda: team.bcast(x, sync_out=Addresses.LOCAL))
    refuse("as addresses", lambda: team.bcast(x, addresses=Sync.MYSYNC))
    refuse("True or False as reproducible", lambda: team.bcast(x, reproducible=1))
    refuse(
        "combine from the left in rank order",
        lambda: team.allreduce(x, y, algorithm="allreduce/ring", reproducible=True),
    )
    with pytest.raises(TypeError, match="sync_inn"):
        team.bcast(x, sync_inn=Sync.NOSYNC)
    refuse("no_such", lambda: team.bcast(x, algorithm="bcast/no_such"))
    refuse("pigeon", lambda: team.bcast(x, mechanism="pigeon"))
    refuse("rendezvous", lambda: team.bcast(np.zeros(8), mechanism="rendezvous", **LOCAL), Error)
    refuse("these can serve: bcast/", lambda: team.bcast(x, algorithm="allgather/ring"))
    refuse("operator that reduces", lambda: team.allreduce(x, y, MPI.OP_NULL))
    # Bits of a floating-point number have no bitwise and.
    refuse("MPI defines for the datatype", lambda: team.allreduce(x, y, MPI.BAND))
    refuse("rank in", lambda: team.conduit_rank(team.size))
    refuse("conduit_rank in", lambda: team.rank_of(conduit.size))
    refuse("whole number as conduit_rank", lambda: team.rank_of("0"))


def check_requests(team: Team, conduit: Conduit) -> None:
    request = team.bcast_init(conduit.array(8))
    request.wait()
    assert request.test()
    request.start()
    refuse("not under way, got one that is", request.start)
    refuse("that is over, got one under way", request.free)
    request.wait()
    request.free()
    request.free()
    refuse("one that was freed", request.start)
    once = team.bcast(conduit.array(8))
    once.wait()
    refuse("one that was freed", once.start)


def wait_for(request: Request, _: Team) -> None:
    request.wait()


def ask_for(request: Request, _: Team) -> None:
    while not request.test():
        pass


def fence(_: Request, team: Team) -> None:
    team.fence()


def check_members_that_learn_differently(conduit: Conduit) -> None:
    """Each of them is told once; the request is over then, and may be started again."""
    for end in (wait_for, ask_for, fence):
        with Team(conduit, world) as team:
            request = team.barrier_init(sync_in=Sync.MYSYNC, learn=team.rank == 0)
            others = [team.barrier_init(sync_in=Sync.MYSYNC) for _ in range(2)]
            errors = []
            for _ in range(7):
                for one in (request, *others):
                    one.start()
                try:
                    end(request, team)
                except ArgumentError as error:
                    errors.append(str(error))
                assert not request.is_underway
                for one in others:
                    assert one.is_underway == (end is not fence)
                    one.wait()
            assert len(errors) == (1 if team.size > 1 else 0), errors
            assert all("ESPALIER_LEARN_IN_STARTS" in error for error in errors)


def start_until_told(team: Team) -> Request:
    """Return a request under way: who learns is told at its end, others then or shortly before."""
    request = team.barrier_init(learn=team.rank == 0)
    for _ in range(4):
        request.start()
        ends_with_error(request.wait, is_sure=False)
    request.start()
    return request


def ends_with_error(end: Callable[[], object], *, is_sure: bool) -> None:
    try:
        end()
    except ArgumentError as error:
        assert "ESPALIER_LEARN_IN_STARTS" in str(error)  # noqa: PT017 - nobody else has to see one
    else:
        assert not is_sure


def check_ends_with_errors(transport: str) -> None:
    """Who is told at the end of a team or conduit ends it all the same: others wait for it."""
    conduit = Conduit(world, 64, transport=transport)
    team, last = Team(conduit, world), Team(conduit, world)
    is_sure = team.rank == 0 and team.size > 1
    request = start_until_told(team)
    ends_with_error(team.free, is_sure=is_sure)
    assert not request.is_underway
    refuse("a team, got one that was freed", team.fence)
    request = start_until_told(last)
    ends_with_error(conduit.detach, is_sure=is_sure)
    assert not request.is_underway
    assert conduit.is_released


def check_scratch(conduit: Conduit) -> None:
    """A team has bounded space for what cannot go to its buffers directly; MPI needs none."""
    with Team(conduit, world, scratch_bytes=4096) as team:
        send, recv = np.full(1 << 16, team.rank), np.zeros(team.size << 16, dtype=int)
        if team.size > 1:
            eager = {**LOCAL, "mechanism": "eager"}
            refuse("scratch", lambda: team.allgather(send, recv, **eager), OutOfMemoryError)
            request = team.allgather(send, recv, **LOCAL)
            assert (request.algorithm, request.mechanism) == ("allgather/native", "native")
            request.wait()
            assert recv[-1] == team.size - 1
    huge = 1 << 40
    refuse("scratch", lambda: Team(conduit, world, scratch_bytes=huge), OutOfMemoryError)
    refuse("got MPI_COMM_NULL", lambda: Team(conduit, MPI.COMM_NULL))


def check_all_goes_on(team: Team, conduit: Conduit) -> None:
    x = conduit.array(8)
    x[:] = team.rank
    conduit.barrier()
    team.bcast(x, team.size - 1).wait()
    assert (x == team.size - 1).all()


def check_after_the_end(team: Team, conduit: Conduit, request: object) -> None:
    one = np.zeros(1)
    detached = "one that was detached"
    refuse(detached, lambda: conduit.array(1))
    refuse(detached, lambda: conduit.offset(one))
    refuse(detached, conduit.segment_bytes)
    for call in (
        conduit.put,
        conduit.get,
        conduit.start_put,
        conduit.start_get,
        conduit.post_put,
        conduit.post_get,
    ):
        refuse(detached, lambda call=call: call(one, 0, 0))
    for put in (conduit.put_signal, conduit.start_put_signal, conduit.post_put_signal):
        refuse(detached, lambda put=put: put(one, 0, 0, counter=8))
    refuse(detached, lambda: conduit.signal(0, 8))
    refuse(detached, lambda: conduit.counter(8))
    refuse(detached, lambda: conduit.await_counter(8, 0))
    for call in (conduit.fence, conduit.poll, conduit.notify, conduit.try_barrier, conduit.barrier):
        refuse(detached, call)
    refuse(detached, lambda: Team(conduit, world))
    refuse("a team, got one that was freed", lambda: team.bcast(one, **LOCAL))
    refuse("a team, got one that was freed", team.fence)
    refuse("one that was freed", request.start)
    conduit.detach()
    team.free()


def main() -> None:
    transport = sys.argv[1]
    check_attaching(transport)
    with Conduit(world, SEGMENT, transport=transport) as conduit:
        team = Team(conduit, world)
        check_arrays(conduit)
        check_counters(conduit)
        check_buffers(team, conduit)
        check_uneven_buffers(team, conduit)
        check_told(team, conduit)
        check_modes(team, conduit)
        check_requests(team, conduit)
        check_members_that_learn_differently(conduit)
        check_scratch(conduit)
        check_all_goes_on(team, conduit)
        request = team.barrier_init()
        transfer = conduit.start_put(np.zeros(1), 0, 1024)
    check_after_the_end(team, conduit, request)
    refuse("one that was over", transfer.wait)
    check_ends_with_errors(transport)
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    main()
