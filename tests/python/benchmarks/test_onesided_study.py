# SPDX-License-Identifier: Apache-2.0
"""The runs and the page of the study of one-sided communication."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest
import tomllib
from places import repository

FOLDER = repository / "benchmarks" / "onesided"
sys.path[:0] = [str(FOLDER.parent), str(FOLDER.parent / "reproduce")]

import pages  # noqa: E402

DECLARED = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
PAGE = pages.module_of(FOLDER)
TABLES = PAGE.tree_tables
ROWS = [
    {"bytes": 8, "call": "bcast", "manner": "strict", "tree": "k_ary[k=2]", "us": 20.0}
    | {"theirs_us": {"mpich": 10.0, "ompi": 40.0}},
    {"bytes": 8, "call": "bcast", "manner": "apart", "tree": "k_ary[k=2]", "us": 8.0}
    | {"theirs_us": {"mpich": 10.0, "ompi": 40.0}},
    {"bytes": 8, "call": "bcast", "manner": "loose", "tree": "k_ary[k=4]", "us": 5.0}
    | {"theirs_us": {"mpich": 10.0, "ompi": 20.0}},
    {"bytes": 4096, "call": "bcast", "manner": "strict", "tree": "k_ary[k=2]", "us": 80.0}
    | {"theirs_us": {"mpich": 160.0, "ompi": 160.0}},
    {"bytes": 4096, "call": "bcast", "manner": "loose", "tree": "k_ary[k=2]", "us": 64.0}
    | {"theirs_us": {"mpich": 160.0, "ompi": 160.0}},
]


def _study() -> object:
    spec = importlib.util.spec_from_file_location("study_of_onesided", FOLDER / "study.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_runs_on_hosts_are_started_there() -> None:
    study = _study()
    for run in DECLARED["study"]["runs"]:
        if "machine" in run:
            continue
        words = study.command(run, Path("program"))
        place = words.index("program")
        assert words[place + 1 : place + 3] == [run["conduit"], str(run["num_samples"])]
        if "hosts" in run:
            per_host = int(words[words.index("--ranks-per-host") + 1])
            assert run["hosts"] * per_host == run["num_ranks"]
        else:
            assert "cluster" not in words


def test_floods_are_shown_by_size_and_links() -> None:
    rows = [
        {"bytes": 1000, "links": 1, "transfers": 2, "puts": 1e-5, "messages": 2e-5},
        {"bytes": 1000, "links": 6, "transfers": 2, "puts": 4e-6, "messages": 4e-6},
    ]
    head, _, row = PAGE.links_table(rows).splitlines()
    assert head == "| size | 1 link | 6 links |"
    assert row.endswith("| 200 and 100 MB/s, 2.00x | 500 and 500 MB/s, 1.00x |")


def test_floods_go_to_different_neighbours() -> None:
    links = DECLARED["study"]["links"]
    assert len(set(links["neighbours"])) == max(links["num_links"]) == 6
    assert max(links["neighbours"]) < links["num_ranks"]


def test_the_fastest_tree_stands_beside_both_libraries() -> None:
    one = {"call": "bcast", "manner": "loose"}
    records = [
        {**one, "peer": "mpich", "tree": "", "us": 9.0},
        {**one, "peer": "mpich", "tree": "k_ary[k=2]", "us": 5.0},
        {**one, "peer": "mpich", "tree": "k_ary[k=4]", "us": 4.0},
        {**one, "peer": "ompi", "tree": "", "us": 3.0},
    ]
    theirs = {"mpich": 9.0, "ompi": 3.0}
    expected = {**one, "tree": "k_ary[k=4]", "us": 4.0, "theirs_us": theirs}
    assert _study().fastest_trees(records) == [expected]


def test_trees_are_of_a_machine_with_published_gains() -> None:
    study, wanted = _study(), DECLARED["study"]["trees"]
    source = study.declared_by(wanted)
    assert "{nodes}n" in source["machines"][wanted["machine"]]["text"]
    assert set(wanted["published"]) == set(source["published"]["table_5_2"])
    assert f"k_nomial[k={wanted['num_ranks']}]" in study.tree_names(wanted)


def test_gains_are_to_the_faster_library_up_to_a_size() -> None:
    assert TABLES.gains(ROWS, "bcast", "strict", 2048).percents == [-100]
    assert str(TABLES.gains(ROWS, "bcast", "strict", 4096)) == "-100 / -25 / 50"


def test_losses_are_told_where_there_are_any() -> None:
    peers = {"mpich": "M", "ompi": "O"}
    assert TABLES.verdict(ROWS, "bcast", 2048) == "apart and loose only"
    assert TABLES.lost_sentence(ROWS, peers) == (
        "Ours is slower in 1 of 10 comparisons, most in strict bcast of 8 B, where M takes 0.50 of "
        "its time."
    )
    assert TABLES.lost_sentence(ROWS[1:], peers) == "Ours is slower in none of 8 comparisons."


def test_times_are_shown_by_manner_and_size() -> None:
    head, _, *rows = TABLES.time_table(ROWS[::-1], {"mpich": "M", "ompi": "O"}).splitlines()
    assert head.endswith("| ours: us | M: us, native / ours | O: us, native / ours |")
    assert rows[0] == "| bcast | strict | 8 B | 20.0, k_ary[k=2] | 10.0, 0.50x | 40.0, 2.00x |"
    assert [row.split(" | ")[1] for row in rows] == ["strict", "strict", "apart", "loose", "loose"]
    assert TABLES.synchronization(ROWS, "bcast") == "4.00 at 8 B, 1.25 at 4 KiB"


def test_titles_of_runs_differ() -> None:
    titles = [run["title"] for run in DECLARED["study"]["runs"]]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize(
    ("what", "kind"),
    [("strict sum", "strict"), ("loose broadcast", "loose"), ("sums underway", "underway")],
)
def test_a_goal_is_for_a_kind(what: str, kind: str) -> None:
    assert PAGE.kind_of({"what": what}) == kind


def test_a_mean_is_geometric() -> None:
    assert PAGE.mean([{"ratio": 0.5}, {"ratio": 2.0}]) == pytest.approx(1.0)
