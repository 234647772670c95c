# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from espalier import _core
from espalier.catalog import catalog

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from espalier._core import Algorithm

SVG = "{http://www.w3.org/2000/svg}"


@pytest.mark.parametrize("columns", [80, 120])
def test_holdings_with_facts(cli: Callable, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = cli("show", "allgather/ring", "-p", 4)
    assert result.code == 0
    assert (
        result.out
        == """\
allgather/ring on 4 ranks
  every rank hands the block it got last to its right neighbour

blocks held, p = 4     rank 0   rank 1   rank 2   rank 3
start                  0        1        2        3
after round 0          03       01       12       23
after round 1          023      013      012      123
after round 2          0123     0123     0123     0123

Rounds    3
Messages  3 at most sent by one rank
Bytes     3/4 m at most sent by one rank, m = bytes of the result
Time      3 alpha + 3/4 m beta, without contention
Valid     any number of ranks
Source    thakur2005
"""
    )


def test_messages_name_source_destination_and_blocks(cli: Callable) -> None:
    out = cli("show", "bcast/binomial", "-p", 5, "--root", 2, "--form", "messages").out
    assert "round 0: 2 -> 1 {0}\n" in out
    assert out.count(" -> ") == 4


def test_rank_shows_its_program(cli: Callable) -> None:
    out = cli("show", "allgather/ring", "-p", 4, "--rank", 1).out
    assert _core.program_text("allgather/ring", 4, 0, 1) in out
    assert "rank 2 of 4" not in out


def test_one_rank_of_very_many(cli: Callable) -> None:
    out = cli("show", "bcast/binomial", "-p", 1 << 20, "--rank", 5).out
    assert "0  round 19 recv from 4 output 0\n" in out
    assert "Rounds    20\n" in out


def test_text_is_the_programs_of_all_ranks_and_nothing_else(cli: Callable) -> None:
    out = cli("show", "allgather/ring", "-p", 3, "--form", "text").out
    assert out.startswith("rank 0 of 3")
    assert [line for line in out.splitlines() if line.startswith("rank")][1:] == [
        "rank 1 of 3: 3 output blocks, 2 rounds",
        "rank 2 of 3: 3 output blocks, 2 rounds",
    ]


def test_json_programs_fit_their_schema_and_the_prover(cli: Callable) -> None:
    document = cli("show", "bcast/binomial[segments=2]", "-p", 6, "--form", "json").document()
    assert document["schema"] == "espalier-programs"
    assert document["algorithm"] == "bcast/binomial[segments=2]"
    texts = [json.dumps(program) for program in document["programs"]]
    assert _core.verify_programs(texts, "bcast")["holds"]


def test_costs_are_counted_where_there_is_no_closed_form(cli: Callable) -> None:
    out = cli("show", "bcast/scatter_allgather", "-p", 6).out
    assert "Time      8 alpha + 5/3 m beta, counted (no closed form), without contention\n" in out
    costs = cli("show", "bcast/scatter_allgather", "-p", 6, "--json").document()["costs"]
    assert costs["closed_form"] is None
    assert costs["counted"] == {"rounds": 8, "volume": 10, "reductions": 0}
    costs = cli("show", "bcast/binomial", "-p", 6, "--json", "--rank", 0).document()["costs"]
    assert costs == {
        "closed_form": {"rounds": 3, "volume": 3, "reductions": 0},
        "counted": None,
    }


def _reductions() -> list[str]:
    return [catalog.full_name(entry) for entry in _core.catalog() if entry["orders"]]


@pytest.mark.parametrize("choice", ["allgather/bruck", "bcast/chain", *_reductions()[:3]])
def test_usual_form_is_what_ranks_hold_or_send(cli: Callable, choice: str) -> None:
    document = cli("show", choice, "--json").document()
    is_held = choice.startswith(("allgather/", "bcast/"))
    assert document["form"] == ("holdings" if is_held else "sent")
    draw = _core.draw_holdings if is_held else _core.draw_sent
    assert document["drawing"] == draw(choice, 4).rstrip("\n")


def test_order_of_operands_is_said_of_reductions(cli: Callable) -> None:
    names = _reductions()
    if not names:
        pytest.skip("the catalog has no reduction")
    document = cli("show", names[0], "--json").document()
    assert document["order"] == _core.order(names[0], 4)
    assert "\nOrder     " in cli("show", names[0]).out
    assert cli("show", "allgather/ring", "--json").document()["order"] is None


def test_every_algorithm_is_drawn_in_each_form(cli: Callable) -> None:
    for algorithm in _core.catalog():
        num_ranks = next(
            ranks
            for ranks in (6, 8, 9, 4)
            if any(
                catalog.name_of(choice) == catalog.full_name(algorithm)
                for choice in _core.variants(algorithm["collective"], ranks)
            )
        )
        for form in ("sent", "messages", "text", "json", "svg"):
            result = cli(
                "show",
                _first_variant(algorithm, num_ranks),
                "-p",
                num_ranks,
                "--form",
                form,
                "--machine",
                "node:2 core:8",
            )
            assert result.code == 0, result.err


def _first_variant(algorithm: Algorithm, num_ranks: int) -> str:
    return next(
        choice
        for choice in _core.variants(algorithm["collective"], num_ranks)
        if catalog.name_of(choice) == catalog.full_name(algorithm)
    )


@pytest.mark.parametrize("columns", [80, 120])
def test_machine_adds_what_crosses_its_nodes(
    cli: Callable, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    out = cli(
        "show",
        "allgather/bruck",
        "-p",
        8,
        "--machine",
        "node:2 core:4",
        "--placement",
        "block",
        "--bytes",
        "1KiB",
    ).out
    assert "\nMachine   node:2 core:4, block\n" in out
    rows = [line.split() for line in out.splitlines()[-4:]]
    assert rows == [
        ["round", "0", "2", "2048"],
        ["round", "1", "4", "8192"],
        ["round", "2", "8", "32768"],
        ["total", "14", "43008"],
    ]


def test_without_a_size_blocks_are_counted(cli: Callable) -> None:
    shown = cli("show", "allgather/ring", "-p", 4, "--machine", "node:2 core:2").out
    assert "node blocks" in shown
    document = cli(
        "show", "allgather/ring", "-p", 4, "--machine", "node:2 core:2", "--json"
    ).document()
    assert document["crossing"]["levels"] == ["node"]
    assert document["crossing"]["total"] == [{"messages": 6, "blocks": 6, "bytes": None}]
    assert cli("show", "allgather/ring", "--json").document()["crossing"] is None


def test_vector_is_cut_into_blocks(cli: Callable) -> None:
    crossing = cli(
        "show",
        "bcast/binomial[segments=4]",
        "-p",
        2,
        "--machine",
        "node:2 core:1",
        "--bytes",
        1000,
        "--json",
    ).document()["crossing"]
    assert crossing["block_bytes"] == 250
    assert crossing["total"] == [{"messages": 4, "blocks": 4, "bytes": 1000}]


def test_picture_has_bands_for_nodes_and_marks_what_crosses(cli: Callable) -> None:
    out = cli(
        "show",
        "allgather/ring",
        "-p",
        6,
        "--machine",
        "node:2 socket:2 core:2",
        "--placement",
        "cyclic:2",
        "--form",
        "svg",
    ).out
    root = ElementTree.fromstring(out)  # noqa: S314 - ours
    kinds = [line.get("class") for line in root.iter(f"{SVG}line")]
    # Ranks 0 1 4 5 and 2 3: two of six messages a round are between them.
    assert kinds.count("message crossing") == 2 * 5
    assert kinds.count("message") == 4 * 5
    bands = [band for band in root.iter(f"{SVG}rect") if band.get("class") == "node"]
    assert len(bands) == 2
    assert float(bands[0].get("width", 0)) > float(bands[1].get("width", 0))
    ranks = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "rank"]
    columns = {
        text.text: float(text.get("x", 0))
        for text in root.iter(f"{SVG}text")
        if text.get("class") == "rank"
    }
    assert sorted(ranks, key=lambda rank: columns[rank or ""]) == ["0", "1", "4", "5", "2", "3"]
    crossed = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "crossed"]
    assert crossed.count("node: 2 blocks in 2 messages") == 5


def test_json_of_a_drawing_holds_what_the_human_sees(cli: Callable) -> None:
    document = cli("show", "allgather/ring", "-p", 6, "--json").document()
    assert document["facts"] == _core.facts("allgather/ring", 6)
    assert document["drawing"] == _core.draw_holdings("allgather/ring", 6).rstrip("\n")


def test_picture_has_a_lane_a_rank_and_an_arrow_a_message(cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "ring.svg"
    result = cli("show", "allgather/ring", "-p", 5, "--form", "svg", "-o", path)
    assert (result.code, result.out, result.err) == (0, "", f"wrote {path}\n")
    root = ElementTree.parse(path).getroot()  # noqa: S314 - ours
    lines = [line.get("class") for line in root.iter(f"{SVG}line")]
    assert lines.count("lane") == 5
    assert lines.count("message") == 5 * 4
    labels = [text.text for text in root.iter(f"{SVG}text") if text.get("class") == "blocks"]
    assert sorted(set(labels)) == ["0", "1", "2", "3", "4"]


def test_picture_goes_to_standard_output_without_a_file(cli: Callable) -> None:
    out = cli("show", "bcast/binomial", "-p", 2, "--form", "svg").out
    assert ElementTree.fromstring(out).tag == f"{SVG}svg"  # noqa: S314 - ours


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["allgather/nothing"], ["got 'nothing'", "ring"]),
        (["ring"], ["collective/algorithm", "got 'ring'"]),
        (["allgather/ring", "-p", "0"], ["at least 1, got 0"]),
        (["allgather/ring", "-p", "many"], ["--ranks"]),
        (["allgather/ring", "--root", "4"], ["0 .. 3, got 4"]),
        (["bcast/binomial", "--root", "-1"], ["0 .. 3, got -1"]),
        (["allgather/ring", "--rank", "7"], ["0 .. 3, got 7"]),
        (["allgather/ring", "--rank", "1", "--form", "svg"], ["--rank 1", "leave it out"]),
        (["allgather/ring", "-p", "65", "--form", "svg"], ["at most 64 ranks, got 65"]),
        (["allgather/ring", "--form", "painting"], ["painting"]),
        (["allgather/ring", "--machine", "node:1 core:2"], ["each of 4 ranks", "got one with 2"]),
        (["allgather/ring", "--machine", "core:4"], ["two levels or more", "got 'core:4'"]),
        (["allgather/ring", "--machine", "node:2 core"], ["a level and a number", "'core'"]),
        (["allgather/ring", "--placement", "cyclic"], ["--machine with --placement", "got none"]),
        (["allgather/ring", "--bytes", "8"], ["--machine with --bytes", "got none"]),
        (
            ["allgather/ring", "--machine", "node:2 core:2", "--placement", "odd"],
            ["block, cyclic", "got 'odd'"],
        ),
        (
            ["allgather/ring", "--machine", "node:2 core:2", "--bytes", "many"],
            ["a size such as 8", "got 'many'"],
        ),
        (["allgather/ring", "-p", "100000"], ["9999900000 messages", "--rank"]),
        ([], ["missing argument"]),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(
    cli: Callable, arguments: list[str], words: list[str]
) -> None:
    result = cli("show", *arguments)
    assert result.code == 2
    assert result.out == ""
    assert result.err.count("\n") == 1
    assert result.err.startswith("espalier: ")
    for word in words:
        assert word in result.err


def test_unwritable_file_is_exit_code_1(cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "missing" / "ring.svg"
    result = cli("show", "allgather/ring", "--form", "svg", "-o", path)
    assert result.code == 1
    assert "No such file or directory" in result.err
