# SPDX-License-Identifier: Apache-2.0
"""Reports as people see them: snapshots at 80 and 120 columns, Markdown and HTML."""

from __future__ import annotations

import pytest
from report_snapshots import check_snapshot, shown

from espalier.conditions import conditions
from espalier.conditions.cautions import to_json
from espalier.errors import ArgumentError, FileError
from espalier.report.compare import comparison_report, verdict_text
from espalier.report.content import (
    Grid,
    Report,
    Section,
    to_html,
    to_markdown,
    write_report,
)
from espalier.report.run import run_summary
from espalier.report.sections import cautions_section
from espalier.report.tune import tuning_report

_ABOUT = {
    "created": "2026-11-21T22:00:00Z",
    "espalier": "0.1.0",
    "machine": {
        "hostname": "n1",
        "cpu": "a processor",
        "num_cores": 4,
        "memory_bytes": 16 * 1024**3,
        "kernel": "Linux 6.1",
    },
    "mpi": {"vendor": "openmpi", "version": "Open MPI v4.1.4"},
    "warnings": [
        {
            "name": "oversubscribed",
            "text": "4 ranks share 2 processors, so times contain waiting for the scheduler",
            "advice": "measure where each rank has a processor",
        }
    ],
}


def interval(median, low, high, unit="", confidence=0.95):
    return {
        f"median{unit}": median,
        f"low{unit}": low,
        f"high{unit}": high,
        "confidence": confidence,
        "count": 60,
    }


def measured(num_bytes, native, best, ratio, algorithm="native", *, confirmed=False):
    middle, low, high = ratio
    return {
        "collective": best.partition("/")[0],
        "bytes": num_bytes,
        "algorithm": algorithm,
        "reason": "why",
        "confirmed": confirmed,
        "native": interval(native, 0.98 * native, 1.02 * native, "_us"),
        "best": best,
        "candidates": {
            best: {
                "time": interval(native / middle, native / high, native / low, "_us"),
                "ratio": interval(middle, low, high),
            }
        },
    }


@pytest.fixture
def tuning():
    bruck = "allgather/bruck"
    long = "allgather/orthogonal[rows=2,inner=sparbit[batch=0]]"
    return {
        **_ABOUT,
        "profile": "espalier-profile.json",
        "command": "espalier tune --time-budget 40s -- mpirun -n 4",
        "complete": True,
        "seconds": 41.5,
        "num_ranks": 4,
        "num_nodes": 1,
        "method": {
            "confidence": 0.95,
            "min_gain": 0.02,
            "correction": "Holm over 4 decisions, each from two fresh launches",
            "time_budget_seconds": 40.0,
        },
        "points": [
            measured(64, 6.43, bruck, (1.31, 1.22, 1.40), bruck, confirmed=True),
            measured(4096, 28.0, long, (0.94, 0.93, 0.97)),
            measured(65536, 101.0, bruck, (1.01, 0.97, 1.04), confirmed=True),
            measured(1048576, 306.0, bruck, (1.012, 1.004, 1.02), confirmed=True),
            measured(64, 7.18, "bcast/flat", (1.2, 1.1, 1.3)),
            measured(4096, 9.5, "bcast/flat", (1.05, 1.01, 1.09), confirmed=True),
        ],
        "rules": [
            {
                "collective": "allgather",
                "min_bytes": 0,
                "max_bytes": 512,
                "algorithm": bruck,
                "reason": "1.31x faster than native (95 % interval 1.22 .. 1.40)",
            },
            {
                "collective": "allgather",
                "min_bytes": 513,
                "max_bytes": None,
                "algorithm": "native",
                "reason": "nothing is significantly faster at 3 sizes",
            },
        ],
    }


def compared(before, after, ratio, verdict, confidence=0.95):
    def around(value, low, high):
        return {"value": value, "low": low, "high": high, "confidence": confidence, "count": 7}

    return {
        "before_seconds": around(before, 0.98 * before, 1.02 * before),
        "after_seconds": around(after, 0.98 * after, 1.02 * after),
        "ratio": around(*ratio),
        "verdict": verdict,
    }


def row(function, num_bytes, comparison, *chosen):
    return {
        "function": function,
        "num_ranks": 4,
        "min_bytes": num_bytes,
        "max_bytes": 2 * num_bytes - 1,
        "calls": 281,
        "bytes": 281 * num_bytes,
        "native_seconds": 0.0688,
        "espalier_seconds": 0.0502,
        "comparison": comparison,
        "chosen": [
            {"algorithm": name, "reason": reason, "native": name == "native"}
            for name, reason in chosen
        ],
    }


@pytest.fixture
def comparison():
    faster = compared(0.0688, 0.0502, (1.37, 1.21, 1.52), "faster")
    same = compared(0.0688, 0.0702, (0.98, 0.91, 1.04), "same call")
    reason = "profile rule 0: 1.31x faster than native (95 % interval 1.22 .. 1.40)"
    return {
        **_ABOUT,
        "command": "mpirun -n 4 hpcc",
        "repeat": "espalier compare --profile p.json --repetitions 7 --seed 1 -- mpirun -n 4 hpcc",
        "profile": "p.json",
        "force": "",
        "method": {"confidence": 0.95, "repetitions": 7, "seed": 1},
        "num_blocks": 7,
        "seconds": 53.4,
        "complete": True,
        "wall": compared(7.78, 7.75, (1.004, 0.981, 1.02), "no significant difference"),
        "program": compared(6.61, 6.5, (1.017, 1.004, 1.03), "faster"),
        "served_share": 0.013,
        "collectives": [
            row("MPI_Allgather", 64, faster, ("allgather/bruck", reason)),
            row("MPI_Bcast", 16, same, ("native", "profile rule 7: nothing is faster")),
            row("MPI_Bcast", 65536, None, ("bcast/flat", reason), ("native", "no data")),
        ],
    }


def test_launches_that_disagree_are_told_apart_from_gains_that_are_not_significant(
    tuning, monkeypatch, capsys
):
    tuning["points"][-1]["reason"] = "launches disagree: bcast/flat 1.05x, but 1.01x in one of 2"
    text = shown(tuning_report(tuning), 120, monkeypatch, capsys)
    assert "native: launches disagree" in text
    assert "not significant" not in text


@pytest.mark.parametrize("columns", [80, 120])
def test_the_tuning_report(tuning, columns, monkeypatch, capsys):
    text = shown(tuning_report(tuning), columns, monkeypatch, capsys)
    assert max(len(line) for line in text.splitlines()) <= columns
    check_snapshot(f"tuning_{columns}.txt", text)


@pytest.mark.parametrize("columns", [80, 120])
def test_the_comparison_report(comparison, columns, monkeypatch, capsys):
    text = shown(comparison_report(comparison), columns, monkeypatch, capsys)
    check_snapshot(f"comparison_{columns}.txt", text)


def test_reports_are_plain_where_output_is_not_a_terminal(tuning, monkeypatch, capsys):
    assert "\x1b" not in shown(tuning_report(tuning), 120, monkeypatch, capsys)


def test_an_interrupted_tuning_says_so(tuning):
    tuning["complete"] = False
    text = to_markdown(tuning_report(tuning))
    assert "(interrupted)" in text
    assert "what was not confirmed is native" in text


def test_a_comparison_without_a_block_claims_nothing(comparison):
    comparison |= {"wall": None, "program": None, "served_share": None, "collectives": []}
    comparison |= {"num_blocks": 0, "complete": False}
    text = to_markdown(comparison_report(comparison))
    assert "not one block of runs was finished" in text
    assert "only 0 of 7 blocks were finished" in text


@pytest.mark.parametrize(
    ("verdict", "ratio", "expected"),
    [
        ("faster", (1.2, 1.1, 1.3), "1.200x faster (95 % interval 1.100 .. 1.300)"),
        ("slower", (0.8, 0.7, 0.9), "1.250x slower (without / with: 95 % interval 0.700 .. 0.900)"),
        ("no significant difference", (1.0, 0.98, 1.01), "a difference above 2 % is unlikely"),
        ("too few repetitions", (1.5, 1.0, 2.0), "too few repetitions: without / with 1.500"),
    ],
)
def test_verdicts_have_ratio_interval_and_times(verdict, ratio, expected):
    text = verdict_text(compared(2.1, 2.0, ratio, verdict))
    assert expected in text
    assert "2.10 s without, 2.00 s with" in text


def test_markdown_and_html_leave_no_markup_in_the_text(tmp_path):
    hostile = Report(
        "a < b", [Section("x", ["1 * 2 | 3 <script>"], [Grid(("c",), (), [["d|e<f"]])])]
    )
    assert "1 \\* 2 \\| 3 \\<script\\>" in to_markdown(hostile)
    assert "d\\|e\\<f" in to_markdown(hostile)
    page = to_html(hostile)
    assert "<script>" not in page
    assert "d|e&lt;f" in page
    write_report(hostile, tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == page


def test_markdown_rows_have_as_many_cells_as_columns(comparison):
    lines = to_markdown(comparison_report(comparison)).splitlines()
    tables = [line for line in lines if line.startswith("|")]
    counts = {line.replace("\\|", "").count("|") for line in tables}
    assert len(counts) == 1


def test_reports_that_cannot_be_written(tmp_path):
    empty = Report("t", [])
    with pytest.raises(ArgumentError, match=r"expected a report file \*\.md or \*\.html"):
        write_report(empty, tmp_path / "r.pdf")
    with pytest.raises(FileError, match="expected a file that can be written"):
        write_report(empty, tmp_path / "nowhere" / "r.md")


def test_warnings_have_advice():
    header = {"max_ranks_per_node": 4, "min_cpus_per_node": 2}
    (caution,) = conditions.of_job(header)
    assert caution.text.startswith("4 ranks share 2 processors")
    assert caution.advice
    assert conditions.of_job({"max_ranks_per_node": 2, "min_cpus_per_node": 2}) == []
    assert conditions.of_noise([[1.0, 1.01, 1.02, 1.01]], "x") == []
    assert conditions.of_noise([[1.0, 2.0, 3.0, 4.0]], "x")[0].name == "noise"
    assert cautions_section(to_json([caution])).lines == [f"{caution.text}; {caution.advice}"]
    assert cautions_section([]).lines == ["nothing was found"]


def test_the_summary_of_calls_that_threads_make_at_once():
    call = {"function": "MPI_Bcast", "num_ranks": 2, "count": 2400, "bytes": 2400, "native": True}
    call |= {"reporting_ranks": 2, "seconds": 40.0, "algorithm": "native", "reason": "no profile"}
    explained = {"calls": [call], "mappings": [], "num_files": 2, "seconds": 5.0, "warnings": []}
    assert run_summary(explained).startswith(
        "espalier: 2 ranks, 5.00 s between MPI_Init and MPI_Finalize, 20.0 s a rank in 2400 calls"
        " in several threads at once; 0 were"
    )
    call["seconds"] = 8.0
    assert "MPI_Finalize, 4.00 s of it a rank in 2400 calls; 0 were" in run_summary(explained)


def test_calls_that_threads_make_at_once_bound_nothing(comparison):
    comparison["served_share"] = 1.0
    (line,) = [line for line in comparison_report(comparison).sections[0].lines if "calls" in line]
    assert line.startswith("calls in several threads at once take longer than the program")


def test_an_interrupted_tuning_tells_the_command_that_goes_on(tuning):
    tuning["command"] = "espalier tune --sizes 64 -- mpirun -n 4"
    section = tuning_report(tuning).sections[-1]
    assert (section.title, section.command) == ("How to repeat", tuning["command"])
    tuning["complete"] = False
    section = tuning_report(tuning).sections[-1]
    assert section.title == "How to go on"
    assert section.command == "espalier tune --resume --sizes 64 -- mpirun -n 4"
    tuning["command"] = "espalier tune simulate --machine '2n x 4c' -o p.json"
    tuning["method"] |= {"is_simulated": True, "candidates": "all", "refined_to": 2}
    tuning["machine"] |= {"text": "2n x 4c", "placement": "block"}
    section = tuning_report(tuning).sections[-1]
    assert section.command == "espalier tune simulate --resume --machine '2n x 4c' -o p.json"


def test_the_summary_of_a_run_without_calls():
    explained = {"calls": [], "mappings": [], "num_files": 2, "seconds": 1.5}
    explained["warnings"] = ["rank 0: odd"]
    text = run_summary(explained)
    assert "2 ranks, 1.50 s between MPI_Init and MPI_Finalize" in text
    assert "warning: rank 0: odd" in text
