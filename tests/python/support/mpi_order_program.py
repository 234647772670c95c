# SPDX-License-Identifier: Apache-2.0
"""Run by test_reordering.py on several ranks: espalier.reordering on communicators of mpi4py."""

from __future__ import annotations

import math
import sys

import pytest
from mpi4py import MPI

from espalier import reordering
from espalier.errors import ArgumentError
from espalier.reordering import OrderOptions

world = MPI.COMM_WORLD


def main() -> None:
    p = world.size
    for collective in ("bcast", "gather", "reduce", "scatter"):
        root = p - 1
        comm, report = reordering.order_create(
            world,
            collective,
            root,
            1000,
            OrderOptions(memory="off", measure_seconds=0.02, num_trial_calls=2),
        )
        ranks = reordering.order_ranks(world, comm)
        assert ranks[0] == root
        assert sorted(ranks) == list(range(p))
        assert comm.allgather(world.rank) == ranks
        assert comm.scatter(ranks if comm.rank == 0 else None) == world.rank
        assert report.source == "measured"
        assert report.num_trial_calls in (0, 2)
        assert report.order in ("standard", "fef", "cao")
        assert report.standard_us >= report.chosen_us > 0
        assert report.num_calls_to_pay > 0
        assert math.isinf(report.num_calls_to_pay) == (report.standard_us == report.chosen_us)
        steps = reordering.order_steps(comm, collective, 1000, 2)
        assert len(steps) == math.ceil(math.log2(p))
        assert all(step.mean_us > 0 for step in steps)
        comm.Free()
    by_name = OrderOptions(order="fef", memory="off")
    comm, report = reordering.order_create(world, "scatter", 0, 64, by_name)
    assert report.order == "fef"
    comm.Free()
    with pytest.raises(ArgumentError, match="bcast, gather, reduce, scatter"):
        reordering.order_create(world, "alltoall", 0, 8)
    with pytest.raises(ArgumentError, match="expected a root of 0"):
        reordering.order_create(world, "bcast", p, 8)
    world.Barrier()
    if world.rank == 0:
        sys.stdout.write("ok\n")


if __name__ == "__main__":
    world.Set_errhandler(MPI.ERRORS_RETURN)
    main()
