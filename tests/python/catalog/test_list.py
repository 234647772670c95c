# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Callable


def _clean(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def test_table_at_120_columns(cli: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    result = cli("list", "allgather/ring")
    assert result.code == 0
    head, rule, row = result.out.splitlines()
    assert head.split() == ["algorithm", "parameters", "valid", "for", "summary", "source"]
    assert set(rule) == {"\u2500"}
    assert row.rstrip() == (
        "allgather/ring                any number   "
        "every rank hands the block it got last to its right neighbour   thakur2005"
    )
    assert head.index("source") == row.index("thakur2005")


def test_blocks_at_80_columns(cli: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    result = cli("list", "bcast/binomial")
    assert _clean(result.out) == (
        "bcast/binomial  segments=1\n"
        "    in every round each rank that has the message serves one that has not; for\n"
        "    any number of ranks [thakur2005]\n"
    )


@pytest.mark.parametrize("columns", [80, 120])
def test_no_line_is_wider_than_the_terminal(
    cli: Callable, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    assert all(len(line) <= columns for line in cli("list").out.splitlines())


def test_json_holds_the_whole_catalog(cli: Callable) -> None:
    known = [*_core.catalog(), *_core.neighbor_catalog()]
    assert cli("list", "--json").document()["algorithms"] == known


def test_algorithms_of_neighborhoods_say_what_they_need(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    out = cli("list", "neighbor_alltoall").out
    rows = {row.split()[0]: " ".join(row.split()) for row in out.splitlines()[2:] if row[0] != " "}
    assert list(rows) == [
        "neighbor_alltoall/direct",
        "neighbor_alltoall/combining",
        "neighbor_alltoall/node_aware",
    ]
    assert rows["neighbor_alltoall/combining"].endswith("traeff2019")
    explained = cli("list", "*/node_aware", "--explain").out
    assert explained.count("valid for  any neighborhood of ranks whose nodes are known\n") == 2
    assert explained.count("  source     bienz2019\n") == 2
    assert explained.count("are forwarded: their sizes are equal, or exchanged\n") == 2
    assert "forwarded" not in cli("list", "neighbor_allgather/direct", "--explain").out
    names = cli("list", "neighbor_allgather/*", "--json").document()["algorithms"]
    assert [entry["name"] for entry in names] == ["direct", "combining", "node_aware"]


def test_explain_describes_parameters(cli: Callable) -> None:
    algorithms = [entry for entry in _core.catalog() if entry["parameters"]]
    out = cli("list", "--explain").out
    for algorithm in algorithms:
        for parameter in algorithm["parameters"]:
            assert parameter["description"] in out


def test_reductions_say_which_operators_they_serve(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    reductions = [entry for entry in _core.catalog() if entry["orders"]]
    if not reductions:
        pytest.skip("the catalog has no reduction")
    monkeypatch.setenv("COLUMNS", "120")
    name = f"{reductions[0]['collective']}/{reductions[0]['name']}"
    head, _, row, *_ = cli("list", name).out.splitlines()
    assert "operators" in head
    word = {"any": "commutative", "rank": "any", "left": "reproducible"}
    assert row[head.index("operators") :].startswith(word[reductions[0]["orders"][0]])
    assert "operators" in cli("list", name, "--explain").out
    assert "operators" not in cli("list", "allgather").out


def test_pattern_without_match_is_bad_input(cli: Callable) -> None:
    result = cli("list", "nothing")
    assert result.code == 2
    assert result.out == ""
    assert result.err == (
        "espalier: expected a pattern that an algorithm matches, got 'nothing'; "
        "'espalier list' prints all algorithms\n"
    )


def test_table_without_unicode_is_ascii(process: Callable) -> None:
    result = process("list", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert result.code == 0
    assert result.out.isascii()
    assert "allgather/ring" in result.out
