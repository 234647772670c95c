# SPDX-License-Identifier: Apache-2.0
"""What an improvement says of calls that were tuned, and of those for which there was no time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import ClassVar

import pytest
from fake_runs import row, run

from espalier.improvement import outcome, stakes
from espalier.improvement.findings import Findings
from espalier.improvement.observation import Observation
from espalier.profiles.profiles import Shape
from espalier.report.improve import improvement_report

SHAPE = Shape(4, 2)
KEPT = {"collective": "bcast", "algorithm": "bcast/flat", "reason": "1.5x faster than native"}


def decided(call, size, algorithm="bcast/flat"):
    return {
        "collective": call,
        "bytes": size,
        "algorithm": algorithm,
        "reason": "1.50x faster than native (95 % interval 1.40 .. 1.60)",
    }


def gone(call, low, high, reason):
    """Return a rule that was taken back, as a document has it."""
    about = {"collective": call, "num_ranks": 4, "num_nodes": 2, "algorithm": "native"}
    return {**about, "min_bytes": low, "max_bytes": high, "reason": reason}


@pytest.fixture
def document():
    """Return the document for stakes of calls, of which some points were decided."""

    def make(*rows, points=(), rules=(), comparisons=(), taken_back=()):
        command = SimpleNamespace(text=lambda: "mpirun app", words=lambda: ["mpirun", "app"])
        command.program = ("app",)
        files = SimpleNamespace(output="p.json", repeat="espalier improve")
        wish = SimpleNamespace(command=command, files=files)
        about = {**run(*rows), "mpi": {"vendor": "openmpi", "version": "x"}}
        findings = Findings(wish, Observation(10.0, about))
        findings.stakes = stakes.all_stakes(about)
        findings.tuned = stakes.worth_tuning(findings.stakes, 4)
        findings.tunings[SHAPE] = {"points": list(points), "rules": list(rules), "warnings": []}
        findings.rules = list(rules)
        findings.comparisons = list(comparisons)
        findings.taken_back = list(taken_back)
        return outcome.make_document(findings, is_complete=True)

    return make


def loops(document):
    """Return what the report says of each call's tuning."""
    (grid,) = next(one for one in improvement_report(document).sections if one.grids).grids
    return [line[5] for line in grid.rows]


def test_a_call_that_was_measured_has_its_own_decision(document):
    found = document(row("Bcast", 5.0), points=[decided("bcast", 1000)])
    assert found["calls"][0]["tuned"]["at_its_size"]
    assert loops(found) == ["1.50x"]
    assert not any("time did not suffice" in line for line in found["remaining"])


def test_a_size_without_time_is_told_apart_from_the_decision_of_the_nearest(document):
    rows = row("Bcast", 5.0, num_bytes=8), row("Bcast", 3.0, num_bytes=100000)
    found = document(*rows, points=[decided("bcast", 8)])
    assert [call["tuned"]["at_its_size"] for call in found["calls"]] == [True, False]
    assert loops(found) == ["1.50x", "as 8 B, no time"]
    (line,) = [line for line in found["remaining"] if "time did not suffice" in line]
    assert line.startswith("30 % is in calls and sizes")


def test_a_call_to_which_the_time_did_not_come_is_not_called_as_fast_as_native(document):
    found = document(row("Bcast", 5.0), row("Reduce", 2.0), points=[decided("bcast", 1000)])
    assert found["calls"][1]["tuned"] is None
    assert loops(found)[1] == "no time was left"
    assert not any("nothing was significantly faster" in line for line in found["remaining"])


def test_calls_are_named_with_how_they_are_made(document):
    uneven = row("Alltoallv", 5.0)
    pairs = [[0, 9, 0, 0], [0, 0, 9, 0], [0, 0, 0, 9], [9, 0, 0, 0]]
    uneven["communicators"][0]["manner"] = {"pair_bytes": pairs}
    rule = {"collective": "alltoallv", "algorithm": "native", "reason": "not faster"}
    found = document(uneven, rules=[rule])
    assert found["calls"][0]["manner"] == "uneven, 1 of 3 peers"
    (grid,) = next(one for one in improvement_report(found).sections if one.grids).grids
    assert grid.rows[0][0] == "alltoallv (uneven, 1 of 3 peers)"
    (line,) = [line for line in found["remaining"] if "significantly faster" in line]
    assert line.endswith("alltoallv (uneven, 1 of 3 peers)")


def test_the_nearest_size_is_nearest_by_its_ratio(document):
    rows = (row("Bcast", 5.0, num_bytes=4000),)
    points = [decided("bcast", 100), decided("bcast", 16000, "native")]
    found = document(*rows, points=points)
    assert found["calls"][0]["tuned"]["bytes"] == 16000


def test_calls_of_unknown_size_have_the_decision_of_their_rule(document):
    rule = {"collective": "alltoallv", "algorithm": "native", "reason": "no algorithm is faster"}
    points = [decided("alltoallv", 1024, "alltoall/bruck")]
    found = document(row("Alltoallv", 5.0, num_bytes=1000), points=points, rules=[rule])
    assert found["calls"][0]["tuned"]["algorithm"] == "native"
    assert loops(found) == ["not faster"]


class TestInProgram:
    ratio: ClassVar = {"value": 0.9, "low": 0.8, "high": 1.1, "confidence": 0.95, "count": 6}

    def comparison(self, **verdicts):
        """Return whole runs in which MPI_Bcast was judged, also by its nodes: n2="faster"."""
        judged = {name: {"ratio": self.ratio, "verdict": one} for name, one in verdicts.items()}
        row = {"function": "MPI_Bcast", "num_ranks": 4, "min_bytes": 512, "max_bytes": 1023}
        row["comparison"] = judged.pop("all")
        row["nodes"] = [{"num_nodes": int(n[1:]), "comparison": one} for n, one in judged.items()]
        row["chosen"] = [{"algorithm": "bcast/flat"}]
        times = {"native_seconds": 2.0, "espalier_seconds": 1.0}
        return {"collectives": [{**row, **times}], "wall": None, "num_blocks": 6}

    def test_calls_on_other_nodes_are_left_out(self, document):
        comparison = self.comparison(all="slower", n1="slower", n2="faster")
        found = document(row("Bcast", 5.0), comparisons=[comparison], rules=[KEPT])
        inside = found["calls"][0]["in_program"]
        assert (inside["verdict"], inside["algorithms"]) == ("faster", ["bcast/flat"])

    def test_what_was_taken_back_does_not_run_now(self, document):
        found = document(row("Bcast", 5.0), comparisons=[self.comparison(all="slower")])
        assert found["profile"] is None
        assert found["calls"][0]["in_program"]["algorithms"] == ["native"]

    @pytest.mark.parametrize(("low", "expected"), [(512, "native"), (2048, "bcast/flat")])
    def test_nor_does_it_if_other_rules_were_kept(self, document, low, expected):
        back = gone("bcast", low, 4095, "not faster in the program")
        comparisons = [self.comparison(all="undecided")]
        found = document(
            row("Bcast", 5.0), comparisons=comparisons, rules=[KEPT], taken_back=[back]
        )
        assert found["calls"][0]["in_program"]["algorithms"] == [expected]


def test_calls_that_threads_make_at_once_have_shares_of_all_calls(document):
    found = document(row("Bcast", 30.0), row("Reduce", 9.0), row("Ineighbor_x", 1.0))
    assert [call["share"] for call in found["calls"]] == pytest.approx([0.75, 0.225])
    assert found["collective_share"] == pytest.approx(0.975)
    assert found["remaining"][0] == (
        "2.5 % of the time of calls, which several threads make at once, is in calls that profiles"
        " do not choose for"
    )
    only = document(row("Bcast", 40.0))
    assert only["collective_share"] == 1.0
    assert only["remaining"][0].startswith("0 % of")


def test_rules_that_only_did_not_gain_are_one_line_of_the_report(document):
    found = document(row("Bcast", 5.0))
    found["taken_back"] = [
        gone("bcast", 16, 23, "not faster in the program: native / ours 0.99"),
        gone("bcast", 16, 23, "not called by the program; was bcast/flat"),
        gone("bcast", 4096, None, "not called by the program; was bcast/flat"),
        gone("reduce", 0, None, "not faster in the program: native / ours 1.00"),
        gone("gather", 0, 7, "slower in the program: native / ours 0.80"),
    ]
    lines = improvement_report(found).sections[0].lines
    names = "bcast of 16 B .. 23 B, bcast from 4 KiB on, reduce"
    assert [line for line in lines if line.startswith("taken back")] == [
        "taken back: gather of 0 B .. 7 B, slower in the program: native / ours 0.80",
        f"taken back, since the program itself did not become faster by them: {names}",
    ]
