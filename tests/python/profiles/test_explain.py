# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from espalier.io import documents
from espalier.profiles import prediction, profiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Write = Callable[[list[dict[str, Any]]], Path]


def _decisions(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    keys = ("num_ranks", "min_bytes", "max_bytes", "algorithm", "borrowed")
    return [tuple(decision[key] for key in keys) for decision in document["decisions"]]


def test_the_example_profile_fits_its_schema(profile: dict[str, Any]) -> None:
    documents.parse(json.dumps(profile), "profile", "espalier-profile", 1)


def test_decisions_cover_all_sizes(cli: Callable, profile_file: Path) -> None:
    document = cli("explain", profile_file, "--json").document()
    assert _decisions(document) == [
        (4, 0, 8191, "native", False),
        (4, 8192, None, "allgather/ring", False),
    ]


def test_sizes_between_rules_are_native(
    cli: Callable, profile: dict[str, Any], tmp_path: Path
) -> None:
    profile["rules"][1] |= {"min_bytes": 16384, "max_bytes": 32767}
    path = tmp_path / "gaps.json"
    path.write_text(json.dumps(profile))
    assert _decisions(cli("explain", path, "--json").document()) == [
        (4, 0, 8191, "native", False),
        (4, 8192, 16383, "native", False),
        (4, 16384, 32767, "allgather/ring", False),
        (4, 32768, None, "native", False),
    ]


def test_another_shape_borrows_and_says_so(cli: Callable, profile_file: Path) -> None:
    arguments = ("explain", profile_file, "--collective", "allgather", "--ranks", 6)
    assert _decisions(cli(*arguments, "--json").document()) == [
        (6, 0, 8191, "native", True),
        (6, 8192, None, "allgather/ring", True),
    ]
    out = cli(*arguments).out
    assert "borrowed from 4 ranks on 1 node" in out
    assert "tune with this one to be sure" in out


def test_one_size_shows_its_rule_and_the_nearest_measurement(
    cli: Callable, profile_file: Path
) -> None:
    document = cli("explain", profile_file, "--bytes", "48KiB", "--json").document()
    assert _decisions(document) == [(4, 8192, None, "allgather/ring", False)]
    assert [entry["bytes"] for entry in document["evidence"]] == [40_000]


def test_predictions_recover_the_numbers_behind_the_measurements(
    cli: Callable, profile_file: Path
) -> None:
    document = cli("explain", profile_file, "--bytes", "40000", "--json").document()
    (entry,) = document["evidence"]
    assert entry["model"]["latency_us"] == pytest.approx(1.0)
    assert entry["model"]["us_per_byte"] == pytest.approx(0.001)
    ring = next(row for row in entry["times"] if row["algorithm"] == "allgather/ring")
    assert ring["chosen"]
    assert ring["predicted_us"] == pytest.approx(33.0)
    native = next(row for row in entry["times"] if row["algorithm"] == "native")
    assert native["predicted_us"] is None


def test_too_little_to_fit_gives_no_prediction(profile: dict[str, Any]) -> None:
    points = list(prediction.points_of(profile["rules"]))
    assert len(points) == 4
    assert prediction.fit(points) is not None
    assert prediction.fit(points[:3]) is None
    assert prediction.fit([points[0]] * 4) is None


def test_human_view_names_profile_machine_reasons_and_gain(
    cli: Callable, profile_file: Path
) -> None:
    out = cli("explain", profile_file, "--collective", "allgather", "--bytes", "64KiB").out
    for words in (
        str(profile_file),
        "openmpi 4.1.4",
        "n1, a processor",
        "espalier tune -- mpirun -n 4",
        "[1] profile rule 1: 1.31x faster than native (95 % interval 1.18 .. 1.44)",
        "33.0 us   31.7 .. 34.6 us     33.0 us   1.31x (1.18 .. 1.44)",
        "43.2 us   41.5 .. 45.4 us               1 (reference)",
        "1.00 us a round and 0.931 GiB/s, fitted to 4 measurements",
    ):
        assert words in out


def test_a_collective_without_rules_is_native(cli: Callable, profile_file: Path) -> None:
    result = cli("explain", profile_file, "--collective", "bcast", "--ranks", 4)
    assert result.code == 0
    assert result.out.splitlines()[-1].endswith("every call runs natively.")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"schema": "something"}, ["schema", "espalier-profile", "something"]),
        ({"version": 2}, ["version", "at most 1"]),
        ({"rules": 3}, ["rules"]),
        ({"mpi": {}}, ["vendor"]),
    ],
)
def test_a_wrong_profile_is_one_line_and_exit_code_2(
    cli: Callable, profile: dict[str, Any], tmp_path: Path, change: dict[str, Any], words: list[str]
) -> None:
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(profile | change))
    result = cli("explain", path)
    assert result.code == 2
    assert result.err.count("\n") == 1
    for word in [str(path), *words]:
        assert word in result.err


def test_evidence_of_another_form_is_refused(profile: dict[str, Any], tmp_path: Path) -> None:
    profile["rules"][0]["evidence"][0]["native"] = {"median_us": "fast"}
    path = tmp_path / "wrong.json"
    path.write_text(json.dumps(profile))
    with pytest.raises(documents.FormatError, match=r"rules\[0\]\.evidence\[0\]\.native"):
        profiles.read(path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--collective", "jgather"], ["allgatherv, allreduce", "'jgather'"]),
        (["--ranks", "0"], ["at least 1, got 0"]),
        (["--nodes", "2"], ["--ranks together with --nodes"]),
        (["--ranks", "2", "--nodes", "3"], ["1 .. 2, got 3"]),
        (["--bytes", "many"], ["64KiB", "'many'"]),
        (["--bytes", "1.5"], ["whole number of bytes"]),
    ],
)
def test_a_wrong_question_is_exit_code_2(
    cli: Callable, profile_file: Path, arguments: list[str], words: list[str]
) -> None:
    result = cli("explain", profile_file, *arguments)
    assert result.code == 2
    for word in words:
        assert word in result.err


def test_a_missing_file_is_exit_code_1(cli: Callable, tmp_path: Path) -> None:
    result = cli("explain", tmp_path / "profile.json")
    assert result.code == 1
    assert "No such file or directory" in result.err


def test_a_run_is_summed_over_ranks_costliest_first(
    cli: Callable, statistics: list[dict[str, Any]], statistics_folder: Write
) -> None:
    document = cli("explain", statistics_folder(statistics), "--json").document()
    bcast, allgather = document["calls"]
    assert (bcast["function"], bcast["count"], bcast["bytes"]) == ("MPI_Bcast", 200, 120_000)
    assert bcast["seconds"] == pytest.approx(0.0246)
    assert bcast["seconds_per_call"] == pytest.approx(0.000123)
    assert bcast["share"] == pytest.approx(0.0246 / 3.86)
    assert bcast["borrowed"]
    assert not bcast["native"]
    assert allgather["native"]
    assert not allgather["borrowed"]
    assert allgather["longest_rank_seconds"] == pytest.approx(0.0002)
    assert document["warnings"] == []


def test_shares_of_calls_that_threads_make_at_once_are_of_all_calls(
    cli: Callable, statistics: list[dict[str, Any]], statistics_folder: Write
) -> None:
    for rank in statistics:
        for call in rank["calls"]:
            call["seconds"] = 2 * rank["seconds"]
    folder = statistics_folder(statistics)
    shares = [call["share"] for call in cli("explain", folder, "--json").document()["calls"]]
    assert shares == pytest.approx([0.5, 0.5])
    out = cli("explain", folder).out
    assert "Several threads made calls at once: shares are of the time of all calls." in out


@pytest.mark.parametrize("columns", [80, 120])
def test_a_run_for_people(
    cli: Callable,
    statistics: list[dict[str, Any]],
    statistics_folder: Write,
    monkeypatch: pytest.MonkeyPatch,
    columns: int,
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = cli("explain", statistics_folder(statistics))
    assert result.code == 0
    lines = result.out.splitlines()
    assert lines[0] == "2 ranks under Open MPI v4.1.4, 1.93 s from MPI_Init to MPI_Finalize"
    assert "[1] profile rule 3, borrowed from 4 ranks on 1 node: 1.31x faster" in lines
    assert all(len(line) <= columns for line in lines)


def test_doubts_about_a_run_are_told(
    cli: Callable, statistics: list[dict[str, Any]], statistics_folder: Write
) -> None:
    statistics[1] |= {"finalized": False, "warnings": ["the profile is for mpich"], "num_ranks": 3}
    statistics[0]["num_ranks"] = 3
    out = cli("explain", statistics_folder(statistics)).out
    assert "warning: expected files of 3 ranks, found 2" in out
    assert "warning: ranks 1 ended without MPI_Finalize" in out
    assert "warning: rank 1: the profile is for mpich" in out


def test_files_of_another_run_do_not_count(
    cli: Callable, statistics: list[dict[str, Any]], statistics_folder: Write
) -> None:
    alone = statistics_folder(statistics)
    expected = cli("explain", alone, "--json").document()
    for rank, num_ranks in ((2, 4), (3, 4), (5, 2)):
        other = {**statistics[0], "rank": rank, "num_ranks": num_ranks, "seconds": 100.0}
        (alone / f"rank-{rank}.json").write_text(json.dumps(other))
    document = cli("explain", alone, "--json").document()
    (doubt,) = document.pop("warnings")
    assert doubt.startswith("expected files of one run, found 3 of another one, which are left out")
    assert "empty the folder first" in doubt
    assert document == {key: value for key, value in expected.items() if key != "warnings"}


@pytest.mark.parametrize("other", [{"run": "of yesterday"}, {}])
def test_files_of_another_run_with_as_many_ranks_do_not_count(
    cli: Callable,
    statistics: list[dict[str, Any]],
    statistics_folder: Write,
    other: dict[str, Any],
) -> None:
    statistics[0]["run"] = "of today"
    statistics[1] |= other
    document = cli("explain", statistics_folder(statistics), "--json").document()
    assert document["num_files"] == 1
    assert document["warnings"][0].startswith("expected files of one run, found 1 of another one")
    assert document["warnings"][1].startswith("expected files of 2 ranks, found 1")


def test_an_empty_folder_is_exit_code_2(cli: Callable, tmp_path: Path) -> None:
    result = cli("explain", tmp_path)
    assert result.code == 2
    assert "ESPALIER_STATISTICS" in result.err


def test_a_folder_takes_no_question(
    cli: Callable, statistics: list[dict[str, Any]], statistics_folder: Write
) -> None:
    result = cli("explain", statistics_folder(statistics), "--ranks", 4)
    assert result.code == 2
    assert "leave them out" in result.err


def test_a_truncated_file_of_a_rank_is_named(
    cli: Callable, statistics: list[dict[str, Any]], statistics_folder: Write
) -> None:
    folder = statistics_folder(statistics)
    (folder / "rank-1.json").write_text('{"schema": "espalier-statistics", ')
    result = cli("explain", folder)
    assert result.code == 2
    assert "rank-1.json: expected JSON" in result.err


def test_waiting_for_nonblocking_calls_counts(
    cli: Callable, statistics: list[dict[str, Any]], statistics_folder: Callable
) -> None:
    for rank in statistics:
        completed = {"count": 2, "tests": 0, "waiting_seconds": 1.5, "work_seconds": 0.04}
        rank["calls"][0] |= {"function": "MPI_Iallgather", "count": 2, "seconds": 0.5}
        rank["calls"][0]["completed"] = completed
    folder = statistics_folder(statistics)
    result = cli("explain", folder, "--json").document()
    (call,) = [call for call in result["calls"] if call["function"] == "MPI_Iallgather"]
    assert call["seconds"] == pytest.approx(len(statistics) * 2.0)
    assert call["manner"].endswith("beside 20.0 ms of work")
    assert "those of their start and of waiting for them" in cli("explain", folder).out
