# SPDX-License-Identifier: Apache-2.0
"""`espalier improve`: where the ranks of a program should run, proposed and tried."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from fake_mpi import ratios

from espalier.improvement import placement
from espalier.launch.command import parse_command
from espalier.launch.traffic import Traffic
from espalier.maps import launcher_files

_LAUNCH = ("--", "mpirun", "-n", "4", "solver")
_SLOW = {"FAKE_SECONDS": "0.2", "FAKE_FACTOR": "1", **ratios()}
# Each rank sends to the one after the next: by node that is the other host, in blocks as well.
_APART = {"FAKE_HOSTS": "a a b b"}


@pytest.fixture
def improve(cli, said_seconds, told):  # noqa: ARG001 - it makes the folder, too
    def run(*options, launch=_LAUNCH, **variables):
        told(**{**_SLOW, **_APART, **variables})
        words = ["--time-budget", "15s", "--machine", "2n[latency=9us] x 4c[latency=1us]"]
        return cli("improve", *words, *options, *launch)

    return run


def kinds():
    return Path("count").read_text().split()


class TestProposal:
    def test_a_file_is_written_and_the_command_is_told(self, improve):
        result = improve("--json")
        found = result.document()["placement"]
        assert (found["before"]["total"], found["after"]["total"]) == (4_000_000, 0)
        assert found["helps"]
        assert found["wall"] is None
        assert not found["is_kept"]
        lines = Path("espalier-profile.hosts").read_text().split()
        assert sorted(lines) == ["a", "a", "b", "b"]
        assert lines[0] == lines[2] != lines[1]
        hosts = Path("espalier-profile.hosts").resolve()
        assert found["command"] == f"mpirun -n 4 --hostfile {hosts} --map-by seq solver"
        # The counted run is the only one: nothing is tried unasked.
        assert kinds() == ["native"]

    def test_the_report_has_a_section(self, improve):
        out = improve().out
        assert "Where ranks run" in out
        assert "3.81 MiB go between 2 nodes, and 0 B would in another placement" in out
        assert "--try-placement compares whole runs" in out
        assert "the profile is for ranks as they are placed now" in out

    def test_ranks_that_run_where_they_should_stay(self, improve):
        result = improve(FAKE_HOSTS="a b a b")
        assert "no other placement saves 5 % of it" in result.out
        assert not Path("espalier-profile.hosts").exists()

    def test_one_host_is_no_question(self, improve):
        result = improve("--json", FAKE_HOSTS="a a a a")
        assert result.document()["placement"] is None

    def test_that_ranks_are_no_longer_bound_is_told(self, improve):
        bound = ("--", "mpirun", "-n", "4", "--map-by", "slot:PE=8", "solver")
        document = improve("--json", launch=bound).document()
        assert "--bind-to none" in document["placement"]["command"]
        assert document["warnings"][0]["name"] == "binding"
        assert "'--map-by slot:PE=8' gives each rank several cores" in improve(launch=bound).out

    def test_ranks_on_hosts_that_do_not_see_our_temporary_files_are_counted(
        self, improve, monkeypatch, tmp_path
    ):
        monkeypatch.delenv("TMPDIR", raising=False)
        result = improve("--json", FAKE_SHARED=str(tmp_path))
        assert result.document()["placement"]["helps"]
        assert "all hosts see" not in result.err
        assert not list(tmp_path.glob(".espalier*"))

    def test_a_folder_that_not_all_hosts_see_is_told(self, improve, monkeypatch, tmp_path):
        monkeypatch.setenv("TMPDIR", str(tmp_path))
        result = improve("--json", FAKE_SHARED="/shared")
        assert result.document()["placement"] is None
        assert "expected files of 4 ranks, found 1" in result.err
        assert result.err.count("set TMPDIR to a folder that all hosts see") == 2

    def test_without_traffic_nothing_is_counted(self, improve):
        result = improve("--json", "--no-traffic")
        assert result.document()["placement"] is None
        assert not Path("espalier-profile.hosts").exists()


class TestTrial:
    def test_a_faster_placement_is_kept_and_everything_goes_on_with_it(self, improve):
        result = improve("--json", "--try-placement", FAKE_PLACED_FACTOR="0.5", **_FASTER_CALLS)
        document = result.document()
        found = document["placement"]
        assert found["wall"]["verdict"] == "faster"
        assert found["is_kept"]
        hosts = Path("espalier-profile.hosts").resolve()
        placed = f"--hostfile {hosts} --map-by seq"
        assert placed in document["command"]
        assert placed in document["use"]
        # Counted, one placed run alone, six pairs, counted again; then the comparison.
        assert kinds()[:15] == ["native", *["plain"] * 13, "native"]

    def test_a_placement_that_is_not_faster_is_not_kept(self, improve):
        result = improve("--try-placement", FAKE_PLACED_FACTOR="1.4")
        assert "so ranks stay where they are" in result.out
        assert kinds() == ["native", *["plain"] * 13]

    def test_a_file_that_the_launcher_refuses_is_told(self, improve):
        result = improve("--json", "--try-placement", FAKE_FAILS_IN="placed")
        found = result.document()["placement"]
        assert "no such host" in found["failure"]
        assert not found["is_kept"]

    def test_it_needs_the_traffic(self, improve):
        result = improve("--try-placement", "--no-traffic")
        assert result.code == 2
        assert "expected --traffic with --try-placement" in result.err
        assert not Path("count").exists()


_FASTER_CALLS = {**ratios(bcast_flat=1.6), "FAKE_FACTOR": "0.3"}


class TestCommand:
    @pytest.fixture
    def launched(self, fake):
        def parse(*words):
            return parse_command(
                [str(fake.mpirun if words[0] == "mpirun" else fake.mpiexec), *words[1:]]
            )

        return parse

    @pytest.mark.parametrize(
        ("options", "kept"),
        [
            ("--map-by node --bind-to core", "--bind-to core"),
            ("--host a:2,b:2 --oversubscribe", "--oversubscribe"),
            ("-hostfile h -N 2", ""),
            ("--mca btl tcp,self --rankfile r", "--mca btl tcp,self"),
            ("--map-by ppr:2:node:PE=1 --bind-to core", "--bind-to core"),
        ],
    )
    def test_options_that_place_ranks_are_replaced(self, launched, options, kept):
        command = launched("mpirun", "-n", "4", *options.split(), "solver", "--map-by")
        launch = launcher_files.LaunchFile("openmpi", "", [], {}, binds=False, cautions=[])
        placed = placement.placed(command, launch, Path("/x/hosts"))
        words = ["-n", "4", *kept.split(), "--hostfile", "/x/hosts", "--map-by", "seq"]
        assert placed.words()[1:] == [*words, "solver", "--map-by"]

    @pytest.mark.parametrize(
        "options",
        [
            "--map-by ppr:4:node:PE=8 --bind-to core",
            "--bind-to socket --map-by slot:pe=2",
            "--map-by=slot:PE=2,OVERSUBSCRIBE",
            "--cpus-per-proc 8 -bind-to-core",
        ],
    )
    def test_ranks_that_had_several_cores_are_not_bound_to_one(self, launched, options):
        command = launched("mpirun", "-n", "4", *options.split(), "solver")
        launch = launcher_files.LaunchFile("openmpi", "", [], {}, binds=False, cautions=[])
        placed = placement.placed(command, launch, Path("/x/hosts"))
        words = ["-n", "4", "--bind-to", "none", "--hostfile", "/x/hosts", "--map-by", "seq"]
        assert placed.words()[1:] == [*words, "solver"]

    @pytest.mark.parametrize("options", ["-hosts a,b -ppn 2", "-f h -perhost 2", "-grr 2", "-rr"])
    def test_mpich_takes_a_machine_file(self, launched, options):
        command = launched("mpiexec", "-n", "4", *options.split(), "solver")
        launch = launcher_files.LaunchFile("mpich", "", [], {}, binds=False, cautions=[])
        placed = placement.placed(command, launch, Path("/x/hosts"))
        assert placed.words()[1:] == ["-n", "4", "-machinefile", "/x/hosts", "solver"]

    def test_the_proposal_for_mpich_is_its_own_file(self, launched, tmp_path):
        sent = {(rank, (rank + 2) % 4): 10 for rank in range(4)}
        counted = Traffic("t", ("a", "a", "b", "b"), sent, 4)
        command = launched("mpiexec", "-n", "4", "solver")
        found = placement.propose(counted, command, tmp_path / "p.json")
        assert found is not None
        assert found.file == tmp_path / "p.hosts"
        assert {line.split(":")[0] for line in found.file.read_text().split()} == {"a", "b"}
        assert dataclasses.replace(found, failure="x").to_json()["failure"] == "x"

    def test_what_is_doubtful_about_the_file_is_kept(self, launched, tmp_path):
        # Pairs of ranks of either host belong together, and Hydra tears what is not in one line.
        sent = {(rank, (rank + 2) % 4): 10 for rank in range(4)}
        counted = Traffic("t", ("a", "a", "b", "b"), sent, 4)
        found = placement.propose(counted, launched("mpiexec", "-n", "4", "solver"), tmp_path / "p")
        assert found is not None
        assert [caution.name for caution in found.cautions] == ["torn_nodes"]
