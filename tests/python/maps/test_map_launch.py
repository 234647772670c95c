# SPDX-License-Identifier: Apache-2.0
"""Files of `espalier map` under real launchers: who runs where, and what crosses the links."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from places import repository

from espalier.clusters import EmulatedCluster, emulated
from espalier.errors import NotBuiltError
from espalier.launch import preload

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

OBSTACLE = emulated.obstacle()
pytestmark = [pytest.mark.mpi, pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)]

NUM_BYTES = 100_000
TIMES = 5


class Rank(NamedTuple):
    """What a rank said of itself."""

    host: str
    cpus: str
    shared: int


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Compile the program for an MPI."""
    folder = tmp_path_factory.mktemp("programs")

    def compile_for(vendor: str) -> str:
        compiler, built = shutil.which(f"mpicc.{vendor}"), folder / vendor
        if compiler is None:
            pytest.skip(f"{vendor} is not installed")
        if not built.exists():
            source = repository / "tests" / "support" / "grid_traffic.c"
            subprocess.run([compiler, "-O1", "-o", str(built), str(source)], check=True)
        return str(built)

    return compile_for


def start(words: Sequence[str], program: str, grid: Sequence[int]) -> list[Rank]:
    """Run the program under a launcher; return what its ranks say."""
    arguments = [*map(str, grid), str(NUM_BYTES), str(TIMES)]
    done = subprocess.run(
        [*words, program, *arguments],
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert [int(line[0]) for line in lines] == list(range(len(lines)))
    return [Rank(line[1], line[2], int(line[3])) for line in lines]


def sent_bytes(cluster: EmulatedCluster) -> int:
    """Return what left the interfaces of all hosts so far."""
    total = 0
    for host in cluster.hosts:
        lines = cluster.run(["cat", "/proc/net/dev"], host=host).stdout.splitlines()
        line = next(line for line in lines if line.strip().startswith("eth0:"))
        total += int(line.split(":")[1].split()[8])
    return total


def usual_words(cluster: EmulatedCluster, vendor: str) -> list[str]:
    """Return the launcher with ranks node after node; skip the test if it lacks a library."""
    try:
        return cluster.launcher_words(vendor)
    except NotBuiltError as error:
        pytest.skip(str(error))


def launcher(cluster: EmulatedCluster, vendor: str, command: Sequence[str]) -> list[str]:
    """Return the command that `espalier map` named, with what the cluster needs."""
    usual = usual_words(cluster, vendor)
    head = usual[: usual.index({"openmpi": "--host", "mpich": "-hosts"}[vendor])]
    preload = usual[usual.index("-genv") : usual.index("-n")] if vendor == "mpich" else []
    return [*head, *command[1:-1], *preload]


def map_command(found: dict[str, Any]) -> list[str]:
    command: list[str] = found["launch"]["command"].split()
    assert command[0] in {"mpirun", "mpiexec"}
    assert command[-1] == "./program"
    return command


@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_ranks_start_on_the_cores_the_file_says(
    vendor: str, program: Callable[[str], str], cli: Callable, tmp_path: Path
) -> None:
    built = program(vendor)
    file = tmp_path / "ranks"
    words = ("--machine", "3n x 2c", "--grid", "2x3", "--stencil", "(1,0) (-1,0)", "--bind")
    result = cli("map", *words, "--for", vendor, "--hosts", "node[0-2]", "-o", file, "--json")
    found = result.document()
    assert not found["is_identity"]
    with EmulatedCluster(3, 2, rate=None) as cluster:
        ranks = start(launcher(cluster, vendor, map_command(found)), built, (2, 3))
    seats = found["seats"]
    assert [rank.host for rank in ranks] == [f"node{node}" for node in seats["node"]]
    assert [rank.cpus for rank in ranks] == [str(core) for core in seats["core"]]
    torn = "torn_nodes" in {one["name"] for one in found["warnings"]}
    assert torn == (vendor == "mpich")
    # What the warning says of MPICH, and that it is not so for Open MPI.
    assert {rank.shared for rank in ranks} == ({1} if torn else {2})


@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_fewer_bytes_leave_the_hosts(
    vendor: str, program: Callable[[str], str], cli: Callable, tmp_path: Path
) -> None:
    built = program(vendor)
    file = tmp_path / "ranks"
    words = ("--machine", "4n x 4c", "--grid", "4x4", "--no-bind")
    result = cli("map", *words, "--for", vendor, "--hosts", "node[0-3]", "-o", file, "--json")
    found = result.document()
    level = found["metrics"][0]
    assert (level["before"]["total"], level["after"]["total"]) == (24, 16)
    with EmulatedCluster(4, 4, rate=None) as cluster:
        before, now = sent_bytes(cluster), 0
        start(usual_words(cluster, vendor), built, (4, 4))
        before, now = sent_bytes(cluster) - before, sent_bytes(cluster)
        ranks = start(launcher(cluster, vendor, map_command(found)), built, (4, 4))
        after = sent_bytes(cluster) - now
    assert [rank.host for rank in ranks] == [f"node{node}" for node in found["seats"]["node"]]
    for total, sent in ((24, before), (16, after)):
        payload = total * NUM_BYTES * TIMES
        assert payload <= sent <= 1.15 * payload


def count(words: Sequence[str], program: str, folder: Path) -> None:
    """Run the program once while its traffic is counted."""
    command = [*words, program, "4", "4", str(NUM_BYTES), str(TIMES)]
    settings = preload.Settings(force=preload.all_native(), learns=False, traffic=folder)
    begun = preload.find_target(command, None).preloaded(settings)
    done = subprocess.run(
        begun.words,
        env={**os.environ, **begun.environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_counted_traffic_is_placed_by_the_file(
    vendor: str, program: Callable[[str], str], cli: Callable, tmp_path: Path
) -> None:
    built = program(vendor)
    folder, file = tmp_path / "counted", tmp_path / "hosts"
    with EmulatedCluster(4, 4, rate=None) as cluster:
        count(usual_words(cluster, vendor), built, folder)
        result = cli("map", "--traffic", folder, "--for", vendor, "-o", file, "--json")
        found = result.document()
        now = sent_bytes(cluster)
        ranks = start(launcher(cluster, vendor, map_command(found)), built, (4, 4))
        after = sent_bytes(cluster) - now
    # What is counted is the payload to the byte.
    payload = NUM_BYTES * TIMES
    saving = found["graph"]["saving"]
    assert (saving["before"]["total"], saving["after"]["total"]) == (24 * payload, 16 * payload)
    assert [rank.host for rank in ranks] == [f"node{node}" for node in found["seats"]["node"]]
    assert 16 * payload <= after <= 1.15 * 16 * payload
