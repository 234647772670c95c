# SPDX-License-Identifier: Apache-2.0
"""`espalier tune simulate` and `espalier model profile`: profiles of machines nobody owns."""

from __future__ import annotations

import itertools
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

from espalier import _core, installation
from espalier.io import documents
from espalier.sampling import simulation
from espalier.sampling.candidates import candidates_for, real_size
from espalier.sampling.samples import NATIVE, Request
from espalier.sampling.setting import Setting
from espalier.sampling.simulation import SimulatedJob, measure
from espalier.store.database import Store
from espalier.tuning.modelled import Question, forecasts, predict

_MACHINE = (
    "3n[latency=2us,overhead=200ns,bandwidth=1GB/s,channels=1]"
    " x 2c[latency=300ns,overhead=200ns,bandwidth=4GB/s]"
)
# A choice may be slower than the best by a thousandth, and a time depends on those before it by up
# to five: the simulator treats messages that come at once in an order that does.
_NEARLY = 1.006
_CALLS = "allgather,bcast,alltoallv,barrier"
_TUNE = ("tune", "simulate", "--machine", _MACHINE, "--collectives", _CALLS, "--sizes", "64,64KiB")

simulated = pytest.mark.skipif(
    shutil.which("smpirun") is None or installation.measurement_program("smpi") is None,
    reason="no SimGrid, or espalier-measure-smpi is not built",
)


def rules_of(path):
    return documents.read(Path(path), "espalier-profile", 1)["rules"]


class TestEffort:
    def test_an_estimate_is_the_profile_of_the_model(self, cli, tmp_path):
        words = ("--machine", _MACHINE, "--collectives", "bcast", "--sizes", "64,64KiB", "-o")
        cli("model", "profile", *words, tmp_path / "model.json")
        cli("tune", "simulate", "--effort", "estimate", *words, tmp_path / "estimate.json")
        assert rules_of(tmp_path / "model.json") == rules_of(tmp_path / "estimate.json")

    @simulated
    @pytest.mark.slow
    def test_good_enough_is_nearly_the_best_of_all(self, cli, tmp_path):
        words = ("--machine", _MACHINE, "--collectives", "bcast", "--sizes", "64KiB")
        found = {}
        for effort in (("exhaustive",), ("measure", "--good-enough", "5%")):
            output = ("-o", tmp_path / effort[0], "--store", tmp_path / f"{effort[0]}.db")
            tuned = cli("tune", "simulate", *words, "--effort", *effort, *output, "--json")
            (point,) = tuned.document()["points"]
            found[effort[0]] = point["candidates"][point["best"]]["time"]["median_us"]
            with Store(tmp_path / f"{effort[0]}.db") as store:
                found[f"{effort[0]} points"] = len(store.points(1, "simulation"))
        assert found["measure"] <= 1.05 * found["exhaustive"]
        assert found["measure points"] < found["exhaustive points"] / 2


class TestModelProfile:
    def test_the_fastest_by_the_model_is_chosen_at_every_size(self, cli, tmp_path):
        path = tmp_path / "model.json"
        words = ("--collectives", "allgather,bcast", "--sizes", "8..1MiB", "-o", path)
        made = cli("model", "profile", "--machine", _MACHINE, *words, "--json").document()
        assert made["machine"]["placement"] == "block"
        assert made["mpi"]["vendor"] == "smpi"
        assert all("not measured" in rule["reason"] for rule in made["rules"])
        sizes = tuple(8 << i for i in range(18))
        question = Question(Setting(_MACHINE, "block", 6), 3, ("allgather", "bcast"), sizes)
        text = path.read_text()
        for one in forecasts(question):
            (decision,) = _core.decide(text, one.collective, 6, 3, [one.bytes])
            assert decision["algorithm"] in one.fastest
            assert not decision["borrowed"]

    def test_sizes_asked_for_together_are_predicted_as_each_alone(self):
        setting = Setting(_MACHINE, "block", 6)
        names = candidates_for("bcast", 6, (), setting)
        together = predict(setting, names, (65536, 8, 1024), 3)
        assert list(together) == [65536, 8, 1024]
        for size, seconds in together.items():
            (alone,) = _core.best_sharing(names, 6, 0, _MACHINE, "block", [size], 3)
            assert seconds == {one["choice"]: one["seconds"] for one in alone[:3]}
            assert list(seconds.values()) == sorted(seconds.values())

    def test_calls_with_the_same_candidates_are_told_each_at_its_sizes(self):
        told = []
        question = Question(
            Setting(_MACHINE, "block", 6), 3, ("reduce_scatter", "reduce_scatter_block"), (8, 4096)
        )
        found = forecasts(question, lambda: told.append(1))
        assert [(one.collective, one.bytes) for one in found] == sorted(
            (call, real_size(call, size, 6))
            for call in ("reduce_scatter", "reduce_scatter_block")
            for size in (8, 4096)
        )
        assert len(told) == len(found) == 4

    def test_every_call_and_size_gets_an_algorithm(self, cli, tmp_path):
        path = tmp_path / "model.json"
        result = cli("model", "profile", "--machine", _MACHINE, "--sizes", "8,1KiB", "-o", path)
        assert result.code == 0, result.err
        assert "What the model finds fastest" in result.out
        text = path.read_text()
        for call in _core.calls():
            for decision in _core.decide(text, call, 6, 3, [1, 1 << 24]):
                assert decision["algorithm"] != NATIVE

    def test_it_is_for_simulated_programs_unless_told_otherwise(self, cli, tmp_path):
        path = tmp_path / "model.json"
        words = ("model", "profile", "--machine", _MACHINE, "--collectives", "bcast", "-o", path)
        assert cli(*words, "--for", "openmpi").code == 0
        assert documents.read(path, "espalier-profile", 1)["mpi"]["vendor"] == "openmpi"
        assert "expected an MPI of smpi, openmpi, mpich" in cli(*words, "--for", "lam").err

    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (("--collectives", "everybody"), "expected a collective of"),
            (("-p", "1"), "expected at least 2 ranks"),
            (("--algorithms", "swing", "--collectives", "bcast"), "expected algorithms for"),
        ],
    )
    def test_mistakes_are_told(self, cli, tmp_path, words, text):
        path = tmp_path / "model.json"
        result = cli("model", "profile", "--machine", _MACHINE, *words, "-o", path)
        assert result.code != 0
        assert text in result.err
        assert not path.exists()


class TestMistakes:
    @pytest.mark.parametrize(
        ("words", "text"),
        [
            (("--machine", _MACHINE, "--peer", "lam"), "expected a peer of ompi, mpich"),
            (("--machine", _MACHINE, "-p", "1"), "expected at least 2 ranks"),
            (("--machine", "2n x 2c"), "expected a machine that says what messages cost"),
            (("--machine", _MACHINE, "--", "mpirun", "-n", "4"), "unexpected extra argument"),
            (("--machine", _MACHINE, "--seed", "1"), "no such option: --seed"),
            ((), "missing option '--machine'"),
            (("--machine", _MACHINE, "--shortlist", "0"), "at least 1 candidate"),
            (("--machine", _MACHINE, "--for", "lam"), "expected an MPI of"),
        ],
    )
    def test_they_are_told_in_one_line(self, cli, tmp_path, words, text):
        result = cli(
            "tune", "simulate", "--store", tmp_path / "s.db", "-o", tmp_path / "p.json", *words
        )
        assert result.code != 0
        lines = [line for line in result.err.splitlines() if not line.startswith("note:")]
        assert len(lines) == 1
        assert text in lines[0]

    def test_options_of_simulation_are_none_of_measuring(self, cli):
        result = cli("tune", "--peer", "ompi", "--", "mpirun", "-n", "4")
        assert result.code == 2
        assert "no such option: --peer" in result.err
        assert "see espalier tune run --help" in result.err

    @pytest.mark.parametrize("machine", [("--machine", "2n x 2c"), ("--machine=2n x 2c",)])
    def test_the_old_spelling_is_understood(self, cli, machine):
        hint, error = cli("tune", *machine).err.splitlines()
        assert hint.startswith("note: this is 'espalier tune simulate' now")
        assert "expected a machine that says what messages cost" in error

    def test_no_simulator_is_told(self, cli, tmp_path, monkeypatch):
        monkeypatch.setenv("PATH", str(tmp_path))
        result = cli(*_TUNE, "--store", tmp_path / "s.db", "-o", tmp_path / "p.json")
        assert result.code != 0
        assert "smpirun" in result.err or "espalier-measure-smpi" in result.err


def _environment():
    return {**os.environ, "PYTHONPATH": str(repository / "python")}


@pytest.fixture(scope="module")
def tuned(tmp_path_factory):
    """Tune twice with the same command, which finds no profile; folder and both outputs."""
    folder = tmp_path_factory.mktemp("tuned")
    outputs = []
    for number in range(2):
        (folder / "p.json").unlink(missing_ok=True)
        words = ["-o", str(folder / "p.json"), "--store", str(folder / f"{number}.db"), "--json"]
        command = [sys.executable, "-m", "espalier", *_TUNE, *words]
        ended = subprocess.run(
            [*command, "--simulators", str(number + 1)],
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
            env=_environment(),
        )
        assert ended.returncode == 0, ended.stderr
        outputs.append(
            (
                ended.stdout.replace(f"{number}.db", "0.db"),
                (folder / "p.json").read_text().replace(f"{number}.db", "0.db"),
            )
        )
    return folder, outputs


@simulated
class TestTune:
    def test_the_same_command_gives_the_same_bytes(self, tuned):
        _, (first, second) = tuned
        assert first == second

    def test_the_document_has_its_schema_and_says_what_was_simulated(self, tuned):
        _, ((text, _), _) = tuned
        found = documents.parse(text, "output", "espalier-tuning", 1)
        assert found["complete"]
        assert found["method"]["is_simulated"]
        assert found["mpi"]["peer"] == "mpich"
        assert found["machine"]["placement"] == "block"
        assert found["num_nodes"] == 3
        assert {point["collective"] for point in found["points"]} == set(_CALLS.split(","))

    def test_changes_are_known_within_a_factor_of_two(self, tuned):
        _, ((text, _), _) = tuned
        points = json.loads(text)["points"]
        row = [point for point in points if point["collective"] == "bcast"]
        changes = [
            (low, high)
            for low, high in itertools.pairwise(row)
            if low["algorithm"] != high["algorithm"]
        ]
        assert changes
        assert all(high["bytes"] <= 2 * low["bytes"] for low, high in changes)

    def test_a_session_with_the_profile_is_as_fast_as_the_best_at_every_size(self, tuned):
        folder, ((text, _), _) = tuned
        points = json.loads(text)["points"]
        job = SimulatedJob(_MACHINE, "block", 6)
        requests = [Request(one["collective"], one["bytes"], ("profile/tuned",)) for one in points]
        launch = measure(job, requests, {"tuned": folder / "p.json"}, seconds=60)
        assert not launch.failure
        found = {(one.collective, one.bytes): one for one in launch.points}
        assert len(found) == len(points)
        for one in points:
            measured = found[one["collective"], one["bytes"]]
            assert measured.decided == {"profile/tuned": one["algorithm"]}
            times = [one["native"]["median_us"]]
            times += [entry["time"]["median_us"] for entry in one["candidates"].values()]
            if _core.has_known_size(one["collective"]):
                assert measured.samples_us["profile/tuned"][0] <= _NEARLY * min(times)
            else:
                assert measured.samples_us["profile/tuned"][0] <= _NEARLY * times[0]

    def test_measurements_are_kept_and_marked(self, tuned):
        folder, ((text, _), _) = tuned
        with Store(folder / "0.db") as store:
            points = store.points(1, "simulation")
            native = store.points(1, "simulation of native calls")
            job = store._connection.execute("SELECT job, complete FROM sessions").fetchone()
        expected = {(one["collective"], one["bytes"]) for one in json.loads(text)["points"]}
        assert {(one.collective, one.bytes) for one in points} == expected
        assert {(one.collective, one.bytes) for one in native} == expected
        assert json.loads(job[0])["is_simulated"]
        assert job[1] == 1

    def test_an_interrupted_tuning_keeps_its_results_and_goes_on(self, tuned, tmp_path):
        folder, (_, (_, expected)) = tuned
        words = ["-o", str(tmp_path / "p.json"), "--store", str(tmp_path / "s.db")]
        command = [sys.executable, "-m", "espalier", *_TUNE, *words, "--simulators", "1"]
        # Its own group, to which Ctrl-C goes as on a terminal.
        process = subprocess.Popen(
            command, stderr=subprocess.PIPE, start_new_session=True, env=_environment()
        )
        deadline = time.monotonic() + 60
        while not _has_point(tmp_path / "s.db") and time.monotonic() < deadline:
            time.sleep(0.02)
        simulators = _simulators_below(process.pid)
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=60)
        if process.returncode != 0:
            assert process.returncode == 130, err
            assert b"to continue: espalier tune simulate --resume" in err
        assert not any(Path(f"/proc/{pid}").exists() for pid in simulators)
        subprocess.run(
            [*command, "--resume"], check=True, timeout=100, capture_output=True, env=_environment()
        )
        assert rules_of(tmp_path / "p.json") == json.loads(expected)["rules"]
        assert folder.exists()


def _has_point(path):
    if not path.exists():
        return False
    with Store(path) as store:
        return bool(store.points(1, "simulation"))


def _simulators_below(pid):
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [child for child in children if "smpirun" in Path(f"/proc/{child}/cmdline").read_text()]


@simulated
class TestMeasure:
    def test_a_time_hardly_depends_on_what_is_measured_beside_it(self):
        job = SimulatedJob(_MACHINE, "cyclic", 6)
        both = ("bcast/binomial", "bcast/flat")
        first = measure(job, [Request("bcast", 4096, both)], seconds=60).points[0]
        second = measure(
            job,
            [Request("allgather", 6000, ()), Request("bcast", 4096, both[::-1])],
            seconds=60,
        ).points[1]
        assert first.samples_us.keys() == second.samples_us.keys()
        for name, times in first.samples_us.items():
            assert len(times) == 1
            assert second.samples_us[name] == pytest.approx(times, rel=5e-3)

    def test_the_model_and_the_simulator_agree_where_nothing_is_shared(self):
        job = SimulatedJob(_MACHINE, "block", 6)
        choice = "bcast/binomial"
        (point,) = measure(job, [Request("bcast", 64, (choice,))], seconds=60).points
        replay = _core.replay(choice, 6, 0, _MACHINE, "block", 64)
        assert point.samples_us[choice][0] == pytest.approx(1e6 * replay["seconds"], rel=0.02)

    @pytest.mark.parametrize("placement", ["block", "cyclic"])
    def test_nodes_are_found(self, placement):
        job = SimulatedJob(_MACHINE, placement, 5)
        header = measure(job, [Request("barrier", 0, ())], seconds=60).header
        assert (header["num_nodes"], header["max_ranks_per_node"]) == (3, 2)

    def test_a_bcast_that_mixes_up_what_others_leave_behind_is_right(self):
        machine = _MACHINE.replace("3n", "16n").replace("2c", "8c")
        job = SimulatedJob(machine, "block", 128, "impi")
        launch = measure(job, [Request("bcast", 8, ()), Request("bcast", 1024, ())], seconds=60)
        assert launch.problems == []
        assert len(launch.points) == 2

    def test_ours_can_be_measured_without_the_native_call(self):
        job = SimulatedJob(_MACHINE, "block", 6)
        request = Request("bcast", 64, ("bcast/binomial",), has_native=False)
        (point,) = measure(job, [request], seconds=60).points
        assert list(point.samples_us) == ["bcast/binomial"]

    def test_its_time_is_limited_and_what_was_measured_is_kept(self):
        job = SimulatedJob(_MACHINE, "block", 6)
        requests = [Request("alltoall", 6 * size, ()) for size in range(1, 20000)]
        found = []
        launch = measure(job, requests, on_result=found.append, seconds=2)
        assert "took longer than 2 s" in launch.failure
        assert 0 < len(launch.points) < len(requests)
        assert found == launch.points
        assert launch.num_points_left == len(requests) - len(found)

    def test_an_interruption_leaves_no_simulator(self):
        job = SimulatedJob(_MACHINE, "block", 6)
        requests = [Request("alltoall", 6 * size, ()) for size in range(1, 20000)]
        kept = []

        def interrupt(point):
            kept.append(point)
            raise KeyboardInterrupt

        one = simulation.Simulation(job, requests, on_result=interrupt)
        with pytest.raises(KeyboardInterrupt):
            _watch(one)
        assert kept
        with pytest.raises(ProcessLookupError):
            os.killpg(one._process.pid, 0)

    def test_a_profile_that_is_none_is_told(self, tmp_path):
        (tmp_path / "p.json").write_text("{}")
        job = SimulatedJob(_MACHINE, "block", 6)
        launch = measure(
            job, [Request("bcast", 8, ("profile/bad",))], {"bad": tmp_path / "p.json"}, seconds=60
        )
        assert launch.points == []
        assert "p.json" in launch.failure
        assert "schema" in launch.failure


def _watch(one):
    with one:
        while one.look():
            time.sleep(0.01)
