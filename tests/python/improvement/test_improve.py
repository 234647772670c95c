# SPDX-License-Identifier: Apache-2.0
"""`espalier improve`: whole improvements of a program that behaves as it is told."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from fake_mpi import ratios
from places import repository

from espalier.improvement import guard, improver, machine_file
from espalier.machines import machines

_LAUNCH = ("--", "mpirun", "-n", "4", "solver")
# All of its time is in MPI_Bcast of 600 B.
_FASTER = ratios(bcast_flat=1.6, bcast_chain=1.4)


@pytest.fixture
def improve(cli, said_seconds, told):  # noqa: ARG001 - it makes the folder, too
    def run(*options, launch=_LAUNCH, **variables):
        told(**{"FAKE_SECONDS": "0.2", "FAKE_FACTOR": "0.3", **_FASTER, **variables})
        words = [
            "--time-budget",
            "20s",
            "--machine",
            "2n[latency=9us,bandwidth=1GB/s] x 4c[latency=1us,bandwidth=9GB/s]",
        ]
        return cli("improve", *words, *options, *launch)

    return run


def kinds():
    return Path("count").read_text().split()


class TestGain:
    def test_a_program_gets_faster_and_is_told_how_to_use_it(self, improve):
        result = improve()
        assert result.code == 0, result.err
        assert "x faster (95 % interval" in result.out
        assert "bcast" in result.out
        used = "espalier run --profile espalier-profile.json -- mpirun -n 4 solver"
        assert used in result.out
        rules = json.loads(Path("espalier-profile.json").read_text())["rules"]
        assert "bcast/flat" in [rule["algorithm"] for rule in rules]

    def test_each_step_is_announced_with_its_length(self, improve):
        steps = [line for line in improve().err.splitlines() if line.startswith("step ")]
        assert [step.partition(":")[0] for step in steps] == [
            f"step {number} of 4" for number in (1, 2, 3, 4)
        ]
        assert "about 20 s" in steps[2]

    def test_json_has_its_schema_and_says_all_of_it(self, improve):
        document = improve("--json").document()
        assert document["wall"]["verdict"] == "faster"
        assert document["complete"]
        (call,) = document["calls"]
        assert (call["collective"], call["bytes"], call["num_calls"]) == ("bcast", 600, 100)
        assert call["share"] == pytest.approx(0.8)
        assert call["tuned"]["algorithm"] == "bcast/flat"
        assert call["in_program"]["algorithms"] == ["bcast/binomial"]

    def test_runs_of_the_comparison_take_turns(self, improve):
        improve("--repetitions", "2")
        assert kinds()[0] == "native"
        assert sorted(kinds()[2:]) == sorted(["plain", "native", "ours"] * 2)


class TestManner:
    """Calls are tuned with the root of the program, and rules have to do for other roots."""

    root = json.dumps([{"root": 3, "count": 100, "seconds": 0.1}])

    def test_a_call_is_tuned_and_told_with_its_root(self, improve):
        result = improve(FAKE_MANNERS=self.root)
        assert result.code == 0, result.err
        assert "bcast (root 3)" in result.out
        rules = json.loads(Path("espalier-profile.json").read_text())["rules"]
        (kept,) = [rule for rule in rules if rule["algorithm"] == "bcast/flat"]
        assert kept["reason"].endswith("; measured with: root 3")

    def test_what_is_slower_from_other_roots_is_taken_back(self, improve):
        plain = json.dumps({"bcast/flat": 0.5, "bcast/chain": 0.5})
        result = improve(FAKE_MANNERS=self.root, FAKE_PLAIN_RATIOS=plain)
        assert result.code == 0, result.err
        assert (
            "taken back: bcast of 425 B .. 848 B, slower with equal parts, any root" in result.out
        )
        rules = json.loads(Path("espalier-profile.json").read_text())["rules"]
        assert {rule["algorithm"] for rule in rules} == {"native"}
        assert "native" in kinds()
        assert "ours" not in kinds(), "there is nothing to compare"

    def test_what_was_taken_back_is_not_told_as_what_runs(self, improve):
        plain = json.dumps({"bcast/flat": 0.5, "bcast/chain": 0.5})
        (call,) = improve("--json", FAKE_MANNERS=self.root, FAKE_PLAIN_RATIOS=plain).document()[
            "calls"
        ]
        assert call["in_program"] is None
        assert call["tuned"]["algorithm"] == "native"
        assert call["tuned"]["reason"].startswith("slower with equal parts")


class TestNoGain:
    def test_without_a_faster_algorithm_nothing_is_compared(self, improve):
        result = improve(**ratios())
        assert result.code == 0
        assert "nothing was gained" in result.out
        assert "How to use it" not in result.out
        assert kinds() == ["native"]

    def test_a_slower_program_gets_native_calls_back(self, improve):
        result = improve("--json", FAKE_FACTOR="2.5")
        document = result.document()
        assert document["profile"] is None
        assert {rule["collective"] for rule in document["taken_back"]} == {"bcast"}
        rules = json.loads(Path("espalier-profile.json").read_text())["rules"]
        assert {rule["algorithm"] for rule in rules} == {"native"}

    def test_uneven_runs_are_compared_more_often_before_all_is_taken_back(
        self, improve, monkeypatch
    ):
        compare, lengths = improver.comparison.compare, []

        def uneven(question):
            lengths.append(question.design.repetitions)
            answer = compare(question)
            if len(lengths) == 1:
                wall = answer.document["wall"]
                wall["verdict"] = "no significant difference"
                wall["ratio"].update(value=0.98, low=0.8, high=9.0)
            return answer

        monkeypatch.setattr(improver.comparison, "compare", uneven)
        result = improve("--json")
        assert lengths == [6, 12]
        assert "whole runs differ too much to show it; comparing 12 times more" in result.err
        document = result.document()
        assert document["wall"]["verdict"] == "faster"
        assert document["profile"] is not None

    @pytest.mark.parametrize(("share", "count"), [(0.009, 1), (0.011, 2)])
    def test_whole_runs_are_compared_again_if_what_went_was_noticeable(
        self, improve, monkeypatch, share, count
    ):
        compare, num_compared = improver.comparison.compare, []

        def counted(question):
            num_compared.append(question)
            return compare(question)

        def kept(rules, _comparison):
            """Return the rules with native calls in half of the one that is not native."""
            (whole,) = [rule for rule in rules if rule["algorithm"] != "native"]
            (half,) = guard.all_native([{**whole, "min_bytes": 701}], "not faster")
            others = [rule for rule in rules if rule is not whole]
            return [*others, {**whole, "max_bytes": 700}, half]

        monkeypatch.setattr(improver.comparison, "compare", counted)
        monkeypatch.setattr(improver.guard, "kept", kept)
        monkeypatch.setattr(improver.guard, "share_of", lambda _gone, _found: share)
        result = improve()
        assert result.code == 0, result.err
        assert len(num_compared) == count
        assert "rules that did not make the program's own calls faster are taken back" in result.err

    def test_rules_for_calls_that_the_program_does_not_make_stay(self, improve):
        improve()
        path = Path("espalier-profile.json")
        profile = json.loads(path.read_text())
        other = {**profile["rules"][0], "collective": "allgather", "algorithm": "allgather/ring"}
        other = {**other, "min_bytes": 0, "max_bytes": None, "evidence": []}
        profile["rules"].insert(0, other)
        path.write_text(json.dumps(profile))
        assert improve(FAKE_FACTOR="2.5").code == 0
        after = json.loads(path.read_text())["rules"]
        found = {(rule["collective"], rule["algorithm"]) for rule in after}
        assert found == {("allgather", "allgather/ring"), ("bcast", "native")}

    def test_rules_of_other_shapes_stay_when_some_are_taken_back(self, improve):
        improve(launch=("--", "mpirun", "-n", "8", "solver"))
        before = json.loads(Path("espalier-profile.json").read_text())["rules"]
        improve(FAKE_FACTOR="2.5")
        after = json.loads(Path("espalier-profile.json").read_text())["rules"]
        kept = [rule["algorithm"] for rule in after if rule["num_ranks"] == 8]
        assert kept == [rule["algorithm"] for rule in before]

    def test_a_program_without_collectives_has_nothing_to_tune(self, improve, fake):
        fake.script(
            "lonely",
            """
            folder=$ESPALIER_STATISTICS
            if [[ -n ${FAKE_PRELOAD-} && -n $folder ]]; then
              printf '{"schema": "espalier-statistics", "version": 1, "rank": 0, "num_ranks": 1,
                "mpi": {"vendor": "openmpi", "version": "x"}, "seconds": 1, "finalized": true,
                "memory_bytes": 0, "warnings": [], "calls": []}' >"$folder/rank-0.json"
            fi
            """,
        )
        result = improve(launch=("--", "mpirun", "-n", "1", "lonely"))
        assert result.code == 0
        assert "nothing to tune" in result.out


def machine_of_job(folder, text, cores):
    """Write the file of a machine whose job had ranks on these cores."""
    document = {**machines.load(text).document, "core_of_rank": cores}
    path = folder / "job.machine.json"
    path.write_text(machines.of_document(document).text)
    return path


class TestMachine:
    def test_an_unknown_machine_is_probed_once(self, cli, fake, told):  # noqa: ARG002
        told(**_FASTER, FAKE_SECONDS="0.1", FAKE_CORES="2", FAKE_PACKAGES="1")
        words = ["--time-budget", "20s", "--repetitions", "1"]
        first = cli("improve", *words, *_LAUNCH)
        assert first.code == 0, first.err
        assert "probing the machine" in first.err
        assert Path("espalier-profile.machine.json").exists()
        told(FAKE_NODES="[0, 0, 1, 1]")
        second = cli("improve", *words, *_LAUNCH)
        assert "the machine is known from espalier-profile.machine.json" in second.err

    def test_a_machine_of_another_job_is_probed_anew(self, cli, fake, told):  # noqa: ARG002
        told(**_FASTER, FAKE_SECONDS="0.1", FAKE_CORES="2", FAKE_PACKAGES="1")
        Path("espalier-profile.machine.json").write_text("{}")
        result = cli("improve", "--time-budget", "20s", "--repetitions", "1", *_LAUNCH)
        assert "measuring the machine anew" in result.err
        assert "probing the machine" in result.err

    @pytest.mark.parametrize(
        ("machine", "text"),
        [
            ("2w x 1n x 2c", ""),
            ("2n x 2c", ""),
            ("1n x 4c", "expected the machine of ranks on 2 nodes, found 1"),
            ("2n x 3c", "expected a machine with the place of each of 4 ranks, found places of 0"),
            ("4c", "expected the machine of ranks on 2 nodes, found 1"),
        ],
    )
    def test_a_machine_is_kept_for_the_nodes_of_its_job(self, capsys, tmp_path, machine, text):
        path = machine_of_job(tmp_path, machine, [] if "3c" in machine else [2, 3, 0, 1])
        header = {"num_ranks": 4, "num_nodes": 2, "node_of_rank": [0, 0, 1, 1]}
        assert (machine_file.kept(path, header) is None) == bool(text)
        assert text in capsys.readouterr().err

    def test_a_machine_whose_ranks_lay_otherwise_is_probed_anew(self, capsys, tmp_path):
        path = machine_of_job(tmp_path, "2n x 2c", [0, 2, 1, 3])
        header = {"num_ranks": 4, "num_nodes": 2, "node_of_rank": [0, 0, 1, 1]}
        assert machine_file.kept(path, header) is None
        assert "its ranks lay on other nodes than those of this job" in capsys.readouterr().err
        assert machine_file.kept(path, {**header, "node_of_rank": [7, 3, 7, 3]}) is not None


class TestFailure:
    def test_a_program_that_fails_is_told_with_its_exit_code(self, improve):
        result = improve(FAKE_FAILS_IN="all", FAKE_EXIT_CODE="5")
        assert result.code == 5
        assert "nothing to improve" in result.err
        assert not Path("espalier-profile.json").exists()

    def test_a_program_that_fails_with_the_profile_is_told(self, improve):
        result = improve(FAKE_FAILS_IN="ours")
        assert result.code != 0
        assert "please report it" in result.err

    @pytest.mark.parametrize(
        ("options", "launch", "text"),
        [
            (("--time-budget", "soon"), _LAUNCH, "expected a time"),
            ((), ("--", "solver"), "expected a command with an MPI launcher"),
            ((), ("--", "mpirun", "-n", "4"), "expected a program behind the launcher options"),
            ((), (*_LAUNCH, ":", "-n", "4", "other"), "got several joined by ':'"),
            (("--machine", "nonsense"), _LAUNCH, "nonsense"),
            (("-o", "/nowhere/p.json"), _LAUNCH, "/nowhere/p.json"),
            (("--effort", "patient"), _LAUNCH, "expected an effort of estimate, measure"),
        ],
    )
    def test_bad_input_is_one_line_before_anything_runs(self, improve, options, launch, text):
        result = improve(*options, launch=launch)
        assert result.code in {1, 2}
        assert text in result.err.splitlines()[-1]
        assert not Path("count").exists()


class TestTuneFor:
    @pytest.fixture
    def counted(self, cli, told, improve):  # noqa: ARG002 - told by improve
        """The folder of a counted run."""
        told(FAKE_SECONDS="0.1", FAKE_CORES="2", FAKE_PACKAGES="1", **_FASTER)
        result = cli("run", "--statistics", "counted", *_LAUNCH)
        assert result.code == 0, result.err
        return "counted"

    def tune(self, cli, folder, *options, launch=("--", "mpirun", "-n", "4")):
        return cli("tune", "--for", folder, "--time-budget", "20s", *options, *launch)

    def test_the_calls_of_a_counted_run_are_tuned_and_nothing_is_run(self, cli, counted):
        Path("count").unlink(missing_ok=True)
        result = self.tune(cli, counted)
        assert result.code == 0, result.err
        rules = json.loads(Path("espalier-profile.json").read_text())["rules"]
        kept = {rule["algorithm"] for rule in rules} - {"native"}
        assert kept
        assert kept <= {"bcast/flat", "bcast/chain"}
        assert {rule["collective"] for rule in rules} == {"bcast"}
        assert "whole runs were not compared" in result.out
        assert "espalier run --profile espalier-profile.json -- mpirun -n 4 PROGRAM" in result.out
        assert not Path("count").exists()

    def test_steps_are_announced(self, cli, counted):
        steps = [one for one in self.tune(cli, counted).err.splitlines() if one.startswith("step")]
        assert [step.partition(":")[0] for step in steps] == [
            f"step {number} of 3" for number in (1, 2, 3)
        ]

    def test_a_launcher_with_other_ranks_is_refused(self, cli, counted, told):
        told(FAKE_RANKS="8")
        result = self.tune(cli, counted, launch=("--", "mpirun", "-n", "8"))
        assert result.code == 2
        assert "expected a launcher that starts 4 ranks" in result.err

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            (("--sizes", "8B"), "got both"),
            (("--collectives", "bcast"), "got both"),
            (("--resume",), "got both"),
        ],
    )
    def test_what_the_run_tells_is_not_asked_for(self, cli, counted, options, text):
        result = self.tune(cli, counted, *options)
        assert result.code == 2
        assert text in result.err

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            (("--effort", "thorough"), "expected an effort of estimate, measure, exhaustive"),
            (("--confidence", "95"), "expected a confidence in 0.5 .. 1, got 95"),
            (("--confidence", "0"), "expected a confidence in 0.5 .. 1, got 0"),
            (("--min-gain", "nan"), "expected a least gain in 0 .. 1, got nan"),
            (("--min-gain", "-1"), "expected a least gain in 0 .. 1, got -1"),
        ],
    )
    def test_what_cannot_be_wished_for_is_refused_before_anything_runs(
        self, cli, counted, options, text
    ):
        result = self.tune(cli, counted, *options)
        assert result.code == 2
        assert text in result.err.splitlines()[-1]
        assert "step 1" not in result.err

    def test_it_is_not_taken_for_tuning_a_simulated_machine(self, cli, counted):
        result = self.tune(cli, counted, "--machine", "2n x 2c")
        assert result.code == 2
        assert "no such option: --machine; see espalier tune run --help" in result.err

    def test_a_folder_without_statistics_is_told(self, cli, counted, tmp_path):  # noqa: ARG002
        result = self.tune(cli, str(tmp_path / "nothing"))
        assert result.code == 2
        assert "expected files rank-0.json" in result.err


class TestFailures:
    @pytest.mark.parametrize(
        ("kind", "words"),
        [
            ("ours", "the program fails with this profile: please report it"),
            ("plain", "in a run that the profile has no part in (plain)"),
            ("native", "in a run that the profile has no part in (native)"),
        ],
    )
    def test_a_run_that_fails_is_blamed_on_what_it_ran_with(self, improve, kind, words):
        # The first native run counts the calls, the first plain one warms up.
        after = "0" if kind == "ours" else "1"
        result = improve(FAKE_FAILS_IN=kind, FAKE_FAILS_AFTER=after)
        assert result.code == 3
        assert words in result.err
        assert Path("espalier-profile.json").exists()

    def test_statistics_that_are_lost_are_not_blamed_on_the_profile(self, improve):
        result = improve(FAKE_BREAKS_IN="ours", FAKE_BREAKS_AFTER="1")
        assert result.code == 2
        assert "the profile is kept, but was not checked by whole runs" in result.err
        assert "please report it" not in result.err

    def test_a_machine_without_costs_is_refused_before_anything_runs(self, improve):
        result = improve("--machine", "2n x 4c")
        assert result.code == 2
        assert "expected a machine that says what messages cost, got '2n x 4c'" in result.err
        assert not Path("count").exists()

    def test_a_missing_program_of_ours_is_told_before_anything_runs(self, improve, monkeypatch):
        monkeypatch.setattr("espalier.installation.measurement_program", lambda _vendor: None)
        result = improve()
        assert result.code == 1
        assert "expected the program espalier-measure-openmpi, found none" in result.err
        assert not Path("count").exists()

    def test_nonblocking_calls_are_left_out_of_an_estimate(self, improve):
        result = improve("--effort", "estimate", FAKE_FUNCTION="MPI_Ibcast")
        assert result.code == 0, result.err
        assert "nothing was gained" in result.out


def test_ctrl_c_keeps_what_was_measured_and_the_command_goes_on(fake, told, cli):
    told(**_FASTER, FAKE_SECONDS="0.1", FAKE_POINT_SECONDS="1.5")
    words = [
        "improve",
        "--time-budget",
        "20s",
        "--machine",
        "2n[latency=9us] x 2c",
        "--repetitions",
        "1",
    ]
    process = subprocess.Popen(
        [sys.executable, "-m", "espalier", *words, *_LAUNCH],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("step 3"):
            break
    time.sleep(2.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "the same command goes on where it ended" in out
    assert "to go on where this ended: espalier improve" in err
    left = subprocess.run(
        ["/usr/bin/pgrep", "-f", str(fake.program)], capture_output=True, text=True, check=False
    )
    assert left.stdout == ""
    told(FAKE_POINT_SECONDS="0")
    assert cli(*words, *_LAUNCH).code == 0
