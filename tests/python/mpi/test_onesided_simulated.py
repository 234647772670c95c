# SPDX-License-Identifier: Apache-2.0
"""The one-sided conduit of simulated machines: the suite of conduits, and exact times."""

from __future__ import annotations

import json
import shutil
import statistics
from typing import TYPE_CHECKING, Any

import pytest

from espalier import installation
from espalier.clusters import SimulatedCluster

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")

LATENCY = 1.5e-6
OVERHEAD = 2e-7
PER_BYTE = 8e-11
LINK = "latency=1.5us,overhead=200ns,bandwidth=12.5GB/s,channels=1,eager=16KiB"
NEAR = "latency=300ns,overhead=200ns,bandwidth=8GB/s,shared_channels=4,eager=16KiB"
MACHINE = f"4n[{LINK}] x 4c[{NEAR}]"
# SimGrid rounds times to 1 ns, and up to 20 are added up.
ROUNDED = 2e-8


def program(name: str) -> Path:
    """Return a program of the build, or skip."""
    folder = installation.build_folder()
    if folder is None or not (folder / "bin" / f"{name}_smpi").exists():
        pytest.skip(f"{name}_smpi is not built")
    return folder / "bin" / f"{name}_smpi"


def output(num_ranks: int, placement: str, *words: str) -> str:
    with SimulatedCluster(MACHINE, num_ranks, placement=placement) as cluster:
        done = cluster.run(words, timeout_seconds=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def times(num_bytes: int) -> dict[str, float]:
    name = str(program("onesided_simulated_times"))
    lines = output(2, "cyclic", name, str(num_bytes)).splitlines()
    return {name: float(seconds) for name, seconds in map(str.split, lines)}


@pytest.mark.parametrize("num_ranks", [1, 2, 3, 5, 7, 8])
def test_it_passes_the_suite_of_conduits(num_ranks: int) -> None:
    text = output(num_ranks, "cyclic", str(program("onesided_simulated")), "simulated")
    assert "random" in text
    assert "many_underway" in text


@pytest.mark.parametrize("name", ["onesided_messages", "onesided_teams", "onesided_transfers"])
@pytest.mark.parametrize("num_ranks", [1, 2, 3, 5, 8])
def test_the_interface_in_c_does_there_what_it_does_elsewhere(name: str, num_ranks: int) -> None:
    output(num_ranks, "cyclic", str(program(name)))


@pytest.mark.parametrize("num_bytes", [8, 4096, 65536])
def test_times_are_those_of_the_machine(num_bytes: int) -> None:
    found = times(num_bytes)
    there = LATENCY + num_bytes * PER_BYTE
    expected = {
        "put": OVERHEAD + there + LATENCY,
        "get": OVERHEAD + LATENCY + there,
        "own_put": 0,
        "raising_puts": 2 * (OVERHEAD + there),
        "signals": 2 * (OVERHEAD + LATENCY),
        # Either end takes an overhead for the question, and one for the answer.
        "messages": 4 * OVERHEAD + 2 * LATENCY,
        "barriers": 10 * (OVERHEAD + LATENCY),
    }
    differences = {name: abs(found[name] - seconds) for name, seconds in expected.items()}
    assert {name: d for name, d in differences.items() if d > ROUNDED} == {}


def test_the_same_command_gives_the_same_times() -> None:
    assert times(4096) == times(4096)


@pytest.fixture(scope="module")
def modelled_times() -> list[dict[str, Any]]:
    """Return what simulator and model say: nodes of one rank, blocks that all pieces divide."""
    name = str(program("modelled_times"))
    machine = f"5n[{LINK}] x 1c"
    with SimulatedCluster(machine, 5) as cluster:
        words = [name, "768", str(LATENCY), str(OVERHEAD), str(PER_BYTE)]
        done = cluster.run(words, timeout_seconds=120)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_the_model_says_what_collectives_take(modelled_times: list[dict[str, Any]]) -> None:
    records = modelled_times
    assert {record["call"] for record in records} == {
        "barrier", "bcast", "scatter", "gather", "reduce", "allreduce", "allgather", "alltoall",
    }  # fmt: skip
    assert {record["mechanism"] for record in records} == {
        "signaling_put", "eager", "rendezvous", "counting_put",
    }  # fmt: skip
    ratios = [record["simulated"] / record["modelled"] for record in records]
    assert statistics.median(ratios) == pytest.approx(1, abs=0.01)
    assert sum(0.95 <= ratio <= 1.05 for ratio in ratios) > 0.85 * len(ratios)
    assert max(ratios) < 2
    assert min(ratios) > 0.85


def test_the_model_takes_reductions_as_they_are_called(
    modelled_times: list[dict[str, Any]],
) -> None:
    """Contributions stand in the input, so what comes first is put to the user, who is there."""
    wanted = {
        "call": "reduce",
        "mode": "IN_MYSYNC|OUT_MYSYNC",
        "algorithm": "reduce/k_nomial[k=4,in_order=1]",
        "mechanism": "signaling_put",
    }
    (found,) = (one for one in modelled_times if wanted.items() <= one.items())
    assert abs(found["simulated"] - found["modelled"]) <= ROUNDED


def test_trees_are_timed_beside_the_library() -> None:
    lines = output(4, "cyclic", str(program("tree_times")), "8", "k_ary[k=4]").splitlines()
    found = {(one["call"], one["manner"], one["tree"]): one["us"] for one in map(json.loads, lines)}
    assert len(found) == 4 * 3 * 2
    # Three puts of each call leave the root behind each other, and the last one arrives.
    expected = 3 * OVERHEAD + LATENCY / 16
    assert found["bcast", "loose", "k_ary[k=4]"] == pytest.approx(expected * 1e6, abs=0.002)
    assert min(found.values()) > 0
