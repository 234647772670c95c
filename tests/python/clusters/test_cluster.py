# SPDX-License-Identifier: Apache-2.0
"""`espalier cluster`: what up, run, status and down do and say."""

from __future__ import annotations

import os
import re
import shutil
import statistics
import sys
from typing import TYPE_CHECKING, Any

import pytest
from cluster_traces import traces, wait_until
from places import repository

from espalier import installation
from espalier.clusters import leftovers, permission, registry
from espalier.errors import EnvironmentFault
from espalier.io import documents
from espalier.store.database import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

OBSTACLE = permission.obstacle()
EXAMPLE = repository / "examples" / "04_emulated_cluster"
ESPALIER = [sys.executable, "-m", "espalier"]

needs_cluster = pytest.mark.skipif(bool(OBSTACLE), reason=OBSTACLE)


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A place without clusters, in which none is left behind."""
    before = traces()
    monkeypatch.setattr(leftovers, "parent", tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(repository / "python"))
    yield
    for cluster in registry.clusters():
        cluster.end()
    assert not list(tmp_path.glob("espalier-cluster-*"))
    assert wait_until(lambda: traces() <= before), traces() - before


@pytest.fixture
def up(alone: None, cli: Callable) -> Callable:  # noqa: ARG001 - its place
    """Start a cluster, by default of two hosts of two ranks; return its description."""

    def start(*options: object) -> dict[str, Any]:
        result = cli("cluster", "up", "--hosts", 2, "--ranks-per-host", 2, *options, "--json")
        assert result.code == 0, result.err
        return dict(result.document()["clusters"][0])

    return start


def run_document(text: str) -> dict[str, Any]:
    """Return the document that `run --json` wrote behind what else went to standard error."""
    return documents.parse(text[text.index('{\n  "schema"') :], "run", "espalier-cluster-run", 1)


def program(vendor: str, name: str) -> str:
    """Return a program of the build; skip the test if it, or its launcher, is missing."""
    folder = installation.build_folder()
    path = None if folder is None else folder / "bin" / f"{name}_{vendor}"
    if path is None or not path.is_file() or shutil.which(f"mpirun.{vendor}") is None:
        pytest.skip(f"{name}_{vendor} is not built or {vendor} is not installed")
    return str(path)


@needs_cluster
def test_a_cluster_stays_until_it_is_ended(up: Callable, cli: Callable) -> None:
    started = up()
    assert started["status"] == "running"
    assert started["is_kept"]
    assert started["until"] is None
    assert [host["name"] for host in started["hosts"]] == ["node0", "node1"]
    assert (started["name"], started["rate"], started["ranks_per_host"]) == (
        "default",
        "100mbit",
        2,
    )
    (found,) = cli("cluster", "status", "--json").document()["clusters"]
    assert found["holder"] == started["holder"]
    (ended,) = cli("cluster", "down", "--json").document()["clusters"]
    assert ended["holder"] == started["holder"]
    assert cli("cluster", "status", "--json").document()["clusters"] == []


@needs_cluster
def test_the_time_of_a_cluster_is_kept_to_the_second(up: Callable) -> None:
    up("--for", "12345678s")
    (cluster,) = registry.clusters()
    assert float((cluster.folder / "kept").read_text()) == 12345678


@needs_cluster
def test_a_cluster_lasts_a_year_at_most(alone: None, cli: Callable) -> None:  # noqa: ARG001
    result = cli("cluster", "up", "--hosts", 1, "--for", "100000000h")
    assert result.code == 2
    assert "expected --for of at most a year (8760h), got '100000000h'" in result.err
    assert registry.clusters() == []


@needs_cluster
def test_times_beyond_all_dates_can_be_shown(up: Callable, cli: Callable) -> None:
    up()
    (cluster,) = registry.clusters()
    (cluster.folder / "kept").write_text("3.6e+11")
    (found,) = cli("cluster", "status", "--json").document()["clusters"]
    assert found["until"] == "9999-12-31T23:59:59Z"


@needs_cluster
def test_a_cluster_that_cannot_be_described_ends(
    up: Callable, cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    def describe(_: object) -> dict[str, Any]:
        raise EnvironmentFault("expected a description, got none")

    up()
    monkeypatch.setattr("espalier.cli.cluster.describe", describe)
    assert cli("cluster", "down").code == 1
    assert registry.clusters() == []


@needs_cluster
def test_what_is_said_names_the_next_command(alone: None, cli: Callable) -> None:  # noqa: ARG001
    assert "espalier cluster up --hosts 4" in cli("cluster", "status").out
    options = ("--hosts", 1, "--ranks-per-host", 3, "--rate", "none", "--name", "slow", "--for")
    started = cli("cluster", "up", *options, "1h").out
    assert "cluster 'slow' is up: 1 host (node0), 3 ranks each, links without limit" in started
    assert "espalier cluster run --name slow -- mpirun -n 3 ./program" in started
    assert re.search(r"espalier cluster down --name slow   \(by itself at 2.*Z\)", started)
    shown = cli("cluster", "status").out
    assert "cluster 'slow' (running): 1 host" in shown
    assert re.search(r"since 2.*Z, until 2.*Z; held by process \d+", shown)
    assert "node0   10.77.0.1" in shown
    assert "ended cluster 'slow'" in cli("cluster", "down").out


@needs_cluster
def test_down_ends_what_runs_and_says_so(up: Callable, cli: Callable) -> None:
    up()
    done = cli("cluster", "run", "--host", "node1", "--", "sh", "-c", "sleep 997 &")
    assert done.code == 0
    (found,) = cli("cluster", "status", "--json").document()["clusters"]
    (process,) = found["processes"]
    assert (process["host"], process["command"]) == ("node1", "sleep 997")
    assert re.search(r"^node1 .* sleep *$", cli("cluster", "status").out, re.MULTILINE)
    ended = cli("cluster", "down")
    assert f"ended process {process['pid']} on node1: sleep 997" in ended.out
    assert not leftovers.start_time(process["pid"])


@needs_cluster
def test_ending_twice_is_no_error(alone: None, cli: Callable) -> None:  # noqa: ARG001
    for options in ((), ("--all",), ("--name", "x")):
        result = cli("cluster", "down", *options)
        assert (result.code, result.out) == (0, "no such cluster is up, nothing to end\n")


@needs_cluster
def test_commands_have_our_input_output_and_code(
    up: Callable, cli: Callable, tmp_path: Path
) -> None:
    up()
    script = "pwd; hostname; echo problem >&2; exit 7"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        done = cli("cluster", "run", "--host", "node1", "--", "sh", "-c", script)
    assert (done.code, done.out) == (7, f"{tmp_path}\nnode1\n")
    first, summary = done.err.splitlines()
    assert first == "problem"
    assert summary.startswith("espalier: nothing was sent between hosts in")
    assert cli("cluster", "run", "--", "no-such-program").code == 127


@needs_cluster
def test_bytes_between_hosts_are_counted(up: Callable, cli: Callable) -> None:
    up("--rate", "none")
    server = (
        "import socket\n"
        "connection, _ = socket.create_server(('node0', 5000)).accept()\n"
        "while connection.recv(65536): pass\n"
    )
    client = (
        "import socket, time\n"
        "while True:\n"
        "  try: s = socket.create_connection(('node0', 5000)); break\n"
        "  except OSError: time.sleep(0.01)\n"
        "s.sendall(bytes(1_000_000))\n"
    )
    assert cli("cluster", "run", "--", "sh", "-c", 'python3 -c "$0" &', server).code == 0
    done = cli("cluster", "run", "--host", "node1", "--json", "--", "python3", "-c", client)
    found = run_document(done.err)
    assert found["exit_code"] == 0
    assert found["hosts"][1]["sent_bytes"] == pytest.approx(1.02e6, rel=0.02)
    assert found["sent_bytes"] == sum(host["sent_bytes"] for host in found["hosts"])


@needs_cluster
def test_a_cluster_for_one_command_ends_with_it(alone: None, cli: Callable) -> None:  # noqa: ARG001
    done = cli("cluster", "run", "--hosts", 3, "--", "cat", "/etc/hosts")
    assert done.out.splitlines()[1:] == [f"10.77.0.{i + 1} node{i}" for i in range(3)]
    assert registry.clusters() == []


@needs_cluster
def test_clusters_cannot_be_nested(up: Callable, cli: Callable) -> None:
    up()
    for verb in ("up", "status", "down"):
        done = cli("cluster", "run", "--", *ESPALIER, "cluster", verb)
        assert done.code == 2
        assert "expected to be outside of emulated clusters, got cluster 'default'" in done.err


@needs_cluster
def test_two_clusters_are_apart(up: Callable, cli: Callable) -> None:
    one, other = up("--name", "one"), up("--name", "other")
    assert one["holder"] != other["holder"]
    done = cli("cluster", "down")
    assert done.code == 2
    assert "expected one cluster, got several without --name; up are one, other" in done.err
    assert cli("cluster", "run", "--", "true").code == 2
    assert cli("cluster", "run", "--name", "other", "--", "sh", "-c", "sleep 998 &").code == 0
    cli("cluster", "down", "--name", "one")
    (left,) = cli("cluster", "status", "--json").document()["clusters"]
    assert left["name"] == "other"
    assert [process["command"] for process in left["processes"]] == ["sleep 998"]
    up("--name", "third")
    ended = cli("cluster", "down", "--all", "--json").document()["clusters"]
    assert [found["name"] for found in ended] == ["other", "third"]


@needs_cluster
def test_a_name_is_given_once(up: Callable, cli: Callable) -> None:
    up("--name", "mine")
    again = cli("cluster", "up", "--name", "mine")
    assert again.code == 2
    assert "expected a name that is free, got 'mine' of 2 hosts up since" in again.err
    assert "espalier cluster down --name mine" in again.err
    assert len(cli("cluster", "status", "--json").document()["clusters"]) == 1


@needs_cluster
def test_nonsense_is_refused(up: Callable, cli: Callable) -> None:
    missing = cli("cluster", "run", "--", "true")
    assert missing.code == 2
    assert "expected a cluster that is up, found none" in missing.err
    up()
    for options, text in {
        ("up", "--name", "no name"): "expected a name of up to 32 letters",
        ("up", "--rate", "fast"): "expected a rate such as 100mbit or 1gbit, got 'fast'",
        ("up", "--rate", "0mbit"): "expected a rate of 8bit to 1000tbit, got '0mbit'",
        ("up", "--rate", "1bit"): "expected a rate of 8bit to 1000tbit, got '1bit'",
        ("up", "--rate", "2000TiBps"): "expected a rate of 8bit to 1000tbit, got '2000TiBps'",
        ("up", "--for", "never"): "expected a time such as 60s",
        ("down", "--name", "a", "--all"): "expected --name or --all",
        ("run", "--host", "node2", "--", "true"): "expected a host of node0 .. node1, got 'node2'",
        ("run", "--placement", "odd", "--", "true"): "block or cyclic, got 'odd'",
        ("run", "--mpi", "other", "--", "true"): "openmpi or mpich, got 'other'",
        ("run", "--name", "x", "--", "true"): "expected a cluster 'x' that is up",
        ("run", "--name", "x", "--hosts", "2", "--", "true"): "expected --name or --hosts",
        ("run", "--rate", "1gbit", "--", "true"): "expected --hosts with --rate 1gbit",
        ("run", "--ranks-per-host", "2", "--", "true"): "expected --hosts with --ranks-per-host 2",
    }.items():
        result = cli("cluster", *options)
        assert result.code == 2, options
        assert text in result.err


@needs_cluster
@pytest.mark.parametrize("rate", ["8bit", "1Mbps", "0.5kibit", "1000tbit"])
def test_all_other_rates_are_possible(up: Callable, rate: str) -> None:
    assert up("--rate", rate)["rate"] == rate


@needs_cluster
def test_commands_need_a_folder_that_hosts_have(
    up: Callable, cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    up()
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    result = cli("cluster", "run", "--", "true")
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert "expected a working folder, got one that was removed" in result.err
    memory = "/dev/shm"  # noqa: S108 - nothing is written there
    monkeypatch.chdir(memory)
    result = cli("cluster", "run", "--", "true")
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert f"expected a working folder outside of {memory}, got {memory}" in result.err


@needs_cluster
@pytest.mark.mpi
@pytest.mark.parametrize("vendor", ["openmpi", "mpich"])
def test_the_users_own_launcher_finds_the_hosts(up: Callable, cli: Callable, vendor: str) -> None:
    built = program(vendor, "hosts")
    up()
    for placement, hosts in {"block": "0 0 1 1", "cyclic": "0 1 0 1"}.items():
        options = ("--mpi", vendor, "--placement", placement, "--json")
        done = cli("cluster", "run", *options, "--", "mpirun", "-n", 4, built, 1_000_000)
        assert done.code == 0, done.err
        assert done.out.split()[3::4] == [f"node{host}" for host in hosts.split()]
        if placement == "block":
            assert done.out == (EXAMPLE / "expected.txt").read_text()
        sent = run_document(done.err)["hosts"][0]["sent_bytes"]
        assert 1_000_000 <= sent <= 2_500_000


@needs_cluster
@pytest.mark.mpi
def test_our_own_verbs_see_the_hosts(up: Callable, cli: Callable, tmp_path: Path) -> None:
    program("openmpi", "hosts")
    up()
    machine = tmp_path / "machine.json"
    words = ("probe", "-o", machine, "--time-budget", "3s", "--matrix-only", "--json", "--")
    done = cli("cluster", "run", "--mpi", "openmpi", "--", *ESPALIER, *words, "mpirun", "-n", 4)
    assert done.code == 0, done.err
    found = documents.parse(done.out, "probe", "espalier-probe", 1)
    assert [rank["node"] for rank in found["ranks"]] == [0, 0, 1, 1]


@needs_cluster
@pytest.mark.mpi
def test_tuning_tries_what_fits_the_hosts(up: Callable, cli: Callable, tmp_path: Path) -> None:
    program("openmpi", "hosts")
    up()
    store = tmp_path / "store.db"
    words = ("tune", "--collective", "bcast", "--sizes", "256KiB", "--algorithms", "bcast/chain")
    words += ("--time-budget", "6s", "--store", store, "-o", tmp_path / "profile.json")
    options = ("--mpi", "openmpi", "--placement", "cyclic", "--")
    done = cli("cluster", "run", *options, *ESPALIER, *words, "--", "mpirun", "-n", 4)
    assert done.code == 0, done.err
    with Store(store) as kept:
        (point,) = kept.points(1, "screening")
    times = {name: statistics.median(samples) for name, samples in point.samples_us.items()}
    # Once between the hosts instead of three times, 21 ms each.
    assert times["bcast/chain[dealt=2]"] < times["bcast/chain"] - 20_000


def test_users_without_rights_are_told_in_a_line(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    for verb in (("up",), ("run", "--", "true"), ("status",), ("down",)):
        result = cli("cluster", *verb)
        assert (result.code, result.out) == (2, "")
        (line,) = result.err.splitlines()
        assert line.startswith("espalier: expected to be root, which creating network namespaces")


@pytest.mark.skipif(os.geteuid() != 0, reason="expected to be root")
def test_a_host_that_lacks_something_is_told_what(
    alone: None,  # noqa: ARG001 - its place
    cli: Callable,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    def lack(name: str, script: str) -> str:
        folder = tmp_path / name
        folder.mkdir()
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)
        monkeypatch.setattr(permission, "SEARCH_PATH", f"{folder}:{os.environ['PATH']}:/usr/sbin")
        result = cli("cluster", "up")
        assert result.code == 2
        (line,) = result.err.splitlines()
        return line

    refused = lack("unshare", "echo 'unshare failed: Operation not permitted' >&2; exit 1")
    assert "expected to be allowed to create namespaces, got: unshare failed" in refused
    refused = lack("ip", "echo 'Unknown device type.' >&2; exit 2")
    assert "expected a kernel with virtual networks (veth, bridge), got: Unknown" in refused
    refused = lack("tc", "echo 'Error: Specified qdisc kind is unknown.' >&2; exit 2")
    assert "expected a kernel that limits rates (sch_tbf), got: Error: Specified" in refused
    monkeypatch.setattr(permission, "SEARCH_PATH", str(tmp_path / "tc"))
    (line,) = cli("cluster", "up").err.splitlines()
    assert "expected the programs ip unshare nsenter" in line
    assert "(Debian: iproute2" in line


@needs_cluster
def test_a_host_without_limits_of_rates_can_do_without(
    alone: None,  # noqa: ARG001 - its place
    cli: Callable,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "tc").write_text("#!/bin/sh\nexit 2\n")
    (folder / "tc").chmod(0o755)
    monkeypatch.setattr(permission, "SEARCH_PATH", f"{folder}:{permission.SEARCH_PATH}")
    assert cli("cluster", "run", "--hosts", 1, "--", "true").code == 2
    assert cli("cluster", "run", "--hosts", 1, "--rate", "none", "--", "true").code == 0


@needs_cluster
def test_sharing_processors_with_others_is_warned_of(
    alone: None,  # noqa: ARG001 - its place
    cli: Callable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(leftovers, "_CPU_GROUPS", {})
    started = cli("cluster", "up", "--hosts", 1)
    assert "warning: expected to be allowed to make a control group" in started.err
    assert "other programs of this machine change its times" in cli("cluster", "status").out
    assert cli("cluster", "run", "--", "hostname").out == "node0\n"
