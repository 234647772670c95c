# SPDX-License-Identifier: Apache-2.0
"""One-sided communication and collectives of teams, for programs that use mpi4py and NumPy.

The functions are those of `espalier_onesided.h` and `espalier_array.h`. A conduit joins the
processes of a communicator, each of which has a segment that the others reach by rank and offset; a
team is some of them, and a shared array is distributed over a team::

    with Conduit(MPI.COMM_WORLD, 8 * n) as conduit:
        x = conduit.array(n)
        team = Team(conduit, MPI.COMM_WORLD)
        step = team.bcast_init(x, root=0)
        step.start()
        compute_something_else()
        step.wait()

Offsets and sizes of segments are bytes, counts of collectives are elements. Arrays are contiguous
(in C or in Fortran order). One thread at a time calls a conduit, its teams and what they returned.
Nothing moves by itself: functions that wait, `Conduit.poll()` and `Request.test()` move on what is
under way on the conduit and on all of its teams. A process that waits in MPI itself moves nothing
on.
"""

from espalier.onesided.conduit import Conduit
from espalier.onesided.message import Message
from espalier.onesided.modes import Addresses, Modes, Sync
from espalier.onesided.region import Region
from espalier.onesided.request import Request
from espalier.onesided.shared_array import SharedArray
from espalier.onesided.team import Team
from espalier.onesided.transfer import Transfer

__all__ = [
    "Addresses",
    "Conduit",
    "Message",
    "Modes",
    "Region",
    "Request",
    "SharedArray",
    "Sync",
    "Team",
    "Transfer",
]
