# SPDX-License-Identifier: Apache-2.0
"""`espalier tune`: with a measuring program that reports times we know, and with real MPIs."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from crashing_launcher import repeat_crashed
from fake_mpi import ratios

from espalier import _core, installation
from espalier.errors import FileError
from espalier.io import documents
from espalier.store.database import Store, default_path
from espalier.tuning.search import (
    ALL_OF_THEM,
    CONFIRMATIONS,
    HALVINGS,
    MORE_CONFIRMATIONS,
    RACE,
    SCREENING,
)

_QUICK = ("--collective", "allgather,bcast", "--sizes", "64,4KiB")
_LAUNCH = ("--", "mpirun", "-n", "4")
_TWO_NODES = "2n[latency=2us,overhead=200ns,bandwidth=1GB/s] x 2c[latency=300ns,bandwidth=4GB/s]"


_TOO_FEW_SLOTS = """\
--------------------------------------------------------------------------
There are not enough slots available in the system to satisfy the 4
slots that were requested by the application:

  /usr/bin/program

Either request fewer slots for your application, or make more slots
available for use.

A "slot" is the Open MPI term for an allocatable unit where we can
launch a process.  The number of slots available are defined by the
environment in which Open MPI processes are run:

  1. Hostfile, via "slots=N" clauses (N defaults to number of
     processor cores if not provided)
  2. The --host command line parameter, via a ":N" suffix on the
     hostname (N defaults to 1 if not provided)
  3. Resource manager (e.g., SLURM, PBS/Torque, LSF, etc.)

Alternatively, you can use the --oversubscribe option to ignore the
number of available slots when deciding the number of processes to
launch.
--------------------------------------------------------------------------
"""


def read_profile(path="espalier-profile.json"):
    return documents.read(Path(path), "espalier-profile", 1)


@pytest.mark.usefixtures("fake")
class TestWithKnownTimes:
    def test_the_fastest_is_found_and_written(self, cli, told):
        told(**ratios(allgather_bruck=1.4, bcast_flat=1.2))
        result = cli("tune", *_QUICK, "--algorithms", "bruck", "--algorithms", "flat", *_LAUNCH)
        assert result.code == 0, result.err
        profile = read_profile()
        chosen = {
            rule["collective"]: rule["algorithm"]
            for rule in profile["rules"]
            if rule["algorithm"] != "native"
        }
        assert chosen == {"allgather": "allgather/bruck", "bcast": "bcast/flat"}
        assert "1.4" in result.out
        text = Path("espalier-profile.json").read_text()
        assert _core.decide(text, "allgather", 4, 1, [64])[0]["algorithm"] == "allgather/bruck"

    def test_long_calls_that_always_win_are_measured_until_that_is_significant(self, cli, told):
        told(FAKE_REPETITIONS="3", **ratios(allgather_bruck=3.0, bcast_flat=4.0))
        words = ["--algorithms", "bruck", "--algorithms", "flat", "--store", "kept.db"]
        result = cli("tune", *_QUICK, *words, *_LAUNCH)
        assert result.code == 0, result.err
        rules = read_profile()["rules"]
        assert {rule["algorithm"] for rule in rules} == {"native", "allgather/bruck", "bcast/flat"}
        with Store(Path("kept.db")) as store:
            more = [len(store.points(1, stage.name)) for stage in MORE_CONFIRMATIONS]
        assert more == [4, 0]

    def test_what_fits_the_nodes_can_be_the_fastest(self, cli, told):
        best = "bcast/orthogonal[rows=2,inner=chain,across=chain]"
        told(FAKE_NODES="[0, 0, 2, 2]", FAKE_RATIOS=json.dumps({best: 1.5}))
        result = cli("tune", "--collective", "bcast", "--sizes", "4KiB", *_LAUNCH)
        assert result.code == 0, result.err
        profile = read_profile()
        assert best in [rule["algorithm"] for rule in profile["rules"]]
        assert profile["rules"][0]["num_nodes"] == 2

    def test_the_report_answers_in_order(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        result = cli("tune", *_QUICK, "--algorithms", "bruck,", *_LAUNCH)
        assert result.code == 2
        result = cli("tune", *_QUICK, "--algorithms", "bruck", *_LAUNCH)
        headings = [
            "What is best",
            "How sure",
            "On what machine",
            "could be wrong",
            "How to repeat",
        ]
        places = [result.out.index(heading) for heading in headings]
        assert places == sorted(places)
        assert "espalier tune --collectives allgather,bcast --sizes 64,4KiB" in result.out
        assert "bcast: native at all sizes, 2 of them measured" in result.out

    def test_json_has_its_schema(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        document = cli("tune", *_QUICK, "--algorithms", "bruck", "--json", *_LAUNCH).document()
        assert document["complete"]
        assert document["num_ranks"] == 4
        (small, _large) = [one for one in document["points"] if one["collective"] == "allgather"]
        assert small["algorithm"] == "allgather/bruck"
        assert small["candidates"]["allgather/bruck"]["ratio"]["low"] > 1.3
        assert document["machine"]["hostname"]

    def test_native_is_kept_without_a_gain(self, cli, told):
        told(FAKE_RATIOS="{}")
        result = cli("tune", *_QUICK, *_LAUNCH)
        assert result.code == 0
        assert {rule["algorithm"] for rule in read_profile()["rules"]} == {"native"}

    def test_everything_is_kept_in_the_store(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        cli("tune", *_QUICK, "--algorithms", "bruck", *_LAUNCH)
        with Store(default_path()) as store:
            # No algorithm of bcast is called bruck; native is measured all the same.
            assert len(store.points(1, SCREENING.name)) == 4
            assert len(store.points(1, RACE.name)) == 2
            assert all(len(store.points(1, stage.name)) == 2 for stage in CONFIRMATIONS)

    def test_an_exhaustive_search_drops_nobody_early(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        cli("tune", *_QUICK, "--effort", "exhaustive", *_LAUNCH)
        with Store(default_path()) as store:
            assert store.points(1, SCREENING.name) == []
            points = store.points(1, ALL_OF_THEM.name)
        assert len(points) == 4
        assert all(
            len(point.candidates) > 10 for point in points if point.collective == "allgather"
        )
        assert any(rule["algorithm"] == "allgather/bruck" for rule in read_profile()["rules"])

    def test_halving_drops_two_thirds_each_time(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        cli("tune", *_QUICK, *_LAUNCH)
        with Store(default_path()) as store:
            counts = [
                [len(one.candidates) for one in store.points(1, stage.name)]
                for stage in (*HALVINGS, RACE)
            ]
        assert max(counts[1]) <= -(-max(counts[0]) // 3)
        assert max(counts[2], default=0) <= 4
        assert any(rule["algorithm"] == "allgather/bruck" for rule in read_profile()["rules"])

    def test_a_model_names_the_candidates(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        machine = "4c[latency=300ns,bandwidth=4GB/s]"
        cli("tune", *_QUICK, "--model", machine, *_LAUNCH)
        with Store(default_path()) as store:
            assert all(len(one.candidates) <= 13 for one in store.points(1, SCREENING.name))

    def test_an_estimate_measures_nothing_and_needs_a_machine(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        refused = cli("tune", *_QUICK, "--effort", "estimate", *_LAUNCH)
        assert refused.code == 2
        assert "expected --model with --effort estimate" in refused.err
        machine = "4c[latency=300ns,bandwidth=4GB/s]"
        told(**ratios(allgather_bruck=1.4))
        done = cli("tune", *_QUICK, "--effort", "estimate", "--model", machine, *_LAUNCH)
        assert done.code == 0
        assert all("not measured" in rule["reason"] for rule in read_profile()["rules"])
        assert not default_path().exists()

    @pytest.mark.parametrize("nodes", ["[0, 0, 1, 1]", "[3, 3, 1, 1]"])
    def test_an_estimate_takes_ranks_that_lie_as_on_the_machine(self, cli, told, nodes):
        told(FAKE_NODES=nodes)
        words = ("--effort", "estimate", "--model", _TWO_NODES)
        done = cli("tune", *_QUICK, *words, *_LAUNCH)
        assert done.code == 0, done.err
        assert read_profile()["rules"][0]["num_nodes"] == 2

    @pytest.mark.parametrize(
        ("nodes", "text"),
        [
            (
                "[0, 1, 0, 1]",
                "on 2 nodes (block), the job on 2 nodes (cyclic): rank 1 is on node 0 there",
            ),
            ("[]", "on 2 nodes (block), the job on 1 node: rank 2 is on node 1 there"),
        ],
    )
    def test_an_estimate_for_ranks_elsewhere_is_refused(self, cli, told, nodes, text):
        told(FAKE_NODES=nodes)
        words = ("--effort", "estimate", "--model", _TWO_NODES)
        refused = cli("tune", *_QUICK, *words, *_LAUNCH)
        assert refused.code == 2
        assert text in refused.err
        assert "espalier probe -o espalier-machine.json -- mpirun -n 4" in refused.err
        assert "--map-by" in refused.err
        assert not Path("espalier-profile.json").exists()

    def test_a_model_of_ranks_elsewhere_is_noted(self, cli, told):
        words = ("--collectives", "bcast", "--sizes", "64", "--model", _TWO_NODES)
        told(FAKE_NODES="[0, 0, 1, 1]")
        assert "the machine has the ranks on" not in cli("tune", *words, *_LAUNCH).err
        told(FAKE_NODES="[0, 1, 0, 1]")
        result = cli("tune", *words, *_LAUNCH)
        assert result.code == 0, result.err
        assert "note: the machine has the ranks on 2 nodes (block), the job on 2" in result.err

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            (("--effort", "patient"), "expected an effort of estimate, measure, exhaustive"),
            (("--good-enough", "much"), "expected a share such as 5% or 0.05, got 'much'"),
        ],
    )
    def test_an_unknown_effort_is_refused(self, cli, told, options, text):
        told(FAKE_RATIOS="{}")
        refused = cli("tune", *_QUICK, *options, *_LAUNCH)
        assert refused.code == 2
        assert text in refused.err

    def test_oversubscription_is_told(self, cli, told):
        told(FAKE_CPUS="2")
        result = cli("tune", *_QUICK, "--algorithms", "bruck", *_LAUNCH)
        assert "4 ranks share 2 processors" in result.out

    def test_a_wrong_result_is_told_and_not_timed(self, cli, told):
        told(FAKE_WRONG="allgather/bruck")
        document = cli("tune", *_QUICK, "--algorithms", "bruck", "--json", *_LAUNCH).document()
        (wrong, *_more) = [one for one in document["warnings"] if one["name"] == "wrong"]
        assert "allgather/bruck gave a wrong allgather" in wrong["text"]
        assert not [one for one in document["points"] if one["collective"] == "allgather"]

    def test_a_program_behind_the_options_is_not_run(self, cli):
        result = cli("tune", *_QUICK, "--algorithms", "bruck", *_LAUNCH, "./solver", "-v")
        assert result.code == 0
        assert "note: './solver -v' is not run" in result.err

    def test_the_profile_does_not_vary_with_a_given_seed(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        rules = []
        for _ in range(2):
            cli("tune", *_QUICK, "--algorithms", "bruck", "--seed", "5", *_LAUNCH)
            rules.append(read_profile()["rules"])
        assert rules[0] == rules[1]


@pytest.mark.usefixtures("fake")
class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            (("--sizes", "x", *_LAUNCH), "expected a size"),
            (("--time-budget", "soon", *_LAUNCH), "expected a time"),
            (("--collectives", "jalltoall", *_LAUNCH), "jalltoall"),
            (("--algorithms", "nope", *_LAUNCH), "nope"),
            (("--min-gain", "nan", *_LAUNCH), "expected a least gain in 0 .. 1, got nan"),
            (("--min-gain", "-0.1", *_LAUNCH), "expected a least gain in 0 .. 1, got -0.1"),
            (("--min-gain", "2", *_LAUNCH), "got 2; 0.02 is 2 %"),
            (("--", "./app"), "expected a command with an MPI launcher"),
            (("--", "mpirun", "-n", "4", "--mystery", "3"), "put -- between"),
            (("--", "mpirun", "-n", "1", "a", ":", "-n", "1", "b"), "joined by ':'"),
            (("--mpi", "mpich", *_LAUNCH), "espalier-measure-mpich"),
        ],
    )
    def test_one_clear_line(self, cli, arguments, text):
        result = cli("tune", *arguments)
        assert result.code in {1, 2}
        assert text in result.err.splitlines()[-1]
        assert "Traceback" not in result.err
        assert not Path("espalier-profile.json").exists()

    def test_one_rank_has_nothing_to_tune(self, cli):
        result = cli("tune", "--", "mpirun", "-n", "1")
        assert result.code == 2
        assert "expected at least 2 ranks" in result.err

    def test_a_missing_launcher(self, cli):
        result = cli("tune", "--", "mpirun.nowhere", "-n", "4")
        assert result.code == 127
        assert "'mpirun.nowhere' on the PATH, found none" in result.err

    def test_a_launcher_that_fails_is_quoted(self, cli, told):
        told(FAKE_LAUNCHER_FAILS="1")
        result = cli("tune", *_LAUNCH)
        assert result.code == 1
        assert "no slots available" in result.err
        assert "got 17" in result.err

    def test_too_few_slots_are_told_with_what_helps(self, cli, told):
        told(FAKE_LAUNCHER_FAILS="1", FAKE_LAUNCHER_SAYS=_TOO_FEW_SLOTS)
        result = cli("tune", *_LAUNCH)
        assert result.code == 1
        last = result.err.splitlines()[-1]
        assert "got 17: there are not enough slots available in the system to satisfy" in last
        assert "the 4 slots that were requested by the application; " in last
        assert "--oversubscribe" in last
        assert "The number of slots available are defined by" in result.err

    def test_the_measuring_program_is_heard_though_its_launcher_crashes(self, cli, told):
        told(FAKE_LAUNCHER_CRASHES="1", FAKE_MEASURE_EXIT="1")
        told(FAKE_MEASURE_SAYS="espalier-measure: /dev/full: expected a file")
        result = cli("tune", *_QUICK, *_LAUNCH)
        assert result.code == 1
        last = result.err.splitlines()[-1]
        assert "the launcher was itself ended by SIGSEGV: /dev/full: expected a file" in last
        assert "PMIx_server_finalize" not in result.err

    def test_a_measuring_program_that_dies_keeps_what_it_measured(self, cli, told):
        told(FAKE_MEASURE_EXIT="9", **ratios(allgather_bruck=1.4))
        result = cli("tune", *_QUICK, *_LAUNCH)
        assert result.code == 1
        assert "it broke" in result.err

    def test_a_profile_that_cannot_be_written_is_told_before_measuring(self, cli):
        start = time.monotonic()
        result = cli("tune", "-o", "/nowhere/profile.json", *_LAUNCH)
        assert result.code == 1
        assert "/nowhere/profile.json: expected a file that can be written" in result.err
        assert time.monotonic() - start < 5

    def test_a_full_disk_at_the_end_loses_no_measurement(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        result = cli("tune", *_QUICK, "--algorithms", "bruck", "-o", "/dev/full", *_LAUNCH)
        assert result.code == 1
        assert "No space left on device" in result.err
        assert "--resume" in result.err
        result = cli("tune", *_QUICK, "--algorithms", "bruck", "--resume", *_LAUNCH)
        assert result.code == 0
        assert any(rule["algorithm"] == "allgather/bruck" for rule in read_profile()["rules"])

    def test_another_host_of_the_same_kind_continues(self, cli, told, monkeypatch):
        told(**ratios(allgather_bruck=1.4))
        words = ("tune", *_QUICK, "--algorithms", "bruck")
        assert cli(*words, "-o", "/dev/full", *_LAUNCH).code == 1
        monkeypatch.setattr("platform.node", lambda: "the-next-allocation")
        result = cli(*words, "--resume", *_LAUNCH)
        assert result.code == 0
        assert "nothing to resume" not in result.err
        with Store(default_path()) as store:
            assert store.points(2, SCREENING.name) == []

    def test_no_space_for_temporary_files_loses_no_measurement(self, cli, told, monkeypatch):
        told(**ratios(allgather_bruck=1.4))
        write_text = Path.write_text
        plans = []

        def write_until_full(path: Path, *words: object, **options: object) -> int:
            if path.name == "plan.json":
                plans.append(path)
                if len(plans) > 2:
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return write_text(path, *words, **options)

        monkeypatch.setattr(Path, "write_text", write_until_full)
        result = cli("tune", *_QUICK, "--algorithms", "bruck", *_LAUNCH)
        assert result.code == 1
        assert "internal error" not in result.err
        assert "got 'No space left on device'; free space in TMPDIR" in result.err
        assert "to continue: espalier tune --resume" in result.err

    def test_no_temporary_folder_is_told(self, cli, monkeypatch):
        def full(**_: object) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr("tempfile.TemporaryDirectory", full)
        result = cli("tune", *_QUICK, *_LAUNCH)
        assert result.code == 1
        assert "got 'No space left on device'; free space in TMPDIR" in result.err

    def test_a_store_that_is_none_is_told_before_measuring(self, cli, tmp_path):
        (tmp_path / "notes.db").write_text("my notes, not a database at all\n" * 200)
        result = cli("tune", *_QUICK, "--store", "notes.db", *_LAUNCH)
        assert result.code == 1
        assert "expected a store of measurements" in result.err

    def test_a_store_that_fills_up_does_not_stop_the_tuning(self, cli, told, monkeypatch):
        told(**ratios(allgather_bruck=1.4))

        def full(*_: object) -> None:
            raise FileError("disk full")

        monkeypatch.setattr(Store, "add_point", full)
        result = cli("tune", *_QUICK, "--algorithms", "bruck", *_LAUNCH)
        assert result.code == 0
        assert "warning: disk full; going on without keeping measurements" in result.err
        assert any(rule["algorithm"] == "allgather/bruck" for rule in read_profile()["rules"])

    def test_no_permission_for_root_is_given_for_our_own_program(self, cli, monkeypatch):
        monkeypatch.delenv("OMPI_ALLOW_RUN_AS_ROOT")
        monkeypatch.setattr(os, "geteuid", lambda: 0)
        result = cli("tune", *_QUICK, "--algorithms", "bruck", *_LAUNCH)
        assert result.code == 0
        assert "note: measuring as root; OMPI_ALLOW_RUN_AS_ROOT=1" in result.err


def _real(launcher: str) -> list[object]:
    names = {"mpirun.openmpi": "openmpi", "mpiexec.mpich": "mpich"}
    is_there = shutil.which(launcher) and installation.measurement_program(names[launcher])
    return [pytest.mark.skipif(not is_there, reason=f"{launcher} or our program for it is missing")]


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    "launch",
    [
        pytest.param("mpirun.openmpi -n 4 --oversubscribe", marks=_real("mpirun.openmpi")),
        pytest.param("mpiexec.mpich -n 2", marks=_real("mpiexec.mpich")),
    ],
)
def test_real_ranks_are_tuned(cli, tmp_path, monkeypatch, launch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    profile = tmp_path / "profile.json"
    start = time.monotonic()
    result = cli(
        "tune",
        "-o",
        profile,
        "--sizes",
        "64,16KiB",
        "--collectives",
        "allgather,allgatherv,bcast",
        "--time-budget",
        "10s",
        "--algorithms",
        "bruck",
        "--algorithms",
        "binomial",
        "--json",
        "--",
        *launch.split(),
    )
    assert result.code == 0, result.err
    document = result.document()
    names = [one["name"] for one in document["warnings"]]
    assert "wrong" not in names
    # On a busy machine the time may not suffice for everything; then that is said.
    assert len(document["points"]) == 6 or ("time" in names and document["points"])
    found = read_profile(profile)
    assert found["mpi"]["vendor"] == ("openmpi" if "openmpi" in launch else "mpich")
    assert found["method"]["complete"]
    _core.check_profile(json.dumps(found), "profile")
    assert time.monotonic() - start < 60


@pytest.mark.mpi
@pytest.mark.skipif(
    not (shutil.which("mpirun.openmpi") and installation.measurement_program("openmpi")),
    reason="Open MPI or our program for it is missing",
)
@pytest.mark.parametrize(
    ("plan", "output", "text"),
    [
        ("missing.json", "samples.jsonl", "missing.json"),
        ("broken.json", "samples.jsonl", "broken.json: expected"),
        ("good.json", "/dev/full", "/dev/full: expected a file that can be written"),
        ("good.json", "/nowhere/samples", "/nowhere/samples: expected a file that can be written"),
    ],
)
def test_the_measuring_program_says_what_is_wrong(tmp_path, plan, output, text):
    (tmp_path / "broken.json").write_text("{")
    good = {"schema": "espalier-measurement-plan", "version": 1, "seed": 1, "points": []}
    (tmp_path / "good.json").write_text(json.dumps(good))
    program = installation.measurement_program("openmpi")
    launch = ["mpirun.openmpi", "-n", "2", "--oversubscribe", str(program)]
    variables = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def measure() -> tuple[int, str]:
        done = subprocess.run(
            [*launch, "--plan", plan, "--output", output],
            cwd=tmp_path,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return done.returncode, done.stderr

    code, err = repeat_crashed(measure)
    assert code == 1
    assert err.count("espalier-measure:") == 1
    assert text in err
