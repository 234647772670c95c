# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from espalier import _core

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
