# SPDX-License-Identifier: Apache-2.0
"""`espalier tune` of nonblocking calls, timed with work between start and completion."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from fake_mpi import ratios
from profile_makers import profile, rule, write

from espalier import installation
from espalier.errors import ArgumentError
from espalier.io import documents
from espalier.sampling.work import Work

_LAUNCH = ("--", "mpirun", "-n", "4")
_SMALL = ("--sizes", "64,4KiB")
# Ranks of MPICH do not give up their processor while they wait.
_RANKS = {"openmpi": 3, "mpich": 2}
_LAUNCHERS = {"openmpi": "mpirun.openmpi --oversubscribe", "mpich": "mpiexec.mpich"}


class TestWork:
    def test_a_time_is_computing(self):
        work = Work.parse("30ms", 10)
        assert work.member() == {"seconds": 0.03, "tests": 10}
        assert work.text() == "30 ms of work, 10 tests"
        assert Work.parse(None).text() == ""

    def test_a_function_has_a_library(self, tmp_path):
        library = tmp_path / "work.so"
        library.touch()
        work = Work.parse(f"{library}:turn", 1)
        assert work.member() == {"library": str(library), "function": "turn", "tests": 1}
        assert work.text() == "work turn of work.so, 1 test"

    @pytest.mark.parametrize(
        ("text", "tests", "said"),
        [
            ("soon", 0, "expected a time"),
            ("nowhere.so:turn", 0, "found no file nowhere.so"),
            (":turn", 0, "LIBRARY:FUNCTION"),
            ("30ms", -1, "--tests of 0"),
            (None, 3, "got --tests alone"),
        ],
    )
    def test_anything_else_is_refused(self, text, tests, said):
        with pytest.raises(ArgumentError, match=said):
            Work.parse(text, tests)


@pytest.mark.usefixtures("fake")
class TestWithKnownTimes:
    def test_rules_are_for_nonblocking_calls_and_tell_the_work(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        words = ("--nonblocking", "--collectives", "allgather", *_SMALL)
        result = cli("tune", *words, "--work", "2ms", "--tests", "3", "--json", *_LAUNCH)
        assert result.code == 0, result.err
        points = documents.parse(result.out, "d", "espalier-tuning", 1)["points"]
        assert {one["collective"] for one in points} == {"iallgather"}
        rules = documents.read(Path("espalier-profile.json"), "espalier-profile", 1)["rules"]
        assert {one["collective"] for one in rules} == {"iallgather"}
        assert any("/bruck" in one["algorithm"] for one in rules)
        assert "measured with: 2 ms of work, 3 tests" in " ".join(one["reason"] for one in rules)
        assert not any("/native[" in one for point in points for one in point["candidates"])

    def test_both_forms_have_rules_of_their_own(self, cli, told):
        told(**ratios(allgather_bruck=1.4))
        result = cli("tune", "--collectives", "allgather,iallgather", *_SMALL, *_LAUNCH)
        assert result.code == 0, result.err
        rules = documents.read(Path("espalier-profile.json"), "espalier-profile", 1)["rules"]
        assert {one["collective"] for one in rules} == {"allgather", "iallgather"}

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("--collectives", "allgather", "--work", "30ms"), "add --nonblocking"),
            (("--nonblocking", "--tests", "4"), "got --tests alone"),
            (("--nonblocking", "--work", "nowhere.so:f"), "found no file nowhere.so"),
            (("--nonblocking", "--model", "2n x 2c"), "without --model"),
            (("--nonblocking", "--for", "counted"), "--nonblocking, --work"),
        ],
    )
    def test_one_clear_line(self, cli, words, said):
        result = cli("tune", *words, *_LAUNCH)
        assert result.code == 2
        assert said in result.err
        assert "Traceback" not in result.err


def _measure(vendor, folder, points, **members):
    """Run the measuring program on a few ranks; return the process and the lines that it wrote."""
    program = installation.measurement_program(vendor)
    launcher, *options = _LAUNCHERS[vendor].split()
    if not shutil.which(launcher) or program is None:
        pytest.skip(f"{launcher} or our program for it is missing")
    plan = {"schema": "espalier-measurement-plan", "version": 1, "seed": 1, "points": points}
    more = {"min_repetitions": 2, "max_repetitions": 3, "seconds_per_point": 5, **members}
    (folder / "plan.json").write_text(json.dumps({**plan, **more}))
    documents.parse((folder / "plan.json").read_text(), "p", "espalier-measurement-plan", 1)
    found = subprocess.run(
        [
            *(launcher, "-n", str(_RANKS[vendor]), *options, str(program)),
            *("--plan", str(folder / "plan.json"), "--output", str(folder / "samples")),
        ],
        env={**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    output = folder / "samples"
    lines = output.read_text().splitlines() if output.exists() else []
    return found, [json.loads(line) for line in lines]


@pytest.fixture(scope="session")
def library(tmp_path_factory):
    """A library with a function that sleeps for 5 ms, and says so to nobody."""
    folder = tmp_path_factory.mktemp("work")
    source = folder / "work.c"
    source.write_text("#include <unistd.h>\nvoid rest(void) { usleep(5000); }\n")
    built = folder / "work.so"
    compiler = shutil.which("cc")
    assert compiler, "whoever builds this has a compiler"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", built, source], check=True)
    return built


@pytest.mark.mpi
@pytest.mark.parametrize("vendor", _LAUNCHERS)
class TestMeasuringProgram:
    def test_the_work_is_timed_with_the_call(self, tmp_path, vendor, library):
        choices = ["allgather/ring", "allgather/bruck", "allgather/native[algorithm=ring]"]
        works = [
            {"seconds": 0.004, "tests": 3},
            {"library": str(library), "function": "rest", "tests": 1},
        ]
        points = [
            {"collective": "iallgather", "bytes": 3072, "algorithms": choices, "work": work}
            for work in works
        ]
        process, lines = _measure(vendor, tmp_path, points)
        assert process.returncode == 0, process.stderr
        refused = [line for line in lines if line["kind"] == "error"]
        assert {line["algorithm"] for line in refused} == {choices[2]}
        assert {line["reason"] for line in refused} == {"refused"}
        assert "blocking calls only" in refused[0]["text"]
        found = [line for line in lines if line["kind"] == "point"]
        for line, least_us in zip(found, (4000, 2 * 5000), strict=True):
            assert line["collective"] == "iallgather"
            assert set(line["samples_us"]) == {"native", *choices[:2]}
            assert all(min(times) >= least_us for times in line["samples_us"].values())

    @pytest.mark.parametrize("leaves_out", [True, False])
    def test_what_the_time_does_not_suffice_for_is_left_out(self, tmp_path, vendor, leaves_out):
        choices = [f"allgather/bruck[k={k}]" for k in range(2, 10)]
        choices += ["allgather/ring", "allgather/flat", "allgather/circulant"]
        point = {"collective": "iallgather", "bytes": 3072, "algorithms": choices}
        process, lines = _measure(
            vendor,
            tmp_path,
            [{**point, "work": {"seconds": 0.02, "tests": 0}}],
            seconds_per_point=0.2,
            leaves_out_slow=leaves_out,
        )
        assert process.returncode == 0, process.stderr
        (found,) = [line for line in lines if line["kind"] == "point"]
        slow = [line for line in lines if line["kind"] == "error"]
        assert {line["reason"] for line in slow} == ({"slow"} if leaves_out else set())
        left_out = {line["algorithm"] for line in slow}
        assert set(found["samples_us"]) == {"native", *choices} - left_out
        # The native call is the first of eight that are called in any case.
        assert left_out >= (set(choices[7:]) if leaves_out else set())

    def test_every_nonblocking_call_gives_the_right_result(self, tmp_path, vendor):
        ours = {
            "iallgatherv": "allgather/ring",
            "iallreduce": "allreduce/ring",
            "ialltoall": "alltoall/bruck",
            "ialltoallw": "alltoall/linear",
            "ibarrier": "barrier/dissemination",
            "ibcast": "bcast/binomial",
            "iexscan": "exscan/linear",
            "igatherv": "gather/flat",
            "ireduce": "reduce/binomial",
            "ireduce_scatter": "reduce_scatter/ring",
            "iscan": "scan/recursive_doubling",
            "iscatter": "scatter/binomial",
        }
        points = [
            {"collective": call, "bytes": 240, "algorithms": [choice]}
            for call, choice in ours.items()
        ]
        process, lines = _measure(vendor, tmp_path, points)
        assert process.returncode == 0, process.stderr
        assert [line for line in lines if line["kind"] == "error"] == []
        found = [line for line in lines if line["kind"] == "point"]
        assert [line["collective"] for line in found] == list(ours)
        for line in found:
            assert set(line["samples_us"]) == {"native", ours[line["collective"]]}

    def test_a_profile_decides_for_each_form(self, tmp_path, vendor):
        ranks = _RANKS[vendor]
        rules = [
            rule("allgather/ring", ranks=ranks),
            rule("allgather/bruck", 0, 999, call="iallgather", ranks=ranks),
            rule("native", 1000, 1999, call="iallgather", ranks=ranks),
        ]
        tuned = write(
            tmp_path / "tuned.json",
            profile(*rules, mpi={"vendor": vendor, "version": "any"}),
        )
        points = [
            {"collective": call, "bytes": size, "algorithms": ["profile/tuned"]}
            for call, size in (
                ("allgather", 300),
                ("iallgather", 300),
                ("iallgather", 1200),
                ("iallgather", 3000),
            )
        ]
        process, lines = _measure(vendor, tmp_path, points, profiles={"tuned": str(tuned)})
        assert process.returncode == 0, process.stderr
        decided = [line["decided"]["profile/tuned"] for line in lines if line["kind"] == "point"]
        names = [choice.partition("[")[0] for choice in decided]
        assert names == ["allgather/ring", "allgather/bruck", "native", "allgather/ring"]

    def test_what_is_not_there_is_told(self, tmp_path, vendor, library):
        for name, function, said in (
            (str(library), "run", "a function 'run' in"),
            (str(library.with_name("other.so")), "rest", "a library of work that can be loaded"),
        ):
            work = {"library": name, "function": function}
            point = {"collective": "ibcast", "bytes": 8, "algorithms": [], "work": work}
            process, _ = _measure(vendor, tmp_path, [point])
            assert process.returncode == 1
            assert said in process.stderr


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("vendor", _LAUNCHERS)
def test_real_ranks_are_tuned_with_work(cli, tmp_path, monkeypatch, vendor, library):
    launcher = _LAUNCHERS[vendor].split()
    if not shutil.which(launcher[0]) or installation.measurement_program(vendor) is None:
        pytest.skip(f"{launcher[0]} or our program for it is missing")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    kept = tmp_path / "profile.json"
    result = cli(
        *("tune", "-o", kept, "--collectives", "iallgather", "--sizes", "16KiB"),
        *("--work", f"{library}:rest", "--tests", "1", "--time-budget", "5s", "--json"),
        *("--algorithms", "bruck", "--", *launcher, "-n", "2"),
    )
    assert result.code == 0, result.err
    document = result.document()
    assert "wrong" not in [one["name"] for one in document["warnings"]]
    (point,) = document["points"]
    assert point["collective"] == "iallgather"
    assert point["native"]["median_us"] >= 2 * 5000
    rules = documents.read(kept, "espalier-profile", 1)["rules"]
    assert {one["collective"] for one in rules} == {"iallgather"}
    assert any("work rest of work.so, 1 test" in one["reason"] for one in rules)
