# SPDX-License-Identifier: Apache-2.0
"""Emulated clusters: hosts that real MPI libraries take for nodes, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cluster_traces import traces, wait_until
from places import repository
from platform_probe import measure, timing

from espalier.clusters import EmulatedCluster, emulated, leftovers, permission
from espalier.errors import ArgumentError, EnvironmentFault, UnsupportedError

if TYPE_CHECKING:
    from collections.abc import Iterator

OBSTACLE = emulated.obstacle()

needs_cluster = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)


@pytest.fixture
def untouched() -> Iterator[set[str]]:
    """What there is before a test; the test leaves the same."""
    before = traces()
    yield before
    assert wait_until(lambda: traces() <= before), traces() - before


@needs_cluster
def test_hosts_have_names_and_a_network(untouched: set[str]) -> None:
    with EmulatedCluster(3) as cluster:
        for host in cluster.hosts:
            assert cluster.run(["hostname"], host=host).stdout == f"{host}\n"
        address = cluster.run(["getent", "ahostsv4", "node2"]).stdout.split()[0]
        shown = cluster.run(["ip", "-br", "address", "show", "eth0"], host="node2").stdout
        assert address in shown
        assert traces() - untouched
    with pytest.raises(ArgumentError, match="in a with statement"):
        cluster.run(["true"])


@needs_cluster
@pytest.mark.usefixtures("untouched")
def test_hosts_share_neither_memory_nor_their_state_with_this_one() -> None:
    with EmulatedCluster(2) as cluster:
        marker = Path(f"/dev/shm/espalier-{os.getpid()}")  # noqa: S108 - what is tested
        assert cluster.run(["touch", str(marker)]).returncode == 0
        assert not marker.exists()
        spaces = [f"/proc/self/ns/{kind}" for kind in ("net", "uts", "ipc", "pid")]
        names = ["readlink", *spaces]
        here = [str(Path(space).readlink()) for space in spaces]
        one, other = (cluster.run(names, host=host).stdout.split() for host in cluster.hosts)
        assert not set(here) & set(one)
        assert set(one) & set(other) == {one[-1]}


@needs_cluster
@pytest.mark.usefixtures("untouched")
def test_commands_run_in_this_folder_and_return_their_code(tmp_path: Path) -> None:
    with EmulatedCluster(1) as cluster:
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(tmp_path)
            done = cluster.run(
                ["sh", "-c", "pwd; echo $COLOUR >&2; exit 7"], environment={"COLOUR": "blue"}
            )
        assert (done.stdout, done.stderr, done.returncode) == (f"{tmp_path}\n", "blue\n", 7)


@needs_cluster
@pytest.mark.usefixtures("untouched")
def test_an_error_ends_the_cluster_and_what_runs_on_it() -> None:
    with pytest.raises(ZeroDivisionError), EmulatedCluster(2) as cluster:  # noqa: PT012
        sleeping = subprocess.Popen(cluster.words(["sleep", "1000"], "node1"))
        assert wait_until(lambda: "sleep" in cluster.run(["ps", "ax"]).stdout)
        raise ZeroDivisionError
    assert sleeping.wait(10) != 0


@needs_cluster
@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_when_the_owner_is_killed(number: signal.Signals) -> None:
    script = (
        "import subprocess\n"
        "from espalier.clusters import EmulatedCluster\n"
        "with EmulatedCluster(2) as cluster:\n"
        "    subprocess.Popen(cluster.words(['sleep', '1000'], 'node1'))\n"
        "    print('ready', flush=True)\n"
        "    input()\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert owner.stdout
    assert owner.stdout.readline() == "ready\n"
    owner.send_signal(number)
    owner.communicate(timeout=20)
    assert owner.returncode != 0


@needs_cluster
@pytest.mark.usefixtures("untouched")
def test_the_next_start_removes_what_killed_holders_left() -> None:
    alive = leftovers.folder_of(os.getpid())
    boot, space, pid, start = alive.name.removeprefix("espalier-cluster-").split("-")
    killed = alive.with_name(f"espalier-cluster-{boot}-{space}-999999999-{start}")
    reused = alive.with_name(f"espalier-cluster-{boot}-{space}-{pid}-{int(start) - 1}")
    rebooted = alive.with_name(f"espalier-cluster-00000000-{space}-{pid}-{start}")
    elsewhere = alive.with_name(f"espalier-cluster-{boot}-1-999999999-{start}")
    for folder in (killed, reused, rebooted, elsewhere, alive):
        (folder / "live").mkdir(parents=True)
    group = leftovers.make_cpu_group(killed.name)
    try:
        with EmulatedCluster(1):
            assert not killed.exists()
            assert not (group and Path(group).exists())
            assert not reused.exists()
            assert not rebooted.exists()
            assert alive.exists()
            assert elsewhere.exists()
    finally:
        for folder in (killed, reused, rebooted, elsewhere, alive):
            leftovers.remove_one(folder)


@needs_cluster
@pytest.mark.usefixtures("untouched")
def test_wrong_settings_are_told_and_leave_nothing() -> None:
    with pytest.raises(EnvironmentFault, match="expected 1 emulated hosts to start"):
        EmulatedCluster(1, burst="much").__enter__()


def test_nonsense_is_refused() -> None:
    with pytest.raises(ArgumentError, match="got 0 with 2"):
        EmulatedCluster(0)
    with pytest.raises(ArgumentError, match="got 'fast'"):
        EmulatedCluster(1, rate="fast")
    with pytest.raises(ArgumentError, match="in a with statement"):
        EmulatedCluster(1).launcher_words("openmpi")


def test_users_without_rights_are_told_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UnsupportedError, match="expected to be root"):
        EmulatedCluster(1).__enter__()
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(permission, "_TOOLS", ("ip", "no-such-tool"))
    with pytest.raises(UnsupportedError, match="no-such-tool"):
        EmulatedCluster(1).__enter__()


@needs_cluster
@pytest.mark.mpi
@pytest.mark.usefixtures("untouched")
@pytest.mark.parametrize("placement", ["block", "cyclic"])
@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_messages_between_hosts_pass_their_interfaces(
    vendor: str, placement: str, tmp_path: Path
) -> None:
    if shutil.which(f"mpirun.{vendor}") is None:
        pytest.skip(f"{vendor} is not installed")
    nodes = {"block": [0, 0, 1, 1, 2, 2], "cyclic": [0, 1, 2, 0, 1, 2]}[placement]
    near, far = nodes.index(0, 1), nodes.index(1)
    with EmulatedCluster(3, 2, rate="100mbit") as cluster:
        launcher = cluster.launcher_words(vendor, placement=placement)
        test = timing("latency", [1_000_000], [[0, near]], [[0, far]])
        found = measure(launcher, vendor, tmp_path, [test])
    assert [rank["node"] for rank in found.ranks] == nodes
    assert [rank["host"] for rank in found.ranks] == [f"node{node}" for node in nodes]
    inside_us, between_us = found.slowest_us()
    # A megabyte needs 80 ms at this rate, of which the burst passes at once.
    assert between_us > 2 * 75_000
    assert inside_us < between_us / 5
