# SPDX-License-Identifier: Apache-2.0
"""`espalier simulate`: programs on machines that are not there."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from places import repository
from simulated_programs import EXCHANGE, MACHINE, gather, simulated

from espalier import installation
from espalier.io import documents

if TYPE_CHECKING:
    from collections.abc import Callable


@simulated
def test_an_example_prints_what_it_does_elsewhere(cli: Callable) -> None:
    example = repository / "examples" / "02_jacobi"
    result = cli(
        "simulate", "program", "--machine", MACHINE, "-p", 4, "--", example / "jacobi.c", 32, 500
    )
    assert result.code == 0, result.err
    lines = result.out.splitlines()
    assert lines[0] == (example / "expected.txt").read_text().strip()
    assert "simulated, on 4 ranks of 1 nodes" in lines[1]
    assert any(line.startswith("MPI_Allgather") and "500" in line for line in lines)


@simulated
def test_the_page_on_simulation_tells_times_that_are_true(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = (repository / "docs" / "explanation" / "simulation.md").read_text()
    line = next(line for line in page.splitlines() if line.startswith("espalier simulate"))
    words = shlex.split(line)[1:]
    monkeypatch.chdir(repository)
    for options in ((), ("--force", "allgather=bruck[k=4]"), ("--placement", "cyclic")):
        result = cli(*words[:2], *options, *words[2:])
        assert result.code == 0, result.err
        time_text = result.out.splitlines()[1].partition(" simulated")[0]
        assert time_text in page


@simulated
def test_programs_that_use_the_c_interface_find_it(simulate: Callable) -> None:
    example = repository / "examples" / "03_weighted_grid"
    found = simulate("-p", 4, "--", example / "weighted_grid.c")
    assert found["output"] == (example / "expected.txt").read_text()


@simulated
def test_one_sided_programs_run_on_the_conduit_of_the_simulator(simulate: Callable) -> None:
    example = repository / "examples" / "05_onesided"
    found = simulate("-p", 4, "--", example / "onesided.c")
    assert found["output"] == (example / "expected.txt").read_text()


@simulated
def test_a_command_prints_the_same_bytes_twice(cli: Callable) -> None:
    words = ["simulate", "program", "--machine", MACHINE, "--json", "--placement", "cyclic"]
    words += [*gather("--force", "allgather=sparbit")]
    first, second = cli(*words), cli(*words)
    assert first.code == 0
    assert first.out == second.out
    assert "cost" not in first.document()


@simulated
def test_cost_is_told_when_asked_for(simulate: Callable) -> None:
    cost = simulate("--cost", "-p", 2, *gather())["cost"]
    assert cost["seconds"] > 0
    assert cost["memory_bytes"] > 1_000_000


@simulated
def test_forced_algorithms_run_and_take_other_times(simulate: Callable) -> None:
    native = simulate("--no-espalier", *gather())
    ring = simulate("--force", "allgather=ring", *gather())
    assert [call["algorithm"] for call in native["calls"]] == ["native"]
    assert [call["algorithm"] for call in ring["calls"]] == ["allgather/ring"]
    assert ring["num_nodes"] == 4
    assert ring["calls"][0]["count"] == 16
    assert ring["simulated_seconds"] == ring["rank_seconds"]["most"]
    # A block comes to all others in fifteen messages, of which three at least are between nodes.
    passed_on = 12 * 0.7e-6 + 3 * 1.9e-6
    assert ring["simulated_seconds"] > passed_on > native["simulated_seconds"]


@simulated
def test_both_ways_are_compared(simulate: Callable) -> None:
    found = simulate("--compare", *gather("--force", "allgather=ring"))
    native = simulate("--no-espalier", *gather())["simulated_seconds"]
    assert found["native"]["simulated_seconds"] == native
    assert found["native"]["ratio"] == native / found["simulated_seconds"] < 1
    assert len(found["output"].splitlines()) == 1


@simulated
def test_the_first_call_on_the_world_takes_what_later_ones_take(simulate: Callable) -> None:
    once, often = (
        simulate("--force", "allgather=ring", "--", EXCHANGE, "gather", 64, times)
        for times in (1, 8)
    )
    assert once["own_communicators"] == often["own_communicators"] == {"count": 0, "seconds": 0}
    # Ranks that are done early begin the next call, so that eight take a little less.
    assert 7 < often["simulated_seconds"] / once["simulated_seconds"] <= 8


@simulated
def test_ranks_tell_each_other_their_nodes_in_few_rounds(simulate: Callable) -> None:
    words = ("--no-espalier", "--smpi", "smpi/allgather:ring", "--", EXCHANGE)
    world, duplicate = (simulate(*words, call, 64, 1) for call in ("gather", "duplicate"))
    # The ring that a program asks for is one: fifteen messages, of which three are between nodes.
    ring = world["simulated_seconds"]
    assert ring > 12 * 0.7e-6 + 3 * 1.9e-6
    # A communicator needs such an allgather and more besides, and takes less.
    assert 0 < duplicate["simulated_seconds"] - ring < ring


@simulated
def test_what_first_calls_make_is_told_apart(simulate: Callable) -> None:
    words = ("--force", "allgather=ring", "--compare", "--", EXCHANGE)
    world = simulate(*words, "gather", 64, 8)
    other = simulate(*words, "duplicate", 64, 8)
    made = other["own_communicators"]
    assert made["count"] == 1
    # To agree on a context is one small reduction; the program's own communicator takes more.
    ours = other["simulated_seconds"] - world["simulated_seconds"]
    assert 0 < made["seconds"] < ours / 2
    native = other["native"]
    rest = other["simulated_seconds"] - made["seconds"]
    assert native["later_ratio"] == native["simulated_seconds"] / rest > native["ratio"]
    assert world["native"]["later_ratio"] == world["native"]["ratio"]


@simulated
def test_people_are_told_of_first_calls_if_there_were_some(cli: Callable) -> None:
    words = (
        "simulate",
        "program",
        "--machine",
        MACHINE,
        "--force",
        "allgather=ring",
        "--compare",
        "--",
    )
    world, other = (
        cli(*words, EXCHANGE, which, 64, 8).out.splitlines() for which in ("gather", "duplicate")
    )
    assert not any("of that" in line or "left" in line for line in world)
    (made,) = [line for line in other if "of that went once" in line]
    assert made.endswith("into getting a communicator ready for Espalier's messages")
    (compared,) = [line for line in other if "without Espalier" in line]
    assert compared.endswith("x of what is left without that")


@simulated
def test_a_profile_decides(simulate: Callable, profile: dict[str, Any], tmp_path: Path) -> None:
    profile["mpi"]["vendor"] = "smpi"
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(profile))
    found = simulate("-p", 4, "--profile", file, *gather(count=4096))
    assert [call["algorithm"] for call in found["calls"]] == ["allgather/ring"]
    assert found["espalier"]["profile"] == str(file)


@simulated
def test_calls_left_alone_take_the_time_they_take_without_us(
    simulate: Callable, tmp_path: Path
) -> None:
    plain = tmp_path / "exchange"
    compiler = str(shutil.which("smpicc"))
    subprocess.run([compiler, "-O2", str(EXCHANGE), "-o", str(plain)], check=True, timeout=60)
    alone = simulate("--", plain, "gather", 64)
    ours = simulate("--no-espalier", *gather())
    assert not alone["espalier"]["is_linked"]
    assert alone["calls"] == []
    assert alone["rank_seconds"] is None
    assert float(ours["output"]) == pytest.approx(float(alone["output"]), abs=2e-11)


@simulated
def test_peers_and_settings_of_the_simulator_change_native_calls(simulate: Callable) -> None:
    times = {
        options: simulate("--no-espalier", *options, *gather(count=512))["simulated_seconds"]
        for options in (
            ("--peer", "mpich"),
            ("--smpi", "smpi/allgather:ring"),
            ("--smpi", "smpi/allgather:bruck"),
        )
    }
    assert len(set(times.values())) == 3


_MESSAGE = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int const size = atoi(argv[2]);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  char* bytes = calloc(size, 1);
  double const start = MPI_Wtime();
  if (rank == 0 && argv[1][0] == 's') {
    MPI_Request request;
    MPI_Isend(bytes, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else if (rank == 0) {
    MPI_Send(bytes, size, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
  } else {
    MPI_Recv(bytes, size, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("%.9f\\n", MPI_Wtime() - start);
  }
  MPI_Finalize();
}
"""


@simulated
@pytest.mark.parametrize(("size", "overheads_us"), [(16384, 4.0), (17000, 0.0)])
def test_messages_cost_the_same_however_they_are_sent(
    simulate: Callable, tmp_path: Path, size: int, overheads_us: float
) -> None:
    """Overheads are those of messages up to the eager limit, also of those that are started."""
    source = tmp_path / "message.c"
    source.write_text(_MESSAGE)
    machine = "2n[latency=1.5us,overhead=2us,bandwidth=10GB/s,eager=16KiB]"
    for how in ("started", "blocking"):
        document = simulate("--no-espalier", "--", source, how, size, machine=machine)
        expected_us = 1.5 + overheads_us + size / 1e4
        assert 1e6 * float(document["output"]) == pytest.approx(expected_us, abs=0.05), how


@simulated
def test_neighborhoods_keep_their_order_around_the_eager_limit(simulate: Callable) -> None:
    """26 neighbours send 4 KiB each, so messages on both sides of the limit have one pair."""
    folder = installation.build_folder()
    program = folder / "bin" / "neighbor_exchange_smpi" if folder else Path()
    if not program.is_file():
        pytest.skip("the benchmark neighbor_exchange is not built")
    link = "bandwidth=10GB/s,eager=8KiB"
    machine = f"8n[latency=2us,{link}] x 8c[latency=300ns,{link}]"
    document = simulate("--", program, "4x4x4", 1, 4096, machine=machine)
    assert document["output"].startswith("4096 ")


@simulated
def test_statistics_are_kept(cli: Callable, tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    result = cli(
        "simulate", "program", "--machine", MACHINE, "-p", 3, "--statistics", folder, *gather()
    )
    assert result.code == 0
    ranks = [
        documents.read(folder / f"rank-{rank}.json", "espalier-statistics", 1) for rank in range(3)
    ]
    assert [rank["mpi"]["vendor"] for rank in ranks] == ["smpi"] * 3


@simulated
def test_environment_acts_as_it_does_under_real_mpi(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ESPALIER_VERBOSE", "1")
    result = cli(
        "simulate", "program", "--machine", MACHINE, "-p", 4, *gather("--force", "allgather=bruck")
    )
    assert result.code == 0
    assert "allgather forced to allgather/bruck" in result.err
    assert "under SMPI" in result.err
