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
