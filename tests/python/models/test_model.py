# SPDX-License-Identifier: Apache-2.0
"""`espalier model`: predictions, and how they compare with times we know."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from espalier.tuning import modelled
from espalier.tuning.modelled import Forecast

_MACHINE = "1n x 4c[latency=1us,overhead=200ns,bandwidth=4GB/s]"
_VALIDATE = ("model", "validate", "--machine", _MACHINE, "--collectives", "allgather")
_LAUNCH = ("--", "mpirun", "-n", "4")


class TestProfile:
    def test_calls_that_cost_nothing_are_fastest(self, cli, tmp_path):
        machine = "2n[latency=1us,bandwidth=1GB/s] x 4c"
        path = tmp_path / "profile.json"
        words = ("--machine", machine, "-p", 4, "--collectives", "barrier,bcast")
        done = cli("model", "profile", *words, "-o", path)
        assert done.code == 0, done.err
        assert {rule["num_nodes"] for rule in json.loads(path.read_text())["rules"]} == {1}

    def test_zeros_are_equal_and_smallest(self):
        times = ({"a": 0.0, "b": 1e-6}, {"a": 1e-6, "b": 2e-6}, {"a": 0.0, "b": 0.0})
        row = [Forecast("alltoallv", 8, seconds) for seconds in times]
        assert modelled._best_at_all(row) == "a"


class TestPredict:
    def test_the_fastest_is_first(self, cli):
        found = cli(
            "model", "predict", "allgather", "--machine", _MACHINE, "--sizes", "64,1MiB", "--json"
        ).document()
        assert found["num_ranks"] == 4
        assert [point["bytes"] for point in found["points"]] == [64, 1048576]
        for point in found["points"]:
            times = [one["predicted_us"]["replay"] for one in point["candidates"]]
            assert times == sorted(times)
            assert times[0] > 0

    def test_a_message_costs_what_its_link_says(self, cli):
        found = cli(
            "model", "predict", "bcast", "--machine", _MACHINE, "-p", 2, "--sizes", "4000",
            "--algorithms", "bcast/k_nomial[k=2]", "--models", "replay,levels,hockney", "--json",
        ).document()  # fmt: skip
        (one,) = found["points"][0]["candidates"]
        expected = 1 + 2 * 0.2 + 4000 / 4e3
        assert one["predicted_us"] == pytest.approx(
            {"replay": expected, "levels": expected, "hockney": expected}
        )

    def test_many_candidates_are_cut_for_the_eye_only(self, cli):
        result = cli("model", "predict", "bcast", "--machine", _MACHINE, "--sizes", "64")
        assert "slower ones are left out" in result.out

    @pytest.mark.parametrize(
        ("words", "complaint"),
        [
            (("everybody",), "expected a collective of"),
            (("bcast", "--models", "crystal_ball"), "expected models of replay"),
            (("bcast", "--algorithms", "swing"), "expected algorithms for 4 ranks"),
            (("bcast", "-p", "9"), "9 ranks"),
        ],
    )
    def test_mistakes_are_told(self, cli, words, complaint):
        result = cli("model", "predict", *words, "--machine", _MACHINE)
        assert result.code != 0
        assert complaint in result.err

    def test_free_sends_are_told(self, cli):
        words = ("model", "predict", "bcast", "--sizes", "64", "--machine")
        assert "cost their sender nothing" not in cli(*words, _MACHINE).err
        free = _MACHINE.replace("overhead=200ns,", "")
        assert "messages of level core cost their sender nothing" in cli(*words, free).err

    def test_a_machine_without_links_is_refused(self, cli):
        result = cli("model", "predict", "bcast", "--machine", "2n x 4c")
        assert result.code != 0
        assert "espalier probe" in result.err


@pytest.mark.usefixtures("fake")
class TestValidate:
    def test_the_report_says_what_choosing_costs(self, cli, monkeypatch):
        monkeypatch.setenv("FAKE_RATIOS", json.dumps({"allgather/ring": 4.0}))
        found = cli(
            *_VALIDATE, "--sizes", "64", "--algorithms", "ring", "--algorithms", "bruck", "--json",
            *_LAUNCH,
        ).document()  # fmt: skip
        (point,) = found["points"]
        agreement = point["agreement"]["replay"]
        # Measured, ring takes 10 / 4 us and the others 10 / 0.8 us.
        assert agreement["best"] == "allgather/ring"
        assert agreement["chosen"].startswith("allgather/bruck")
        assert agreement["regret"] == pytest.approx(4.0, rel=0.1)
        assert found["summary"]["replay"]["regret_max"] == agreement["regret"]
        assert found["model_machine_text"] == _MACHINE
        assert found["complete"]

    def test_the_human_form_answers_in_order(self, cli, monkeypatch):
        monkeypatch.setenv("FAKE_RATIOS", "{}")
        result = cli(*_VALIDATE, "--sizes", "64,4KiB", "-o", "kept.json", *_LAUNCH)
        assert result.code == 0, result.err
        titles = ["How well the models choose", "Choices of replay", "Error for each size",
                  "On what machine", "could be wrong", "How to repeat"]  # fmt: skip
        places = [result.out.index(title) for title in titles]
        assert places == sorted(places)
        assert json.loads(Path("kept.json").read_text())["schema"] == "espalier-model-validation"

    def test_a_full_disk_does_not_lose_the_report(self, cli, monkeypatch):
        monkeypatch.setenv("FAKE_RATIOS", "{}")
        Path("full.json").symlink_to("/dev/full")
        result = cli(*_VALIDATE, "--sizes", "64", "-o", "full.json", *_LAUNCH)
        assert result.code == 1
        assert "How well the models choose" in result.out
        assert "full.json: expected to write the report" in result.err

    def test_what_was_measured_before_a_failure_is_told(self, cli, monkeypatch):
        monkeypatch.setenv("FAKE_RATIOS", "{}")
        monkeypatch.setenv("FAKE_MEASURE_EXIT", "3")
        result = cli(*_VALIDATE, "--sizes", "64", "--json", *_LAUNCH)
        assert result.code != 0

    def test_one_candidate_cannot_be_ranked(self, cli):
        result = cli(*_VALIDATE, "--algorithms", "allgather/bruck[k=3]", *_LAUNCH)
        assert result.code != 0
        assert "at least 2 candidates" in result.err

    def test_of_all_collectives_those_without_a_choice_are_left_out(self, cli):
        machine = _MACHINE.replace("4c", "8c")
        words = ("--collectives", "all", "--sizes", "64", "--models", "hockney", "--json")
        launch = ("--", "mpirun", "-n", "7")
        result = cli("model", "validate", "--machine", machine, *words, *launch)
        assert result.code == 0, result.err
        assert "note: gatherv, scatterv left out" in result.err
        calls = {point["collective"] for point in result.document()["points"]}
        assert "gather" in calls
        assert not calls & {"gatherv", "scatterv"}

    def test_all_collectives_without_a_choice_are_refused(self, cli):
        words = ("--collectives", "all", "--algorithms", "allgather/bruck[k=3]")
        result = cli("model", "validate", "--machine", _MACHINE, *words, *_LAUNCH)
        assert result.code == 2
        assert "at least 2 candidates for some collective on 4 ranks" in result.err

    def test_a_model_without_times_is_refused(self, cli):
        words = ("--collectives", "barrier", "--machine", "1n x 4c[bandwidth=4GB/s]")
        result = cli("model", "validate", *words, *_LAUNCH)
        assert result.code == 2
        assert "expected times above 0 from the model replay, got 0 for barrier/" in result.err
        assert "give the links of the machine a latency" in result.err

    @pytest.mark.parametrize("size", ["0", "2GiB"])
    def test_sizes_are_checked_before_ranks_are_started(self, cli, monkeypatch, size):
        monkeypatch.setenv("FAKE_LAUNCHER_FAILS", "1")
        result = cli(*_VALIDATE, "--sizes", size, *_LAUNCH)
        assert result.code == 2
        assert "expected sizes from 1 B to 1 GiB, got" in result.err

    def test_ranks_that_lie_elsewhere_are_noted(self, cli, monkeypatch):
        links = "[latency=1us,overhead=200ns,bandwidth=4GB/s]"
        words = ("--machine", f"2n{links} x 2c{links}", "--collectives", "bcast", "--sizes", "64")
        monkeypatch.setenv("FAKE_NODES", "[0, 1, 0, 1]")
        result = cli("model", "validate", *words, *_LAUNCH)
        assert result.code == 0, result.err
        assert "note: the machine has the ranks on 2 nodes (block), the job on 2" in result.err
        result = cli("model", "validate", *words, "--placement", "cyclic", *_LAUNCH)
        assert "the machine has the ranks on" not in result.err

    def test_one_rank_is_refused(self, cli, monkeypatch):
        monkeypatch.setenv("FAKE_RATIOS", "{}")
        result = cli(*_VALIDATE, "--", "mpirun", "-n", "1")
        assert result.code != 0
        assert "expected at least 2 ranks" in result.err

    def test_several_programs_are_refused(self, cli):
        words = ("--", "mpirun", "-n", "2", "./a", ":", "-n", "1", "./b")
        result = cli(*_VALIDATE, *words)
        assert result.code == 2
        assert "expected launcher options for one program, got several joined by ':'" in result.err

    def test_without_a_machine_the_way_to_one_is_told(self, cli):
        result = cli("model", "validate", *_LAUNCH)
        assert result.code != 0
        assert "espalier-machine.json" in result.err
        assert "espalier probe -o" in result.err
