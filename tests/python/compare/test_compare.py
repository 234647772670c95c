# SPDX-License-Identifier: Apache-2.0
"""`espalier compare`: the design of the experiment, its analysis, and whole comparisons."""

from __future__ import annotations

import errno
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from places import repository

from espalier import installation
from espalier.cli import groups
from espalier.compare import analysis
from espalier.compare.experiment import (
    ESPALIER,
    KINDS,
    NATIVE,
    PLAIN,
    Results,
    Run,
    Runner,
    check_environment,
    orders,
)
from espalier.io import documents

_LAUNCH = ("--", "mpirun", "-n", "3", "solver")


class TestDesign:
    def test_every_block_has_one_run_of_each_kind(self):
        assert all(sorted(order) == sorted(KINDS) for order in orders(9, 1))

    def test_every_second_block_is_the_mirror_image(self):
        found = list(orders(8, 3))
        assert all(found[i + 1] == found[i][::-1] for i in range(0, 8, 2))

    def test_a_drift_favours_nobody(self):
        """Each kind has the same mean position over every pair of blocks."""
        found = list(orders(10, 4))
        for i in range(0, 10, 2):
            positions = [found[i].index(kind) + found[i + 1].index(kind) for kind in KINDS]
            assert positions == [2, 2, 2]

    def test_orders_vary_between_seeds_only(self):
        assert list(orders(6, 1)) == list(orders(6, 1))
        assert len({tuple(orders(6, seed)) for seed in range(20)}) > 10


def call(seconds, *, count=100, algorithm="native", num_bytes=1024, ranks=4, num_nodes=0):
    part = {"num_nodes": num_nodes, "ranks": "", "count": count, "bytes": 0}
    return {
        "function": "MPI_Bcast",
        "num_ranks": 4,
        "min_bytes": num_bytes,
        "max_bytes": 2 * num_bytes - 1,
        "algorithm": algorithm,
        "reason": f"because of {algorithm}",
        "native": algorithm == "native",
        "reporting_ranks": ranks,
        "count": count * ranks,
        "bytes": count * ranks * num_bytes,
        "seconds": seconds * ranks,
        "communicators": [{**part, "seconds": seconds * ranks}],
    }


def statistics(seconds, *calls):
    return {
        "mpi": {"vendor": "openmpi", "version": "x"},
        "num_ranks": 4,
        "num_files": 4,
        "seconds": seconds,
        "calls": list(calls),
        "warnings": [],
    }


def blocks(count, *, plain=2.0, native=2.0, ours=1.8, noise=0.01, seed=1):
    generator = random.Random(seed)  # noqa: S311

    def noisy(seconds):
        return seconds * generator.lognormvariate(0, noise)

    results = Results()
    for block in range(count):
        results.runs.append(Run(PLAIN, block, noisy(plain)))
        before, after = noisy(native), noisy(ours)
        slow, fast = call(0.5 * before), call(0.4 * after, algorithm="bcast/binomial")
        results.runs.append(Run(NATIVE, block, before, statistics(0.9 * before, slow)))
        results.runs.append(Run(ESPALIER, block, after, statistics(0.9 * after, fast)))
    return results.blocks()


class TestAnalysis:
    def test_a_faster_program_is_called_faster(self):
        compared = analysis.wall_time(blocks(8), 0.95)
        assert compared.verdict == analysis.FASTER
        assert compared.ratio.contains(2.0 / 1.8)

    def test_a_slower_program_is_called_slower(self):
        assert analysis.wall_time(blocks(8, ours=2.2), 0.95).verdict == analysis.SLOWER

    def test_no_difference_is_a_verdict(self):
        compared = analysis.wall_time(blocks(8, ours=2.0, noise=0.05), 0.95)
        assert compared.verdict == analysis.UNDECIDED

    def test_no_difference_is_seldom_called_one(self):
        verdicts = Counter(
            analysis.wall_time(blocks(7, ours=2.0, noise=0.05, seed=seed), 0.95).verdict
            for seed in range(400)
        )
        assert verdicts[analysis.UNDECIDED] > 0.925 * 400

    def test_few_repetitions_decide_nothing(self):
        assert analysis.wall_time(blocks(5, ours=1.0), 0.95).verdict == analysis.TOO_FEW

    def test_program_time_compares_the_preloaded_kinds(self):
        compared = analysis.program_time(blocks(8, plain=100.0), 0.95)
        assert compared.before.contains(0.9 * 2.0)
        assert compared.ratio.contains(2.0 / 1.8)

    def test_collectives_are_compared_class_by_class(self):
        (row,) = analysis.collectives(blocks(8), 0.95)
        assert (row["function"], row["calls"], row["bytes"]) == ("MPI_Bcast", 100, 102400)
        assert row["native_seconds"] == pytest.approx(1.0, rel=0.05)
        assert row["comparison"]["verdict"] == analysis.FASTER
        assert row["comparison"]["ratio"]["value"] == pytest.approx(1.0 / 0.72, rel=0.05)
        assert row["chosen"] == [
            {"algorithm": "bcast/binomial", "reason": "because of bcast/binomial", "native": False}
        ]

    def test_communicators_of_as_many_ranks_are_compared_by_their_nodes(self):
        results = Results()
        for block in range(6):
            slow = call(0.2, algorithm="bcast/flat", num_nodes=1)
            slow["communicators"] += call(0.1, num_nodes=4)["communicators"]
            slow["seconds"] = 1.2
            results.runs.append(Run(PLAIN, block, 1.0))
            native = [call(0.1, num_nodes=1), call(0.3, num_nodes=4)]
            results.runs.append(Run(NATIVE, block, 1.0, statistics(1.0, *native)))
            results.runs.append(Run(ESPALIER, block, 1.0, statistics(1.0, slow)))
        (row,) = analysis.collectives(results.blocks(), 0.95)
        assert row["comparison"]["ratio"]["value"] == pytest.approx(0.4 / 0.3)
        verdicts = {one["num_nodes"]: one["comparison"]["verdict"] for one in row["nodes"]}
        assert verdicts == {1: "slower", 4: "faster"}

    def test_a_number_of_nodes_that_is_not_known_is_not_told(self):
        (row,) = analysis.collectives(blocks(8), 0.95)
        assert row["nodes"] == []

    def test_two_algorithms_in_one_class_are_both_named(self):
        (block,) = blocks(1)
        block[ESPALIER].statistics["calls"].append(call(0.1, count=5))
        (row,) = analysis.collectives([block], 0.95)
        assert row["calls"] == 105
        assert [one["algorithm"] for one in row["chosen"]] == ["bcast/binomial", "native"]

    def test_the_same_call_in_both_is_no_gain(self):
        found = blocks(8)
        for block in found:
            block[ESPALIER].statistics["calls"] = [call(0.4)]
        (row,) = analysis.collectives(found, 0.95)
        assert row["comparison"]["verdict"] == analysis.SAME

    def test_the_costliest_class_comes_first(self):
        (block,) = blocks(1)
        for kind in (NATIVE, ESPALIER):
            block[kind].statistics["calls"].append(call(9.0, num_bytes=64))
        rows = analysis.collectives([block], 0.95)
        assert [row["min_bytes"] for row in rows] == [64, 1024]

    def test_the_share_of_served_calls_bounds_what_can_be_gained(self):
        assert analysis.served_share(blocks(8)) == pytest.approx(0.5 / 0.9, rel=0.01)

    def test_calls_that_threads_make_at_once_are_at_most_the_whole(self):
        found = blocks(2)
        for block in found:
            block[NATIVE].statistics["calls"].append(call(9.0, num_bytes=64))
        assert analysis.served_share(found) == 1.0

    def test_an_unfinished_block_does_not_count(self):
        results = Results()
        results.runs = [Run(PLAIN, 0, 1.0), Run(NATIVE, 0, 1.0), Run(ESPALIER, 0, 1.0)]
        results.runs.append(Run(PLAIN, 1, 1.0))
        assert len(results.blocks()) == 1


def _other_after(count, usual, other):
    """Return a function that does what is usual so many times, and then something else."""
    left = [count]

    def call(*arguments):
        left[0] -= 1
        return (usual if left[0] >= 0 else other)(*arguments)

    return call


@pytest.mark.usefixtures("fake")
class TestCommand:
    def compare(self, cli, profile_file, *options, launch=_LAUNCH):
        return cli("compare", "--profile", profile_file, *options, *launch)

    @pytest.mark.usefixtures("said_seconds")
    def test_a_faster_program_is_reported(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_SECONDS", "0.3")
        monkeypatch.setenv("FAKE_FACTOR", "0.3")
        result = self.compare(cli, profile_file, "--repetitions", "6")
        assert result.code == 0, result.err
        assert "whole run:" in result.out
        assert "x faster (96.9 % interval" not in result.out
        assert "x faster (95 % interval" in result.out
        assert "binomial [1]" in result.out
        assert "[1] profile rule 0: faster" in result.out
        headings = [
            "What Espalier does",
            "By how much",
            "How sure",
            "On what machine",
            "What could be wrong",
            "How to repeat",
        ]
        places = [result.out.index(heading) for heading in headings]
        assert places == sorted(places)
        assert "--repetitions 6 -- mpirun -n 3 solver" in result.out

    def test_runs_are_interleaved_after_one_warm_up(self, cli, profile_file):
        self.compare(cli, profile_file, "--repetitions", "2")
        kinds = Path("count").read_text().split()
        assert kinds[0] == "plain"
        named = ["plain" if kind == "plain" else kind for kind in kinds[1:]]
        expected = {"plain": "plain", "native": "native", "espalier": "ours"}
        assert named == [expected[kind] for order in orders(2, 1) for kind in order]

    def test_json_has_its_schema(self, cli, profile_file):
        document = self.compare(cli, profile_file, "--repetitions", "2", "--json").document()
        assert document["num_blocks"] == 2
        assert document["wall"]["verdict"] == analysis.TOO_FEW
        assert len(document["runs"]) == 6
        assert "repetitions" in [one["name"] for one in document["warnings"]]

    @pytest.mark.parametrize("name", ["report.md", "report.html"])
    def test_the_report_can_be_kept(self, cli, profile_file, name):
        assert self.compare(cli, profile_file, "--repetitions", "2", "-o", name).code == 0
        text = Path(name).read_text()
        assert "mpirun -n 3 solver" in text
        assert "MPI_Init" in text.replace("\\_", "_")

    def test_a_full_disk_does_not_lose_the_report(self, cli, profile_file):
        Path("full.md").symlink_to("/dev/full")
        result = self.compare(cli, profile_file, "--repetitions", "1", "-o", "full.md")
        assert result.code == 1
        assert "whole run:" in result.out
        assert "full.md: expected a file that can be written" in result.err

    def test_the_report_is_kept_although_nobody_reads_what_is_printed(
        self, cli, monkeypatch, profile_file
    ):
        def closed(_report):
            raise BrokenPipeError

        monkeypatch.setattr(groups, "print_report", closed)
        self.compare(cli, profile_file, "--repetitions", "1", "-o", "report.md")
        assert "mpirun -n 3 solver" in Path("report.md").read_text()

    @pytest.mark.parametrize("kind", ["native", "ours"])
    def test_lost_statistics_leave_the_blocks_before(self, cli, monkeypatch, profile_file, kind):
        monkeypatch.setenv("FAKE_BREAKS_IN", kind)
        monkeypatch.setenv("FAKE_BREAKS_AFTER", "2")
        result = self.compare(cli, profile_file, "--repetitions", "6", "--json")
        assert result.code == 2
        document = result.document()
        assert document["num_blocks"] == 2
        assert not document["complete"]
        assert "rank-0.json: expected JSON" in document["failure"]["text"]
        (told,) = [one for one in document["warnings"] if one["name"] == "failure"]
        assert "see whether a disk is full" in told["advice"]

    def test_runs_without_statistics_leave_the_blocks_before(self, cli, monkeypatch, profile_file):
        def emptied(runner, folder):
            for path in folder.iterdir():
                path.unlink()
            return read(runner, folder)

        read = Runner._statistics
        monkeypatch.setattr(Runner, "_statistics", _other_after(4, read, emptied))
        result = self.compare(cli, profile_file, "--repetitions", "6", "--json")
        assert result.code == 1
        document = result.document()
        assert document["num_blocks"] == 2
        assert "its ranks left no statistics" in document["failure"]["text"]

    def test_a_folder_that_cannot_be_made_leaves_the_blocks_before(
        self, cli, monkeypatch, profile_file
    ):
        def full(*_arguments):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(Runner, "_start", _other_after(7, Runner._start, full))
        result = self.compare(cli, profile_file, "--repetitions", "6", "--json")
        assert result.code == 1
        document = result.document()
        assert document["num_blocks"] == 2
        assert "No space left on device" in document["failure"]["text"]

    def test_statistics_that_are_lost_at_once_are_an_error(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_BREAKS_IN", "ours")
        result = self.compare(cli, profile_file, "--repetitions", "6")
        assert result.code == 2
        assert result.out == ""
        assert "rank-0.json: expected JSON" in result.err

    def test_more_confidence_takes_more_blocks(self, cli, profile_file):
        document = self.compare(cli, profile_file, "--confidence", "0.99", "--json").document()
        assert document["num_blocks"] == 8
        assert document["wall"]["verdict"] != analysis.TOO_FEW
        assert "repetitions" not in [one["name"] for one in document["warnings"]]

    def test_too_few_blocks_for_another_confidence_are_refused(self, cli, profile_file):
        words = ("--confidence", "0.99", "--repetitions", "7")
        result = self.compare(cli, profile_file, *words)
        assert result.code == 2
        assert "expected at least 8 repetitions with --confidence 0.99, got 7" in result.err
        assert not Path("count").exists()

    def test_too_few_blocks_are_announced(self, cli, profile_file):
        result = self.compare(cli, profile_file, "--repetitions", "2")
        assert "note: nothing is significant with less than 6 blocks" in result.err
        assert "use at least 6 repetitions" in " ".join(result.out.split())

    def test_enough_blocks_are_not_announced(self, cli, profile_file):
        assert "note:" not in self.compare(cli, profile_file, "--repetitions", "6").err

    def test_a_budget_for_too_few_blocks_is_told_with_their_number(
        self, cli, monkeypatch, profile_file
    ):
        monkeypatch.setenv("FAKE_SECONDS", "0.2")
        words = ("--time-budget", "0.3s", "--confidence", "0.99")
        result = self.compare(cli, profile_file, *words)
        assert "nothing is significant with less than 8 blocks" in result.err
        assert "give more with --time-budget" in result.out

    def test_a_failure_with_espalier_is_told_with_its_exit_code(
        self, cli, monkeypatch, profile_file
    ):
        monkeypatch.setenv("FAKE_FAILS_IN", "ours")
        result = self.compare(cli, profile_file, "--repetitions", "6")
        assert result.code == 3
        assert "run with Espalier in block 1 failed" in result.out
        assert "repeat without --mapping" in " ".join(result.out.split())
        assert "something went wrong" in result.out

    def test_a_program_that_never_works_has_nothing_to_compare(
        self, cli, monkeypatch, profile_file
    ):
        monkeypatch.setenv("FAKE_FAILS_IN", "all")
        monkeypatch.setenv("FAKE_EXIT_CODE", "5")
        result = self.compare(cli, profile_file)
        assert result.code == 5
        assert "already without Espalier" in result.err
        assert Path("count").read_text() == "plain\n"

    def test_the_program_is_heard_though_its_launcher_crashes(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_FAILS_IN", "all")
        monkeypatch.setenv("FAKE_LAUNCHER_CRASHES", "1")
        result = self.compare(cli, profile_file)
        assert "from 'solver', its launcher was itself ended by SIGSEGV" in result.err
        assert "something went wrong" in result.err
        assert "PMIx_server_finalize" not in result.err

    def test_a_run_that_hangs_is_ended(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_HANGS_IN", "ours")
        result = self.compare(cli, profile_file, "--timeout", "4s")
        assert result.code == 124
        assert "expected 'solver' to end within the time limit" in result.out

    @pytest.mark.parametrize(("own", "expected"), [(None, "2000ms"), ("7s", "7s"), ("off", "off")])
    def test_a_hang_is_explained_unless_the_user_says_how(
        self, cli, monkeypatch, profile_file, own, expected
    ):
        monkeypatch.delenv("ESPALIER_WATCH", raising=False)
        if own:
            monkeypatch.setenv("ESPALIER_WATCH", own)
        monkeypatch.setenv("FAKE_HANGS_IN", "ours")
        result = self.compare(cli, profile_file, "--timeout", "4s")
        assert f"watched after {expected}" in result.out

    def test_an_option_of_the_launcher_is_a_setting_too(self, cli, monkeypatch, profile_file):
        monkeypatch.delenv("ESPALIER_WATCH", raising=False)
        monkeypatch.setenv("FAKE_HANGS_IN", "ours")
        launch = ("--", "mpirun", "-x", "ESPALIER_WATCH=9s", "-n", "3", "solver")
        result = self.compare(cli, profile_file, "--timeout", "4s", launch=launch)
        assert "watched after 9s" in result.out

    def test_a_program_without_mpi_is_told(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_NO_STATISTICS", "1")
        result = self.compare(cli, profile_file)
        assert result.code == 1
        assert "its ranks left no statistics" in result.err

    def test_time_ends_a_comparison_between_blocks(self, cli, monkeypatch, profile_file):
        monkeypatch.setenv("FAKE_SECONDS", "0.2")
        options = ["--repetitions", "50", "--time-budget", "2s", "--json"]
        document = self.compare(cli, profile_file, *options).document()
        assert 1 <= document["num_blocks"] < 10
        assert "time" in [one["name"] for one in document["warnings"]]

    def test_a_block_that_takes_longer_than_the_time_is_announced(
        self, cli, monkeypatch, profile_file
    ):
        monkeypatch.setenv("FAKE_SECONDS", "0.2")
        result = self.compare(cli, profile_file, "--time-budget", "0.3s", "--json")
        assert "the time budget is 300 ms; it is made all the same" in result.err
        assert result.document()["num_blocks"] == 1

    def test_input_from_a_file_is_given_to_every_run(self, fake, profile_file, tmp_path):
        (tmp_path / "input").write_text("three\nlines\nhere\n")
        fake.script("counter", 'wc -l >>"$FAKE_LINES"; solver </dev/null')
        environment = {**os.environ, "FAKE_LINES": str(tmp_path / "lines")}
        words = ["--profile", str(profile_file), "--repetitions", "2"]
        with (tmp_path / "input").open() as file:
            subprocess.run(
                [sys.executable, "-m", "espalier", "compare", *words, *_LAUNCH[:-1], "counter"],
                env={**environment, "PYTHONPATH": str(repository / "python")},
                stdin=file,
                stdout=subprocess.DEVNULL,
                check=True,
            )
        assert (tmp_path / "lines").read_text().split() == ["3"] * 7

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ((), "expected a profile, a forced algorithm or mapping"),
            (("--profile", "nothing.json"), "nothing.json"),
            (("--force", "bcast=binomial", "-o", "report.pdf"), "expected a report file"),
            (("--force", "bcast=binomial", "-o", "missing/report.md"), "No such file or directory"),
            (("--force", "bcast=nope"), "nope"),
            (("--force", "bcast=binomial", "--timeout", "soon"), "expected a time"),
        ],
    )
    def test_bad_input_is_one_line_before_anything_runs(self, cli, options, text):
        result = cli("compare", *options, *_LAUNCH)
        assert result.code in {1, 2}
        assert text in result.err.splitlines()[-1]
        assert not Path("count").exists()

    @pytest.mark.parametrize("verb", ["compare", "improve"])
    @pytest.mark.parametrize(
        ("name", "value"),
        [("FORCE", "bcast=chain"), ("OFF", "1"), ("MAPPING", "on")],
    )
    def test_variables_that_decide_for_all_runs_are_refused(
        self, cli, monkeypatch, verb, name, value
    ):
        monkeypatch.setenv(f"ESPALIER_{name}", value)
        options = ("--force", "bcast=binomial") if verb == "compare" else ()
        result = cli(verb, *options, *_LAUNCH)
        assert result.code == 2
        assert f"expected no ESPALIER_{name} in the environment, got '{value}'" in result.err
        assert f"unset ESPALIER_{name}" in result.err
        assert not Path("count").exists()

    def test_variables_that_change_nothing_are_let_pass(self):
        check_environment({"ESPALIER_FORCE": "", "ESPALIER_OFF": "0", "ESPALIER_MAPPING": "off"})

    def test_a_forced_algorithm_needs_no_profile(self, cli):
        result = cli("compare", "--force", "bcast=binomial", "--repetitions", "1", *_LAUNCH)
        assert result.code == 0
        assert "--force bcast=binomial" in result.out

    def test_mapping_alone_is_compared_and_told(self, cli):
        Path("espalier-profile.json").write_text("{", encoding="utf-8")  # is not looked for
        result = cli(
            *("compare", "--mapping", "--repetitions", "1", "--machine", "3n x 1c", "--json"),
            *_LAUNCH,
        )
        assert result.code == 0
        found = documents.parse(result.out, "comparison", "espalier-comparison", 1)
        assert found["mappings"] == [
            {
                "function": "MPI_Cart_create",
                "num_ranks": 3,
                "algorithm": "tile",
                "report": "3x1 on 3n x 1c: inter-node neighbours 4 -> 2",
                "count": 2,
            }
        ]
        assert "--machine '3n x 1c'" in found["repeat"]
        text = cli("compare", "--mapping", "--repetitions", "1", *_LAUNCH).out
        assert "2 x MPI_Cart_create 3x1 on 2 nodes: inter-node neighbours 4 -> 2" in text

    def test_nothing_is_mapped_unless_it_is_asked_for(self, cli):
        words = ["--force", "bcast=binomial", "--repetitions", "1", "--json"]
        found = documents.parse(cli("compare", *words, *_LAUNCH).out, "c", "espalier-comparison", 1)
        assert found["mappings"] == []
        assert "--mapping" not in found["repeat"]

    def test_ctrl_c_reports_what_was_finished(self, fake, profile_file):
        environment = {**os.environ, "FAKE_SECONDS": "0.3"}
        words = ["--profile", str(profile_file), "--repetitions", "50"]
        process = subprocess.Popen(
            [sys.executable, "-m", "espalier", "compare", *words, *_LAUNCH],
            env={**environment, "PYTHONPATH": str(repository / "python")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            if Path("count").exists() and len(Path("count").read_text().split()) > 8:
                break
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=20)
        assert process.returncode == 130
        assert "of 50 blocks were finished" in out
        left = subprocess.run(
            ["/usr/bin/pgrep", "-f", str(fake.program)], capture_output=True, text=True, check=False
        )
        assert left.stdout == ""


_HPCC = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.skipif(
    not (
        shutil.which("hpcc")
        and shutil.which("mpirun.openmpi")
        and installation.shim_library("openmpi")
    ),
    reason="hpcc, Open MPI or the library for it is missing",
)
def test_a_real_program_is_compared(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lines = _HPCC.read_text().splitlines()
    lines = [line if not line.rstrip().endswith("Ns") else "100 Ns" for line in lines]
    Path("hpccinf.txt").write_text("\n".join(lines) + "\n")
    launch = ["--", "mpirun.openmpi", "-n", "4", "--oversubscribe", "hpcc"]
    result = cli("compare", "--force", "bcast=binomial", "--repetitions", "1", "--json", *launch)
    assert result.code == 0, result.err
    document = result.document()
    assert document["num_blocks"] == 1
    assert document["num_ranks"] == 4
    bcasts = [row for row in document["collectives"] if row["function"] == "MPI_Bcast"]
    assert sum(row["calls"] for row in bcasts) > 300
    assert any(one["algorithm"] == "bcast/binomial" for row in bcasts for one in row["chosen"])
    assert 0 < document["served_share"] < 1
