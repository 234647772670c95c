# SPDX-License-Identifier: Apache-2.0
"""Nothing of an emulated cluster stays, however commands, holders and hosts end."""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cluster_traces import command, folders, processes, traces, wait_until
from places import repository

from espalier.clusters import EmulatedCluster, inhabitants, leftovers, permission, registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from espalier.clusters.running import RunningCluster

OBSTACLE = permission.obstacle()
ESPALIER = [sys.executable, "-m", "espalier", "cluster"]
# Unlike any other cluster of this host.
NAME = f"test-{os.getpid()}"
TO_START = ("up", "--name", NAME, "--rate", "none", "--hosts")

pytestmark = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)


@pytest.fixture(autouse=True)
def _untouched() -> Iterator[None]:
    """Leave what there was, without what others left before."""
    leftovers.remove_all()
    # Orphans are not for us to wait for, whatever an earlier test has asked for.
    become_subreaper(wanted=False)
    before = traces()
    yield
    left = registry.named(NAME)
    if left is not None:
        left.end()
    assert wait_until(lambda: traces() <= before), traces() - before


def become_subreaper(*, wanted: bool) -> None:
    """Become the parent of orphans below us, or leave them to others."""
    set_child_subreaper = 36
    ctypes.CDLL(None).prctl(set_child_subreaper, int(wanted), 0, 0, 0)


def start(*words: object, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """Start a command of espalier, as users do: in a process group of its own."""
    return subprocess.Popen(
        [*before, *ESPALIER, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str, str]:
    out, err = process.communicate(timeout=20)
    return process.returncode, out, err


def up(seconds: float = float("inf")) -> RunningCluster:
    with EmulatedCluster(2, rate=None, name=NAME) as cluster:
        return cluster.keep(seconds)


def run(*words: object) -> subprocess.Popen[str]:
    return start("run", "--name", NAME, "--", *words)


def hosts_of(cluster: RunningCluster, command: str) -> set[str]:
    return {found.host for found in cluster.inhabitants() if found.command == command}


def is_starting() -> bool:
    """Return whether there are some of the hosts."""
    found = registry.named(NAME)
    return found is not None and (found.folder / "live").exists() and not found.is_ready


def interrupted_start(number: signal.Signals) -> subprocess.Popen[str]:
    """Start hosts, and send a signal while there are some of them: it holds until this is sure."""
    for _ in range(10):
        starting = start(*TO_START, 100)
        assert wait_until(is_starting)
        starting.send_signal(signal.SIGSTOP)
        stat = Path(f"/proc/{starting.pid}/stat")
        assert wait_until(lambda stat=stat: stat.read_text().rpartition(")")[2].split()[0] in "TZ")
        is_early = is_starting()
        if is_early:
            starting.send_signal(number)
        starting.send_signal(signal.SIGCONT)
        if is_early:
            return starting
        # All hosts were there before this process was on a processor again.
        finish(starting)
        finish(start("down", "--name", NAME))
    pytest.fail("hosts start too quickly to be interrupted")


def is_running(seconds: int) -> bool:
    """Return whether there is a `sleep` of so many seconds."""
    return any(command(entry) == ["sleep", str(seconds)] for entry in Path("/proc").glob("[0-9]*"))


def test_a_killed_holder_takes_everything_with_it(cli: Callable) -> None:
    before = folders()
    holder = up().holder
    folder = leftovers.folder_of(holder).name
    assert processes("cluster.sh", folder)
    running = run("sleep", 9001)
    assert wait_until(lambda: is_running(9001))
    os.kill(holder, signal.SIGKILL)
    code, _, err = finish(running)
    assert code != 0
    assert f"expected cluster '{NAME}' to last as long as the command, it has ended" in err
    assert not is_running(9001)
    assert not processes("cluster.sh", folder)
    # A folder and a control group, both without life: they go with the next command.
    assert wait_until(lambda: registry.named(NAME) is None)
    assert folders() > before
    assert NAME not in cli("cluster", "status").out
    assert folders() <= before


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL, signal.SIGHUP])
def test_a_start_that_is_interrupted_leaves_nothing(number: signal.Signals) -> None:
    before = folders()
    code, out, _ = finish(interrupted_start(number))
    assert code != 0
    assert "is up" not in out
    assert wait_until(lambda: folders() <= before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
@pytest.mark.parametrize("words", [("sleep", 9002), ("sh", "-c", "sleep 9002; true")])
def test_a_command_that_is_interrupted_ends_and_the_cluster_stays(
    number: signal.Signals, words: tuple[object, ...]
) -> None:
    holder = up().holder
    running = run(*words)
    assert wait_until(lambda: is_running(9002))
    running.send_signal(number)
    code, _, _ = finish(running)
    assert code == -number if number is signal.SIGKILL else 128 + number
    assert wait_until(lambda: not is_running(9002))
    assert leftovers.start_time(holder)


@pytest.mark.mpi
@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_ranks_on_all_hosts_end_with_their_command(number: signal.Signals, vendor: str) -> None:
    if shutil.which(f"mpirun.{vendor}") is None:
        pytest.skip(f"{vendor} is not installed")
    cluster = up()
    running = run(f"mpirun.{vendor}", "-n", 4, "sleep", 9007)
    assert wait_until(lambda: hosts_of(cluster, "sleep 9007") == {"node0", "node1"})
    running.send_signal(number)
    assert finish(running)[0] != 0
    assert wait_until(lambda: cluster.inhabitants() == []), cluster.inhabitants()
    assert cluster.is_alive


def test_orphans_that_nobody_waits_for_do_not_delay_the_end() -> None:
    become_subreaper(wanted=True)
    cluster = up()
    running = subprocess.Popen(cluster.words(["sleep", "9008"]))
    assert wait_until(lambda: is_running(9008))
    running.kill()
    running.wait()
    assert wait_until(lambda: not is_running(9008))
    cluster.end()
    assert not cluster.folder.exists()
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def test_what_a_failed_command_put_into_the_background_ends() -> None:
    up()
    script = "setsid sleep 9003 >/dev/null 2>&1 & sleep 0.1; exit 5"
    assert finish(run("sh", "-c", script))[0] == 5
    assert not is_running(9003)
    assert finish(run("sh", "-c", "setsid sleep 9004 >/dev/null 2>&1 & sleep 0.1"))[0] == 0
    assert is_running(9004)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_cluster_for_one_command_ends_with_its_owner(number: signal.Signals) -> None:
    before = folders()
    running = start("run", "--hosts", 2, "--", "sleep", 9005)
    assert wait_until(lambda: is_running(9005))
    running.send_signal(number)
    assert finish(running)[0] != 0
    assert wait_until(lambda: not is_running(9005) and folders() <= before)


def test_a_cluster_ends_by_itself_when_its_time_is_over() -> None:
    before = folders()
    cluster = up(seconds=3)
    assert cluster.until is not None
    running = subprocess.Popen(cluster.words(["sleep", "9006"]))
    assert wait_until(lambda: is_running(9006))
    assert running.wait(20) != 0
    assert wait_until(lambda: folders() <= before)
    assert not is_running(9006)
    assert wait_until(lambda: not leftovers.start_time(cluster.holder))


def test_a_holder_that_has_no_processes_yet_holds_none() -> None:
    words = ["sleep", "9009"]
    waiting = subprocess.Popen(words)
    assert inhabitants.process_space(waiting.pid) is None
    waiting.kill()
    waiting.wait()
    assert inhabitants.process_space(waiting.pid) is None


# Runs the rest of the command line with another /run, says whether clusters are left there, and
# returns the exit code.
WITH_RUN = (
    'mount -t tmpfs -o "$0" tmpfs /run || exit 99\n'
    '"$@"; code=$?; ls -d /run/espalier* 2>/dev/null || echo "nothing is left"; exit $code'
)


def test_a_disk_that_is_full_is_told_and_leaves_nothing() -> None:
    before = ("unshare", "--mount", "sh", "-c", WITH_RUN, "size=4k,nr_inodes=8")
    code, out, err = finish(start(*TO_START, 2, before=before))
    assert "expected room for a cluster, got 'No space left on device'" in err
    assert (code, out) == (1, "nothing is left\n")


def test_programs_may_be_forbidden_where_clusters_are_kept() -> None:
    before = ("unshare", "--mount", "sh", "-c", WITH_RUN, "noexec")
    script = '"$OMPI_MCA_plm_rsh_agent" -o option node1 "hostname; exit 6"'
    running = start("run", "--hosts", 2, "--rate", "none", "--", "sh", "-c", script, before=before)
    code, out, err = finish(running)
    assert (code, out) == (6, "node1\nnothing is left\n"), err


def test_of_two_who_want_a_name_one_gets_it() -> None:
    ended = [finish(process) for process in [start(*TO_START, 1) for _ in range(2)]]
    assert sorted(code for code, _, _ in ended) == [0, 2]
    assert [cluster.state.name for cluster in registry.clusters()].count(NAME) == 1


def test_nothing_is_seen_outside() -> None:
    interfaces = Path("/proc/net/dev").read_text().count(":")
    mounts = Path("/proc/self/mountinfo").read_text()
    name = Path("/proc/sys/kernel/hostname").read_text()
    up()
    assert Path("/proc/net/dev").read_text().count(":") == interfaces
    assert Path("/proc/self/mountinfo").read_text() == mounts
    assert Path("/proc/sys/kernel/hostname").read_text() == name
