# SPDX-License-Identifier: Apache-2.0
"""`espalier simulate`: programs on machines that are not there, and whatever can go wrong."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from places import repository

from espalier import installation
from espalier.errors import MpiError
from espalier.io import documents
from espalier.simulate import collectives
from espalier.simulate.sources import Sources, compiled

if TYPE_CHECKING:
    from collections.abc import Callable

_LINK_FILE = (installation.build_folder() or Path()) / "lib" / "espalier-smpi.link"
simulated = pytest.mark.skipif(
    shutil.which("smpirun") is None or not _LINK_FILE.is_file(),
    reason="no SimGrid, or espalier_smpi_program is not built",
)

PROGRAMS = repository / "tests" / "data" / "simulated"
EXCHANGE = PROGRAMS / "exchange.c"
TROUBLE = PROGRAMS / "trouble.c"
MACHINE = (
    "4n[latency=1500ns,overhead=200ns,bandwidth=10GB/s,channels=1,eager=16KiB]"
    " x 4c[latency=300ns,overhead=200ns,bandwidth=8GB/s,shared_channels=2,eager=16KiB]"
)


@pytest.fixture(scope="session")
def compiled_programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for compiled programs that all tests share."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def _cache(compiled_programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(compiled_programs))


@pytest.fixture
def simulate(cli: Callable) -> Callable[..., dict[str, Any]]:
    """Simulate a program and return the document."""

    def run(*arguments: object, machine: str = MACHINE) -> dict[str, Any]:
        result = cli("simulate", "program", "--json", "--machine", machine, *arguments)
        assert result.code == 0, result.err
        document = result.document()
        document["output"] = result.err
        return document

    return run


def gather(*options: object, count: int = 64) -> list[object]:
    return [*options, "--", EXCHANGE, "gather", count]


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
def test_a_machine_without_costs_is_doubted(simulate: Callable) -> None:
    assert simulate("-p", 2, *gather())["warnings"] == []
    found = simulate("-p", 2, *gather(), machine="2n x 2c")
    assert "says nothing of what messages cost" in found["warnings"][0]


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
@pytest.mark.parametrize(
    ("trouble", "code", "text"),
    [
        ("deadlock", 1, "deadlock after 27.0 us of simulated time: ranks wait for messages that"),
        ("crash", 134, "a rank was ended by SIGABRT"),
        ("MPI_Abort", 1, "rank 2 called MPI_Abort"),
        ("exit", 3, "rank 2 ended with exit code 3"),
        ("missing", 1, "rank 2 called MPI_Comm_get_parent, which SimGrid does not have"),
        ("error", 1, "rank 2 called MPI_Send, which failed with MPI_ERR_COUNT"),
        ("truncation", 1, "rank 2 called a function of MPI, which failed with MPI_ERR_TRUNCATE"),
    ],
)
def test_programs_that_end_badly_are_told_apart(
    cli: Callable, trouble: str, code: int, text: str
) -> None:
    machine = "2n[latency=3us] x 2c[latency=1us]"
    result = cli("simulate", "program", "--json", "--machine", machine, "--", TROUBLE, trouble)
    assert result.code == code
    assert "begun" in result.err
    assert f"espalier: {text}" in result.err.splitlines()[-1]
    assert result.out == "" or result.out.startswith("Execution failed")


@simulated
def test_what_espalier_refuses_is_said_once(cli: Callable) -> None:
    options = ("--machine", "2n x 2c", "--force", "bcast=flat")
    result = cli("simulate", "program", *options, "--", TROUBLE, "refusal")
    assert result.code == 1
    assert result.err.count("espalier: expected a count of at least 0, got -1") == 1


@simulated
def test_errors_that_a_program_survives_are_no_failure(cli: Callable) -> None:
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", TROUBLE, "survival")
    assert result.code == 0, result.err


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
def test_who_did_not_arrive_is_named(cli: Callable) -> None:
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", TROUBLE, "deadlock")
    assert "not at MPI_Finalize: rank 2" in result.err


@simulated
def test_a_program_that_never_ends_is_ended(cli: Callable) -> None:
    result = cli(
        "simulate", "program", "--machine", "2n x 2c", "--timeout", "1s", "--", TROUBLE, "loop"
    )
    assert result.code == 1
    assert "expected the simulation to end within" in result.err
    assert _left_over() == []


@simulated
def test_an_interruption_leaves_no_simulator(compiled_programs: Path) -> None:
    words = ["simulate", "program", "--machine", "2n x 2c", "--", str(TROUBLE), "loop"]
    process = subprocess.Popen(
        [sys.executable, "-m", "espalier", *words],
        env={
            **os.environ,
            "PYTHONPATH": str(repository / "python"),
            "XDG_CACHE_HOME": str(compiled_programs),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "espalier: interrupted" in err
    assert _left_over() == []


def _left_over() -> list[str]:
    """Return the command lines of simulators of these tests; they need a moment to be gone."""
    deadline = time.monotonic() + 5
    while True:
        found = [line for line in map(_command_line, Path("/proc").iterdir()) if "trouble-" in line]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def _command_line(folder: Path) -> str:
    try:
        return (folder / "cmdline").read_text(errors="replace")
    except OSError:
        return ""


@simulated
def test_what_has_not_changed_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source, header = tmp_path / "main.c", tmp_path / "value.h"
    source.write_text('#include "value.h"\nint main(void) { return VALUE; }\n')
    header.write_text("#define VALUE 0\n")
    first = compiled(Sources((source,)))
    made = first.stat().st_mtime_ns
    assert compiled(Sources((source,))) == first
    assert first.stat().st_mtime_ns == made
    header.write_text("#define VALUE 1\n")
    assert compiled(Sources((source,))) != first
    assert compiled(Sources((source,), ("-DANY",))) != first


@simulated
def test_a_program_may_have_several_sources(simulate: Callable, tmp_path: Path) -> None:
    main, other = tmp_path / "main.cpp", tmp_path / "other.c"
    main.write_text(
        '#include <mpi.h>\n#include <iostream>\nextern "C" int answer(void);\n'
        "int main(int argc, char** argv) { MPI_Init(&argc, &argv);\n"
        "  std::cout << answer() << std::endl; MPI_Finalize(); }\n"
    )
    other.write_text("int answer(void) { return ANSWER; }\n")
    options = ("--source", other, "--compile=-DANSWER=42")
    assert simulate("-p", 1, *options, "--", main)["output"] == "42\n"


@simulated
def test_sources_that_are_wrong_are_refused(cli: Callable, tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return missing; }\n")
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", source)
    assert result.code == 1
    assert "missing" in result.err
    assert "expected a source that smpicc compiles, got exit code 1" in result.err


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


@simulated
def test_machines_that_cannot_be_simulated_are_refused(cli: Callable) -> None:
    result = cli("simulate", "program", "--machine", "2n[gap=1us] x 2c", *gather())
    assert result.code == 2
    assert "a gap and a rendezvous latency of 0" in result.err


MEASURED = ("--algorithms", "ring", "--algorithms", "binomial", "--sizes", "64,1KiB")


@simulated
def test_collectives_are_timed_and_kept(cli: Callable, tmp_path: Path) -> None:
    words = [
        "simulate",
        "collectives",
        "--machine",
        MACHINE,
        "--collectives",
        "bcast,allgather",
        *MEASURED,
    ]
    words += ["--json", "--store", tmp_path / "store.db"]
    first, second = cli(*words), cli(*words)
    assert first.code == 0, first.err
    assert first.out == second.out
    found = first.document()
    places = [(point["collective"], point["bytes"]) for point in found["points"]]
    assert places == [("bcast", 64), ("bcast", 1024), ("allgather", 64), ("allgather", 1024)]
    times = found["points"][2]["times_us"]
    assert list(times.values()) == sorted(times.values())
    assert times["allgather/ring"] > 15 * 0.3
    with sqlite3.connect(tmp_path / "store.db") as store:
        jobs = store.execute("SELECT mpi, job, complete FROM sessions").fetchall()
        kept = store.execute("SELECT times_us FROM samples WHERE algorithm = 'allgather/ring'")
        assert json.loads(kept.fetchone()[0]) == [times["allgather/ring"]]
    assert [json.loads(mpi)["vendor"] for mpi, _, _ in jobs] == ["smpi"] * 2
    assert all(json.loads(job)["simulated"] and complete for _, job, complete in jobs)


@simulated
def test_what_a_profile_chooses_is_timed_beside_it(
    cli: Callable, profile: dict[str, Any], tmp_path: Path
) -> None:
    profile["mpi"]["vendor"] = "smpi"
    file = tmp_path / "profile.json"
    file.write_text(json.dumps(profile))
    words = [
        "simulate",
        "collectives",
        "--machine",
        MACHINE,
        "-p",
        4,
        "--collectives",
        "allgather",
        "--json",
    ]
    words += ["--algorithms", "ring", "--sizes", "16KiB", "--store", tmp_path / "store.db"]
    result = cli(*words, "--profile", file)
    assert result.code == 0, result.err
    point = result.document()["points"][0]
    assert point["decided"] == {"profile/given": "allgather/ring"}
    assert point["times_us"]["profile/given"] == point["times_us"]["allgather/ring"]


@simulated
def test_an_interruption_keeps_what_was_measured(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = collectives.measure

    def interrupted(job: object, requests: list[Any], *rest: object) -> object:
        if requests[0].collective == "allgather":
            raise KeyboardInterrupt
        return measure(job, requests, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(collectives, "measure", interrupted)
    words = ["--collectives", "bcast,allgather", *MEASURED, "--store", tmp_path / "store.db"]
    result = cli("simulate", "collectives", "--machine", "2n x 2c", "--json", *words)
    assert result.code == 130
    assert [point["collective"] for point in result.document()["points"]] == ["bcast"] * 2
    assert "2 points are kept in" in result.err
    with sqlite3.connect(tmp_path / "store.db") as store:
        assert store.execute("SELECT complete FROM sessions").fetchall() == [(0,)]


@simulated
def test_a_collective_that_fails_takes_no_other_along(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure = collectives.measure

    def failing(job: object, requests: list[Any], *rest: object) -> object:
        if requests[0].collective == "bcast":
            raise MpiError("the simulator failed")
        return measure(job, requests, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(collectives, "measure", failing)
    words = ["--collectives", "bcast,allgather", *MEASURED, "--store", tmp_path / "store.db"]
    result = cli("simulate", "collectives", "--machine", "2n x 2c", *words)
    assert result.code == 0
    assert "bcast: 2 sizes; the simulator failed" in result.out
    assert "allgather/ring" in result.out
