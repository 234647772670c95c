# SPDX-License-Identifier: Apache-2.0
"""Tables on narrow terminals: every number stays whole, and every label can be read."""

from __future__ import annotations

import re

import pytest
from probe_document import make_document
from report_snapshots import shown

from espalier.report.column_widths import fitted
from espalier.report.content import Grid, Report, Section
from espalier.report.probe_tables import tables_report

_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def table(grid, columns, monkeypatch, capsys):
    return shown(Report("title", [Section("section", grids=[grid])]), columns, monkeypatch, capsys)


def test_a_table_that_fits_is_as_wide_as_its_cells():
    assert fitted([("a", "bcd"), ("x y", "1")], [False, True], 6) == [3, 3]


def test_text_breaks_before_numbers():
    columns = [("level", "a machine with words"), ("time", "1 .. 2")]
    assert fitted(columns, [False, True], 18) == [12, 6]


def test_numbers_part_at_blanks_and_no_further():
    columns = [("level", "node"), ("MB/s", "12400 (12345 .. 12407)")]
    assert fitted(columns, [False, True], 20) == [5, 15]
    assert fitted(columns, [False, True], 5) == [5, 6]


def test_names_break_where_they_must():
    columns = [("best", "orthogonal[rows=2,inner=sparbit]"), ("ratio", "1.31x")]
    assert fitted(columns, [False, True], 20) == [15, 5]


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_numbers_and_labels_stay(columns, monkeypatch, capsys):
    names = tuple(f"{name} MB/s" for name in ("smallest", "median", "largest", "total"))
    interval = "12400 (12345 .. 12407)"
    grid = Grid(("level", *names), names, [["package", *[interval] * 4], ["node", *["-"] * 4]])
    text = table(grid, columns, monkeypatch, capsys)
    for word in ("12400", "12345", "12407"):
        assert len(re.findall(rf"\b{word}\b", text)) == 4
    for label in ("level", "package", "node", "smallest", "median", "largest", "total"):
        assert label in text


def test_a_matrix_of_many_ranks_is_whole(monkeypatch, capsys):
    names = ("rank", *map(str, range(24)))
    rows = [[str(rank), *[f"{1000 + rank}.5"] * 24] for rank in range(24)]
    text = table(Grid(names, names, rows), 80, monkeypatch, capsys)
    assert text.count("1023.5") == 24


def test_tables_of_a_probe_have_all_numbers_at_80_columns(monkeypatch, capsys):
    document = make_document()
    for level in document["levels"]:
        for row in level["multi_bandwidth"]:
            row["total_bytes_per_s"] *= 100
        if level["fit"] is not None:
            bandwidth = level["fit"]["bandwidth_megabytes_per_s"]
            bandwidth.update({name: 123.4 * value for name, value in bandwidth.items()})
    report = tables_report(document)
    text = shown(report, 80, monkeypatch, capsys)
    wanted = [
        number
        for section in report.sections
        for grid in section.grids
        for row in grid.narrowed(80).rows
        for cell in row
        for number in _NUMBER.findall(cell)
    ]
    found = _NUMBER.findall(text)
    for number in set(wanted):
        assert found.count(number) >= wanted.count(number), number
