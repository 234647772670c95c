# SPDX-License-Identifier: Apache-2.0
"""Simulated clusters: the time of messages is what the machine says, to the last nanosecond."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from platform_probe import Measured, measure, timing

from espalier import installation
from espalier.clusters import SimulatedCluster
from espalier.errors import ArgumentError
from espalier.halo import measurement
from espalier.sampling import simulation

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from espalier.launch.command import LaunchCommand

pytestmark = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")

# Reading the simulated clock takes 10 ns, and times are whole nanoseconds.
CLOCK_US = 0.02


@pytest.fixture
def probe(tmp_path: Path) -> Callable[..., Measured]:
    """Time messages on a simulated machine."""

    def run(
        machine: str | Path, num_ranks: int, *tests: dict[str, Any], **options: str
    ) -> Measured:
        with SimulatedCluster(machine, num_ranks, **options) as cluster:
            return measure(cluster.launcher_words(), "smpi", tmp_path, list(tests))

    return run


def round_trip_us(latency_us: float, bytes_per_us: float, num_bytes: int) -> float:
    return 2 * (latency_us + num_bytes / bytes_per_us)


NESTED = (
    "2n[latency=2us,bandwidth=1GB/s] x 2s[latency=700ns,bandwidth=2GB/s]"
    " x 2c[latency=300ns,bandwidth=8GB/s]"
)


def test_messages_take_the_link_of_the_level_they_cross(probe: Callable[..., Measured]) -> None:
    sizes = [0, 1000, 1_000_000]
    pairs = {(0, 1): (0.3, 8000), (1, 2): (0.7, 2000), (3, 4): (2.0, 1000), (7, 0): (2.0, 1000)}
    found = probe(NESTED, 8, timing("latency", sizes, *([list(pair)] for pair in pairs)))
    expected = [round_trip_us(*link, num_bytes) for link in pairs.values() for num_bytes in sizes]
    assert found.slowest_us() == pytest.approx(expected, abs=CLOCK_US)


def test_ranks_see_nodes(probe: Callable[..., Measured]) -> None:
    found = probe(NESTED, 8, timing("latency", [0], [[0, 1]]))
    assert [rank["node"] for rank in found.ranks] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [rank["host"] for rank in found.ranks] == ["node-0"] * 4 + ["node-1"] * 4


@pytest.mark.parametrize(("names", "nodes"), [("core", [0, 1, 2, 3, 4, 5, 6, 7]), ("one", [0] * 8)])
def test_ranks_see_nothing_of_hidden_nodes(
    probe: Callable[..., Measured], names: str, nodes: list[int]
) -> None:
    found = probe(NESTED, 8, timing("latency", [0], [[0, 1]]), names=names)
    assert [rank["node"] for rank in found.ranks] == nodes


def test_placement_puts_ranks_on_cores(probe: Callable[..., Measured]) -> None:
    found = probe(NESTED, 6, timing("latency", [0], [[0, 2]], [[0, 1]]), placement="cyclic")
    assert [rank["node"] for rank in found.ranks] == [0, 1, 0, 1, 0, 1]
    assert found.slowest_us() == pytest.approx([0.6, 4.0], abs=CLOCK_US)


def test_nodes_may_be_uneven(probe: Callable[..., Measured]) -> None:
    machine = "2n[latency=2us,bandwidth=1GB/s] x 3c[latency=300ns] + 1n x 1c"
    found = probe(machine, 7, timing("latency", [0], [[0, 2]], [[2, 3]], [[5, 6]]))
    assert [rank["node"] for rank in found.ranks] == [0, 0, 0, 1, 1, 1, 2]
    assert found.slowest_us() == pytest.approx([0.6, 4.0, 4.0], abs=CLOCK_US)


@pytest.mark.parametrize("channels", [1, 2, 3])
def test_channels_carry_that_many_messages_at_full_speed(
    probe: Callable[..., Measured], channels: int
) -> None:
    machine = f"2n[latency=2us,bandwidth=1GB/s,channels={channels}] x 4c[bandwidth=8GB/s]"
    sets = [[[i, 4 + i] for i in range(k)] for k in (1, 2, 3, 4)]
    found = probe(machine, 8, timing("bandwidth", [1_000_000], *sets)).slowest_us()
    ratios = [time / found[0] for time in found]
    assert ratios == pytest.approx([max(1.0, k / channels) for k in (1, 2, 3, 4)], rel=0.01)
    assert found[0] == pytest.approx(10 * 1000.0, rel=0.01)


def test_a_sender_is_no_faster_however_many_messages_it_has_begun(
    probe: Callable[..., Measured],
) -> None:
    machine = "2n[latency=2us,bandwidth=1GB/s,channels=4] x 4c"
    found = probe(machine, 8, timing("message_rate", [1000], [[0, 4]])).slowest_us()
    assert found[0] >= 10 * 1.0


@pytest.mark.parametrize(("duplex", "factor"), [("full", 1.0), ("half", 2.0)])
def test_directions_share_channels_at_half_duplex(
    probe: Callable[..., Measured], duplex: str, factor: float
) -> None:
    machine = f"2n[latency=2us,bandwidth=1GB/s,channels=1,duplex={duplex}] x 2c"
    tests = [timing(test, [1_000_000], [[0, 2]]) for test in ("bandwidth", "bidirectional")]
    one_way, both_ways = probe(machine, 4, *tests).slowest_us()
    assert both_ways / one_way == pytest.approx(factor, rel=0.01)


def test_memory_is_shared_by_the_messages_of_a_package(probe: Callable[..., Measured]) -> None:
    machine = "1n x 2s x 6c[latency=300ns,bandwidth=4GB/s,shared_channels=2]"
    sets = [[[0, 1]], [[0, 1], [2, 3], [4, 5]], [[0, 1], [2, 3], [6, 7], [8, 9]]]
    one, three, apart = probe(machine, 12, timing("bandwidth", [1_000_000], *sets)).slowest_us()
    assert three / one == pytest.approx(1.5, rel=0.01)
    assert apart / one == pytest.approx(1.0, rel=0.01)


def test_switches_and_groups_are_levels(probe: Callable[..., Measured]) -> None:
    machine = "2g[latency=5us] x 2w[latency=3us] x 2n[latency=1us] x 2c[latency=200ns]"
    sets = [[[0, other]] for other in (1, 2, 4, 8)]
    found = probe(machine, 16, timing("latency", [0], *sets))
    assert found.slowest_us() == pytest.approx([0.4, 2.0, 6.0, 10.0], abs=CLOCK_US)


def test_hops_on_a_torus_cost_latency(probe: Callable[..., Measured], tmp_path: Path) -> None:
    file = tmp_path / "machine.json"
    file.write_text(
        '{"schema": "espalier-machine", "version": 1, "levels": ['
        '{"name": "node", "counts": [12], "link": {"latency_us": 1}},'
        '{"name": "core", "counts": [1], "link": {}}],'
        '"torus": {"extents": [4, 3], "hop_latency_us": 0.25}}'
    )
    sets = [[[0, other]] for other in (1, 2, 3, 4, 6)]
    found = probe(file, 12, timing("latency", [0], *sets))
    hops = [1, 2, 1, 1, 3]
    assert found.slowest_us() == pytest.approx([2 + 0.5 * n for n in hops], abs=CLOCK_US)


def test_overheads_and_eager_messages_are_those_of_the_machine(
    probe: Callable[..., Measured],
) -> None:
    ends = "overhead_send=400ns,overhead_receive=600ns,eager=2000"
    machine = f"2n[latency=2us,bandwidth=1GB/s,{ends}] x 1c[{ends}]"
    found = probe(machine, 2, timing("latency", [0, 2000, 2001], [[0, 1]])).slowest_us()
    assert found[0] == pytest.approx(2 * 3.0, abs=CLOCK_US)
    assert found[1] == pytest.approx(2 * 5.0, abs=CLOCK_US)
    # Above the limit SMPI charges neither overhead.
    assert found[2] == pytest.approx(2 * (2 + 2.001), abs=CLOCK_US)


def test_runs_are_identical(probe: Callable[..., Measured]) -> None:
    machine = "3n[latency=2us,bandwidth=1GB/s,channels=2] x 3c[latency=300ns,bandwidth=3GB/s]"
    pairs = [[0, 3], [1, 4], [2, 5], [6, 7]]
    tests = [timing(test, [8, 100_000], pairs) for test in ("latency", "bandwidth")]
    assert probe(machine, 9, *tests).text == probe(machine, 9, *tests).text


def test_machine_files_are_read(probe: Callable[..., Measured], tmp_path: Path) -> None:
    file = tmp_path / "machine.json"
    file.write_text(
        '{"schema": "espalier-machine", "version": 1, "levels": ['
        '{"name": "node", "counts": [2], "link": {"latency_us": 2.5}},'
        '{"name": "core", "counts": [1, 2], "link": {"latency_us": 0.5}}],'
        '"object_names": {"node": ["left", "right"]}}'
    )
    found = probe(file, 3, timing("latency", [0], [[0, 1]], [[1, 2]]))
    assert found.slowest_us() == pytest.approx([5.0, 1.0], abs=CLOCK_US)
    assert [rank["host"] for rank in found.ranks] == ["left", "right", "right"]


@pytest.mark.parametrize(
    ("machine", "complaint"),
    [
        ("3q", "got '3q'"),
        ("2n[gap=1us] x 2c", "a gap and a rendezvous latency of 0"),
        ("2n[overhead=1us] x 2c", "equal overheads and eager bytes at all crossed levels"),
        ("2n x 1c", "3"),
    ],
)
def test_machines_that_cannot_be_simulated_are_refused(machine: str, complaint: str) -> None:
    with SimulatedCluster(machine, 3) as cluster:
        done = cluster.run(["/bin/true"])
    assert done.returncode != 0
    assert "espalier: expected " in done.stderr
    assert complaint in done.stderr


def _state_of(process: Path) -> str:
    """Return the letter in the entry of a process; X if there is no such process any more."""
    try:
        return process.read_text(encoding="utf-8").split()[2]
    except (FileNotFoundError, ProcessLookupError):
        return "X"


def test_a_program_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    script = tmp_path / "smpirun"
    script.write_text(f"#!/bin/sh\nsleep 1000 & echo $! >{tmp_path}/pid; wait\n")
    script.chmod(0o755)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
        with SimulatedCluster("2n x 2c", 4) as cluster, pytest.raises(subprocess.TimeoutExpired):
            cluster.run(["/bin/true"], timeout_seconds=0.5)
    state = Path(f"/proc/{(tmp_path / 'pid').read_text().strip()}/stat")
    # The kernel ends it when it runs next.
    end = time.monotonic() + 10
    while _state_of(state) not in "ZX" and time.monotonic() < end:
        time.sleep(0.01)
    assert _state_of(state) in "ZX"


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for files in memory as Docker gives it by default."""
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=64 * 2**20))


@pytest.mark.usefixtures("little_memory")
def test_copies_of_programs_lie_in_memory_if_they_fit(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(bytes(2**20))
    for num_ranks, fits in {64: True, 65: False}.items():
        with SimulatedCluster("2n x 64c", num_ranks) as cluster:
            words = cluster.frugal_words(program)
        assert words[1].startswith("TMPDIR=/dev/shm") == fits


def test_copies_of_programs_go_with_the_cluster() -> None:
    with SimulatedCluster("4c", 4) as cluster:
        folder = Path(cluster.frugal_words(None)[1].removeprefix("TMPDIR="))
        assert cluster.frugal_words(None)[1] == f"TMPDIR={folder}"
        assert folder.parent == Path("/dev/shm")  # noqa: S108 - the cluster makes the name
        (folder / "program_0.so").touch()
    assert not folder.exists()


@pytest.mark.usefixtures("little_memory")
def test_copies_of_our_programs_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[str] = []

    def start(_: object, words: Sequence[str]) -> None:
        started.append(shlex.join(words))

    def measure(command: LaunchCommand, *_: object) -> None:
        started.append(command.text())

    monkeypatch.setattr(simulation.Simulation, "_start", start)
    monkeypatch.setattr(measurement, "measure", measure)
    with simulation.Simulation(simulation.SimulatedJob("2n x 64c", "block", 100), []):
        pass
    measurement.simulate("2n x 64c", "block", 100, measurement.Input("", "", {}))
    assert len(started) == 2
    assert not any("TMPDIR=/dev/shm" in command for command in started)


def test_nonsense_is_refused_before_anything_starts() -> None:
    with pytest.raises(ArgumentError, match="got 'nodes'"):
        SimulatedCluster("2n x 2c", 4, names="nodes")
    with pytest.raises(ArgumentError, match="at least 1 rank, got 0"):
        SimulatedCluster("2n x 2c", 0)
    with pytest.raises(ArgumentError, match="in a with statement"):
        SimulatedCluster("2n x 2c", 4).launcher_words()


@pytest.mark.parametrize("name", ["measure", "order", "probe"])
def test_a_program_that_cannot_begin_fails_and_says_why(name: str) -> None:
    folder = installation.build_folder()
    assert folder is not None
    program = folder / "bin" / f"espalier-{name}-smpi"
    with SimulatedCluster("2n[latency=1us] x 2c[latency=1us]", 4) as cluster:
        ended = cluster.run([str(program), "--plan", "/missing", "--output", "-"])
    assert ended.returncode != 0
    assert f"espalier-{name}: /missing: expected a readable file" in ended.stderr + ended.stdout
