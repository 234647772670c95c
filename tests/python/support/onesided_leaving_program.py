# SPDX-License-Identifier: Apache-2.0
"""Run by test_onesided.py on several ranks: names of the module keep arrays to the end.

Usage: onesided_leaving_program.py node|rma
"""

from __future__ import annotations

import atexit
import sys

from mpi4py import MPI

from espalier.onesided import Conduit, Team

world = MPI.COMM_WORLD


def say() -> None:
    if world.rank == 0:
        sys.stdout.write("ok\n" if (kept == 3).all() else f"{kept}\n")


with Conduit(world, 64, transport=sys.argv[1]) as conduit:
    kept = conduit.array(8)
    kept[:] = 3 if world.rank == world.size - 1 else 0
    team = Team(conduit, world)
    team.bcast(kept, world.size - 1).wait()
    parts = [kept[:4], kept[4:]]
atexit.register(say)
