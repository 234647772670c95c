# SPDX-License-Identifier: Apache-2.0
"""The report, the tables and the figures of a probe whose results are known."""

from __future__ import annotations

import json

import pytest
from probe_document import make_document, rtt_us
from report_snapshots import check_snapshot, shown

from espalier.errors import FileError
from espalier.io import documents
from espalier.report.content import to_markdown
from espalier.report.figures.probe import draw
from espalier.report.probe import probe_report, shape_text
from espalier.report.probe_tables import tables_report


@pytest.fixture
def document():
    return make_document()


def test_the_document_fits_its_schema(document):
    documents.parse(json.dumps(document), "document", "espalier-probe", 1)


@pytest.mark.parametrize("columns", [80, 120])
def test_the_report_looks_as_it_should(document, columns, monkeypatch, capsys):
    text = shown(probe_report(document), columns, monkeypatch, capsys)
    assert max(len(line) for line in text.splitlines()) <= columns
    check_snapshot(f"probe_{columns}.txt", text)


def test_the_tables_look_as_they_should(document, monkeypatch, capsys):
    check_snapshot("probe_tables.txt", shown(tables_report(document), 100, monkeypatch, capsys))


def test_what_was_not_measured_is_a_dash_and_said(document):
    for level in document["levels"]:
        level.update(fit=None, loggp=None, latency_table=[], multi_latency=[], multi_bandwidth=[])
    document["complete"] = False
    document["warnings"] = []
    text = to_markdown(probe_report(document))
    assert "(partial)" in text.splitlines()[0]
    assert "links were not measured" in text
    assert "nothing was found" in text
    titles = [section.title for section in tables_report(document).sections]
    assert titles == ["3.3: round trips of 16 KiB between all ranks, us"]


def test_no_knee_is_a_bound_and_not_a_number(document):
    text = to_markdown(probe_report(document))
    (row,) = [line for line in text.splitlines() if line.startswith("| package | between")]
    cells = [cell.strip() for cell in row.split("|")]
    assert cells[5] == "\\>= 4"


def test_pairs_that_disturb_each_other_are_said(document):
    document["probing"]["concurrency"] = {"ratio": 1.6, "num_pairs": 8, "disturbed": True}
    text = to_markdown(probe_report(document))
    assert "1.60 times as long with others, so pairs were measured one by one" in text


def test_a_machine_without_what_its_links_cost():
    assert shape_text("2n[latency=20us] x 2s x 2c[channels=1]") == "2n x 2s x 2c"


def test_many_groups_are_summed_up(document):
    (split,) = document["groups"]
    worse = {**split, "tests": [{**split["tests"][0], "p": 0.04}]}
    document["groups"] = [split] * 5 + [worse, {**split, "accepted": False}]
    text = to_markdown(probe_report(document))
    assert text.count("ranks 0-1; ranks 2-3: accepted") == 4
    assert "3 more divisions, 2 of them accepted, largest p = 0.04" in text


class TestFigures:
    def test_there_is_one_for_each_thing_to_see(self, document, tmp_path):
        drawn = draw(document, tmp_path / "new" / "figures")
        assert [path.name for path in drawn] == [
            "round-trips.svg",
            "fit-node.svg",
            "pairs-node.svg",
            "fit-package.svg",
            "pairs-package.svg",
            "fit-core.svg",
            "pairs-core.svg",
        ]
        for path in drawn:
            assert path.read_text().rstrip().endswith("</svg>")
        fit = (tmp_path / "new" / "figures" / "fit-node.svg").read_text()
        assert "alpha = 20 us" in fit
        assert "eager up to 4 KiB" in fit
        assert "between nodes" in fit

    def test_equal_data_give_equal_files(self, document, tmp_path):
        document["levels"] = document["levels"][:1]
        first = [path.read_bytes() for path in draw(document, tmp_path / "a")]
        second = [path.read_bytes() for path in draw(document, tmp_path / "b")]
        assert first == second
        document["matrix"]["rtt_us"][0][1] = rtt_us("node", 1 << 20)
        (changed, *_more) = draw(document, tmp_path / "c")
        assert changed.read_bytes() != first[0]

    def test_a_scan_alone_has_a_map(self, document, tmp_path):
        for level in document["levels"]:
            level.update(fit=None, latency_table=[], multi_latency=[], multi_bandwidth=[])
        assert [path.name for path in draw(document, tmp_path)] == ["round-trips.svg"]

    def test_a_folder_that_cannot_be(self, document, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(FileError, match="expected a folder for figures"):
            draw(document, tmp_path / "file" / "figures")
