# SPDX-License-Identifier: Apache-2.0
"""`espalier run`: the program with Espalier under it, and otherwise as if it were alone."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from places import repository

from espalier import installation
from espalier.io import documents

_LAUNCH = ("--", "mpirun", "-n", "3", "solver")


@pytest.mark.usefixtures("fake")
class TestProgram:
    def test_it_runs_with_the_library_and_the_profile(self, cli, profile_file):
        result = cli("run", "--profile", profile_file, *_LAUNCH)
        assert result.code == 0
        assert Path("count").read_text() == "ours\n"

    @pytest.mark.parametrize("code", [1, 3, 134])
    def test_its_exit_code_is_ours(self, cli, monkeypatch, profile_file, code):
        monkeypatch.setenv("FAKE_FAILS_IN", "all")
        monkeypatch.setenv("FAKE_EXIT_CODE", str(code))
        result = cli("run", "--profile", profile_file, *_LAUNCH)
        assert result.code == code
        assert "something went wrong" in result.err
        assert f"expected exit code 0 from 'solver', got {code}" in result.err
        assert "ESPALIER_OFF=1" in result.err

    def test_a_program_that_is_not_there(self, cli, profile_file):
        result = cli("run", "--profile", profile_file, "--", "mpirun", "-n", "3", "./nothing")
        assert result.code == 132
        assert "expected a program, found nothing executable at './nothing'" in result.err

    def test_a_launcher_that_fails(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_LAUNCHER_FAILS", "1")
        assert cli("run", "--profile", profile_file, *_LAUNCH).code == 17

    def test_a_crash_of_the_launcher_is_not_the_programs(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_LAUNCHER_CRASHES", "1")
        monkeypatch.setenv("FAKE_FAILS_IN", "all")
        result = cli("run", "--profile", profile_file, *_LAUNCH)
        assert result.code == 139
        assert "something went wrong" in result.err
        last = result.err.splitlines()[-1]
        assert "from 'solver', its launcher was itself ended by SIGSEGV; ESPALIER_OFF=1" in last

    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (["./solver"], "expected a command with an MPI launcher"),
            (["mpirun", "-n", "3"], "expected a program behind the launcher options"),
            (["mpiexec", "-n", "3", "solver"], "expected libespalier-mpich.so, found none"),
        ],
    )
    def test_what_cannot_be_run_is_one_line(self, cli, words, text):
        result = cli("run", "--", *words)
        assert result.code in {1, 2}
        assert text in result.err.splitlines()[-1]

    def test_a_wrong_force_is_told_before_anything_runs(self, cli):
        result = cli("run", "--force", "allgather=nope", *_LAUNCH)
        assert result.code == 2
        assert not Path("count").exists()

    def test_a_comma_separates_nothing(self, cli):
        result = cli("run", "--force", "allgather=ring,bcast=binomial[segments=4]", *_LAUNCH)
        assert result.code == 2
        assert "separate several by ';'" in result.err
        assert cli("run", "--force", "bcast=k_nomial[k=4,segments=4]", *_LAUNCH).code == 0

    @pytest.mark.parametrize("text", ["not json", '{"schema": "espalier-profile", "version": 9}'])
    def test_a_profile_that_cannot_be_used_is_one_warning(self, cli, tmp_path, text):
        path = tmp_path / "broken.json"
        path.write_text(text)
        result = cli("run", "--profile", path, *_LAUNCH)
        assert result.code == 0
        assert result.err.count("warning:") == 1
        assert "runs without a profile" in result.err

    def test_without_a_profile_it_says_so(self, cli):
        result = cli("run", "--no-learn", *_LAUNCH)
        assert result.code == 0
        assert "nothing changes" in result.err
        assert "note" not in cli("run", *_LAUNCH).err, "it learns"
        mapped = cli("run", "--no-learn", "--mapping", *_LAUNCH)
        assert "only topologies with reorder = 1 are mapped" in mapped.err

    def test_what_the_environment_forces_is_something(self, cli, monkeypatch):
        monkeypatch.setenv("ESPALIER_FORCE", "bcast=flat")
        assert "note" not in cli("run", "--no-learn", *_LAUNCH).err

    def test_mapping_is_told_of_the_machine_or_left_out(self, cli):
        words = ["run", "--summary", "--machine", "3n x 1c"]
        mapped = cli(*words, "--mapping", *_LAUNCH)
        line = "2 x MPI_Cart_create 3x1 on 3n x 1c: inter-node neighbours 4 -> 2"
        assert line in mapped.err
        assert "MPI_Cart_create" not in cli(*words, *_LAUNCH).err


@pytest.mark.usefixtures("fake")
class TestStatistics:
    def test_they_are_kept_without_those_of_earlier_runs(self, cli, tmp_path, profile_file):
        folder = tmp_path / "statistics"
        folder.mkdir()
        (folder / "rank-7.json").write_text("old")
        (folder / "other.txt").write_text("mine")
        result = cli("run", "--profile", profile_file, "--statistics", folder, *_LAUNCH)
        assert result.code == 0
        names = sorted(path.name for path in folder.iterdir())
        assert names == ["other.txt", "rank-0.json", "rank-1.json", "rank-2.json"]

    def test_a_summary_follows_on_standard_error(self, cli, profile_file):
        result = cli("run", "--profile", profile_file, "--summary", *_LAUNCH)
        assert result.out == ""
        assert "espalier: 3 ranks" in result.err
        assert "MPI_Bcast of about 600 B on 3 ranks: 100 calls" in result.err
        assert "bcast/binomial (profile rule 0: faster)" in result.err

    def test_ranks_on_hosts_that_do_not_see_our_temporary_files_are_counted(
        self, cli, told, monkeypatch, profile_file, tmp_path
    ):
        monkeypatch.delenv("TMPDIR", raising=False)
        told(FAKE_SHARED=str(tmp_path))
        result = cli("run", "--profile", profile_file, "--summary", *_LAUNCH)
        assert "found" not in result.err
        assert not list(tmp_path.glob(".espalier*"))

    def test_a_folder_that_not_all_hosts_see_is_told(self, cli, told, profile_file, tmp_path):
        told(FAKE_SHARED="/shared", TMPDIR=str(tmp_path))
        result = cli("run", "--profile", profile_file, "--summary", *_LAUNCH)
        assert "expected files of 3 ranks, found 1" in result.err
        assert "set TMPDIR to a folder that all hosts see" in result.err

    def test_the_summary_as_json(self, cli, profile_file):
        result = cli("run", "--profile", profile_file, "--json", *_LAUNCH)
        text = result.err[result.err.index("{") :]
        documents.parse(text, "summary", "espalier-run-explanation", 1)

    def test_a_program_without_mpi_is_told(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_NO_STATISTICS", "1")
        result = cli("run", "--profile", profile_file, "--summary", *_LAUNCH)
        assert result.code == 0
        assert "its ranks left no statistics" in result.err
        words = ["--", "mpirun", "-n", "2", "/bin/true"]
        result = cli("run", "--profile", profile_file, "--summary", *words)
        assert "is not linked with a shared library of Open MPI or MPICH" in result.err

    def test_a_folder_that_cannot_be_made(self, cli, profile_file):
        result = cli("run", "--profile", profile_file, "--statistics", "/proc/x", *_LAUNCH)
        assert result.code == 1
        assert "/proc/x: expected a folder for statistics" in result.err
        assert not Path("count").exists()


def start(fake, *arguments, **variables):
    environment = {**os.environ, **fake.environment(), **variables}
    return subprocess.Popen(
        [sys.executable, "-m", "espalier", "run", *arguments],
        env={**environment, "PYTHONPATH": str(repository / "python")},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_input_and_output_are_the_programs(fake):
    process = start(fake, *_LAUNCH)
    out, _ = process.communicate("two\nlines\n", timeout=30)
    assert out == "two\nlines\n"
    assert process.returncode == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_the_program_too(fake, number, code):
    process = start(fake, *_LAUNCH, FAKE_SECONDS="1000")
    deadline = time.monotonic() + 20
    while not Path("count").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    process.communicate(timeout=20)
    assert process.returncode == code
    left = subprocess.run(
        ["/usr/bin/pgrep", "-f", str(fake.program)], capture_output=True, text=True, check=False
    )
    assert left.stdout == ""


_HPCC = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")


@pytest.mark.mpi
@pytest.mark.skipif(
    not (
        shutil.which("hpcc")
        and shutil.which("mpirun.openmpi")
        and installation.shim_library("openmpi")
    ),
    reason="hpcc, Open MPI or the library for it is missing",
)
def test_a_program_nobody_here_wrote(process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = _HPCC.read_text().splitlines()
    lines = [line if not line.rstrip().endswith("Ns") else "200 Ns" for line in lines]
    Path("hpccinf.txt").write_text("\n".join(lines) + "\n")
    folder = tmp_path / "statistics"
    words = ["--", "mpirun.openmpi", "-n", "4", "--oversubscribe", "hpcc"]
    force = ["--force", "bcast=binomial", "--force", "allgather=bruck"]
    result = process("run", "--no-learn", *force, "--statistics", folder, *words)
    assert result.code == 0, result.err
    assert "Success=1" in Path("hpccoutf.txt").read_text()
    ranks = [json.loads((folder / f"rank-{rank}.json").read_text()) for rank in range(4)]
    calls = [call for call in ranks[0]["calls"] if call["function"] == "MPI_Bcast"]
    assert sum(call["count"] for call in calls) > 300
    assert {call["algorithm"] for call in calls} <= {"bcast/binomial", "native"}
    assert any(call["algorithm"] == "bcast/binomial" for call in calls)
