# SPDX-License-Identifier: Apache-2.0
"""Machines that programs are simulated on: their networks, what is shared in them, placements."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from simulated_programs import EXCHANGE, gather, simulated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@simulated
def test_a_machine_without_costs_is_doubted(simulate: Callable) -> None:
    assert simulate("-p", 2, *gather())["warnings"] == []
    found = simulate("-p", 2, *gather(), machine="2n x 2c")
    assert "says nothing of what messages cost" in found["warnings"][0]


@simulated
def test_placement_is_arbitrary(simulate: Callable, tmp_path: Path) -> None:
    cores = [4 * (rank % 4) + rank // 4 for rank in range(16)]
    file = tmp_path / "cores.txt"
    file.write_text("".join(f"{core}\n" for core in cores))
    force = ("--force", "allgather=ring")
    block, cyclic, listed, read = (
        simulate("--placement", placement, *force, *gather())
        for placement in ("block", "cyclic", "list:" + ",".join(map(str, cores)), file)
    )
    assert cyclic["simulated_seconds"] > block["simulated_seconds"]
    assert listed["calls"] == read["calls"] == cyclic["calls"]
    assert read["placement"] == listed["placement"]


@simulated
@pytest.mark.parametrize(
    "machine",
    [
        "fattree 2x2[latency=2us,bandwidth=1GB/s] x 2c[latency=1us]",
        "dragonfly 2x2x2[latency=2us,bandwidth=1GB/s] x 1c[latency=1us]",
        "torus 2x2x2[latency=2us,bandwidth=1GB/s,hop=100ns,link_bandwidth=1GB/s] x 1c[latency=1us]",
    ],
)
def test_networks_of_all_kinds_are_simulated(simulate: Callable, machine: str) -> None:
    found = simulate(*gather("--force", "allgather=ring"), machine=machine)
    assert found["num_ranks"] == 8
    # A block comes to all others in seven messages; those between switches are free.
    assert 8e-6 < found["simulated_seconds"] < 7 * 10e-6


@simulated
@pytest.mark.parametrize(
    "machine",
    [
        # Two nodes behind one uplink, two ranks behind one network interface.
        "2w[latency=2us,bandwidth=1GB/s,channels=1] x 2n[latency=1us,bandwidth=1GB/s] x 1c",
        "2n[latency=2us,bandwidth=1GB/s,channels=1] x 2c",
    ],
)
def test_what_is_shared_takes_twice_as_long(simulate: Callable, machine: str) -> None:
    one, two = (
        simulate("--", EXCHANGE, "senders", senders, machine=machine)["simulated_seconds"]
        for senders in (1, 2)
    )
    assert one == pytest.approx(1e-3, rel=0.01)
    assert two == pytest.approx(2e-3, rel=0.01)


@simulated
def test_machines_that_cannot_be_simulated_are_refused(cli: Callable) -> None:
    result = cli("simulate", "program", "--machine", "2n[gap=1us] x 2c", *gather())
    assert result.code == 2
    assert "a gap and a rendezvous latency of 0" in result.err
