# SPDX-License-Identifier: Apache-2.0
"""`espalier probe` finds the levels, groups and links of machines whose answer is known."""

from __future__ import annotations

import dataclasses
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from platform_probe import program
from probe_command import probe, runs, vendor_or_skip

from espalier import installation
from espalier.clusters import SimulatedCluster

if TYPE_CHECKING:
    from pathlib import Path

    from probe_command import Found, Groups

pytestmark = [pytest.mark.mpi, pytest.mark.slow]
needs_simgrid = pytest.mark.skipif(
    shutil.which("smpirun") is None, reason="SimGrid is not installed"
)


def every(step: int, *starts: int, of: int) -> Groups:
    """Return ranks start, start + step, ... below `of`, a group for each start."""
    return {frozenset(range(start, of, step)) for start in starts}


def probe_simulated(
    machine: str, num_ranks: int, folder: Path, budget: str = "500ms", **options: str
) -> Found:
    program("smpi")
    with SimulatedCluster(machine, num_ranks, **options) as cluster:
        return probe(cluster.launcher_words(), folder, budget)


@dataclasses.dataclass(frozen=True)
class Wanted:
    """What a level costs, as configured."""

    latency_us: float
    bytes_per_us: float
    channels: int | None = None
    full_duplex: bool = True


def assert_link(link: dict[str, Any], wanted: Wanted) -> None:
    assert link["latency_us"] == pytest.approx(wanted.latency_us, rel=0.1)
    assert link["bandwidth_bytes_per_s"] == pytest.approx(wanted.bytes_per_us * 1e6, rel=0.1)
    assert link["channels"] == wanted.channels
    assert link["full_duplex"] == wanted.full_duplex


INSIDE = "[latency=700ns,bandwidth=2GB/s] x 4c[latency=300ns,bandwidth=8GB/s]"
PACKAGE, CORE = Wanted(0.7, 2000), Wanted(0.3, 8000)


@needs_simgrid
def test_a_flat_machine(tmp_path: Path) -> None:
    found = probe_simulated("8n[latency=2us,bandwidth=1GB/s] x 1c", 8, tmp_path)
    assert found.groups(0) == runs(*[1] * 8)
    assert_link(found.link("node"), Wanted(2.0, 1000))


@needs_simgrid
@pytest.mark.parametrize("channels", [2, 3])
def test_nodes_with_packages_and_channels(channels: int, tmp_path: Path) -> None:
    machine = f"4n[latency=2us,bandwidth=1GB/s,channels={channels}] x 2s{INSIDE}"
    found = probe_simulated(machine, 32, tmp_path)
    assert found.names == ["node", "package", "core"]
    assert found.groups(0) == runs(*[8] * 4)
    assert found.groups(1) == runs(*[4] * 8)
    assert_link(found.link("node"), Wanted(2.0, 1000, channels))
    assert_link(found.link("package"), PACKAGE)
    assert_link(found.link("core"), CORE)


@needs_simgrid
def test_uneven_nodes(tmp_path: Path) -> None:
    machine = f"2n[latency=2us,bandwidth=1GB/s,channels=2] x 2s{INSIDE} + 1n x 1s x 4c"
    found = probe_simulated(machine, 20, tmp_path)
    assert found.groups(0) == runs(8, 8, 4)
    assert found.groups(1) == runs(*[4] * 5)
    assert_link(found.link("node"), Wanted(2.0, 1000, 2))
    assert_link(found.link("package"), PACKAGE)


@needs_simgrid
def test_nodes_without_names_and_out_of_order(tmp_path: Path) -> None:
    machine = (
        "3n[latency=2us,bandwidth=1GB/s,channels=2] x 2s[latency=700ns,bandwidth=2GB/s]"
        " x 3c[latency=300ns,bandwidth=8GB/s]"
    )
    found = probe_simulated(machine, 18, tmp_path, placement="cyclic", names="one")
    assert len(found.names) >= 3
    of = {level: found.groups(level) for level in range(len(found.names))}
    outer = next(level for level in of if len(of[level]) > 1)
    assert of[outer] == every(3, 0, 1, 2, of=18)
    assert of[outer + 1] == {
        frozenset(range(start, start + 9, 3)) for start in (0, 1, 2, 9, 10, 11)
    }
    assert_link(found.machine["levels"][outer]["link"], Wanted(2.0, 1000, 2))
    assert_link(found.machine["levels"][outer + 1]["link"], PACKAGE)
    assert_link(found.machine["levels"][outer + 2]["link"], CORE)


@needs_simgrid
def test_half_duplex_and_cyclic_ranks(tmp_path: Path) -> None:
    machine = (
        "4n[latency=5us,bandwidth=500MB/s,channels=1,duplex=half]"
        " x 4c[latency=400ns,bandwidth=4GB/s]"
    )
    found = probe_simulated(machine, 16, tmp_path, placement="cyclic")
    assert found.groups(0) == every(4, 0, 1, 2, 3, of=16)
    assert_link(found.link("node"), Wanted(5.0, 500, 1, full_duplex=False))
    assert_link(found.link("core"), Wanted(0.4, 4000))


@needs_simgrid
def test_the_ends_of_a_message(tmp_path: Path) -> None:
    ends = "overhead_send=400ns,overhead_receive=600ns"
    machine = f"3n[latency=2us,bandwidth=1GB/s,{ends}] x 2c[latency=500ns,bandwidth=4GB/s,{ends}]"
    found = probe_simulated(machine, 6, tmp_path)
    link = found.link("node")
    assert link["overhead_send_us"] == pytest.approx(0.4, rel=0.1)
    assert link["overhead_receive_us"] == pytest.approx(0.6, rel=0.1)
    assert link["latency_us"] == pytest.approx(2.0, rel=0.1)


@needs_simgrid
def test_two_probes_find_the_same(tmp_path: Path) -> None:
    machine = "2n[latency=2us,bandwidth=1GB/s,channels=2] x 2c[latency=300ns,bandwidth=8GB/s]"
    one, other = (probe_simulated(machine, 4, tmp_path).machine for _ in range(2))
    assert one["levels"] == other["levels"]
    assert one["core_of_rank"] == other["core_of_rank"]


@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_this_machine(vendor: str, tmp_path: Path) -> None:
    vendor_or_skip(vendor)
    launchers = {
        "openmpi": "mpirun.openmpi --allow-run-as-root --oversubscribe --bind-to none "
        "--mca mpi_yield_when_idle 1 -n 3",
        "mpich": f"mpiexec.mpich -genv LD_PRELOAD {yielding_library()} -n 3",
    }
    found = probe(launchers[vendor].split(), tmp_path, "5s")
    assert [rank["node"] for rank in found.probe["ranks"]] == [0, 0, 0]
    assert frozenset({0, 1, 2}) in found.groups(0)
    assert found.link("core")["bandwidth_bytes_per_s"] > 0


def yielding_library() -> str:
    folder = installation.build_folder()
    assert folder is not None
    return str(folder / "lib" / "libespalier_yield_ucx.so")
