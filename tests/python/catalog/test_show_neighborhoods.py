# SPDX-License-Identifier: Apache-2.0
"""Algorithms of neighborhoods on grids, as `espalier show` has them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest

from espalier import _core
from espalier.catalog import catalog

if TYPE_CHECKING:
    from collections.abc import Callable

SVG = "{http://www.w3.org/2000/svg}"
DIRECT = "neighbor_alltoall/direct"
NAMES = [catalog.full_name(entry) for entry in _core.neighbor_catalog()]


def test_what_ranks_send_with_facts(cli: Callable) -> None:
    result = cli("show", "neighbor_alltoall/combining", "--grid", "2x2", "--stencil", "full")
    assert result.code == 0
    assert (
        result.out
        == """\
neighbor_alltoall/combining on 4 ranks, 2x2, open, stencil 9pt
  dimension by dimension, what takes the same hop in one message

sent, p = 4     rank 0    rank 1    rank 2    rank 3
round 0         2:02,03   3:12,13   0:20,21   1:30,31
round 1         1:21,01   0:30,10   3:23,03   2:32,12

Rounds    2
Messages  2 at most sent by one rank
Bytes     1/2 m at most sent by one rank, m = bytes of the result
Scratch   3/8 m at most on one rank
Time      2 alpha + 1/2 m beta, counted (no closed form), without contention
Valid     the same offsets on all ranks of a grid
Source    traeff2019
"""
    )


def test_a_closed_grid_has_as_many_messages_as_hops(cli: Callable) -> None:
    name = "neighbor_alltoall/combining"
    words = ("--dims", "3x3", "--periodic", "all", "--stencil", "9pt", "--json")
    document = cli("show", name, *words).document()
    assert document["neighborhood"] == {
        "grid": [3, 3],
        "periodic": [True, True],
        "stencil": _core.stencil_text("full", 2),
    }
    facts = document["facts"]
    assert (facts["rounds"], facts["messages"], facts["blocks"]) == (2, 4, 12)
    direct = cli("show", "neighbor_alltoall/direct", *words).document()["facts"]
    assert (direct["rounds"], direct["messages"], direct["blocks"]) == (1, 8, 8)


def test_rings_are_named_where_only_some_dimensions_are(cli: Callable) -> None:
    out = cli("show", "neighbor_allgather/direct", "--grid", "3x2x2", "--periodic", "x,z").out
    assert "on 12 ranks, 3x2x2, periodic in x and z, stencil 7pt\n" in out


def test_many_dimensions_have_numbers(cli: Callable) -> None:
    out = cli("show", DIRECT, "--grid", "2x1x1x1x1", "--periodic", "all").out
    assert "periodic in 0 and 1 and 2 and 3 and 4, stencil nearest\n" in out


def test_a_machine_says_which_ranks_share_a_node(cli: Callable) -> None:
    words = ("--grid", "2x4", "--stencil", "full", "--machine", "node:2 core:4")
    crossings = {
        name: cli("show", f"neighbor_alltoall/{name}", *words, "--bytes", "8", "--json").document()[
            "crossing"
        ]
        for name in ("direct", "node_aware")
    }
    # Ten pairs of neighbours lie in two nodes; node_aware makes a message of all that leaves one.
    assert crossings["direct"]["total"] == [{"messages": 20, "blocks": 20, "bytes": 160}]
    assert crossings["node_aware"]["total"] == [{"messages": 2, "blocks": 20, "bytes": 160}]
    table = cli("show", "neighbor_alltoall/node_aware", *words).out
    assert "\nMachine   node:2 core:4, block\n" in table


@pytest.mark.parametrize("name", NAMES)
def test_every_algorithm_is_drawn_in_each_form(cli: Callable, name: str) -> None:
    words = ("--grid", "3x3", "--stencil", "(1,0) (0,2) (-1,-1)", "--machine", "node:3 core:3")
    grid = ((3, 3), (False, False), "(1,0) (0,2) (-1,-1)", [0, 0, 0, 1, 1, 1, 2, 2, 2])
    messages = _core.neighbor_sent(name, grid)
    assert messages
    for form in ("sent", "messages", "program", "text", "svg"):
        result = cli("show", name, *words, "--form", form)
        assert result.code == 0, result.err
        if form == "messages":
            assert result.out.count(" -> ") == len(messages)
        if form == "text":
            programs = [_core.neighbor_program_text(name, grid, rank) for rank in range(9)]
            assert result.out == "\n".join(programs).rstrip("\n") + "\n"
        if form == "svg":
            root = ElementTree.fromstring(result.out)  # noqa: S314 - ours
            kinds = [line.get("class") or "" for line in root.iter(f"{SVG}line")]
            assert sum(kind.startswith("message") for kind in kinds) == len(messages)


def test_rank_shows_its_program(cli: Callable) -> None:
    words = ("--grid", "2x2", "--rank", "3")
    out = cli("show", "neighbor_alltoall/direct", *words).out
    grid = ((2, 2), (False, False), "nearest", [])
    assert _core.neighbor_program_text("neighbor_alltoall/direct", grid, 3) in out
    assert "rank 2 of 4" not in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([DIRECT], ["expected --grid with neighbor_alltoall/direct", "--grid 3x3"]),
        ([DIRECT, "--grid", "3by3"], ["--grid as in 50x48", "got '3by3'"]),
        ([DIRECT, "--grid", "0x3"], ["from 1 up", "got '0x3'"]),
        ([DIRECT, "--grid", "3x3", "-p", "8"], ["the 9 ranks of --grid 3x3", "got --ranks 8"]),
        ([DIRECT, "--grid", "3x3", "--root", "1"], ["no root", "got --root 1"]),
        ([DIRECT, "--grid", "3x3", "--rank", "9"], ["0 .. 8, got 9"]),
        ([DIRECT, "--grid", "3x3", "--periodic", "often"], ["--periodic as 1,1", "'often'"]),
        ([DIRECT, "--grid", "3x3", "--stencil", "round"], ["got 'round'"]),
        ([DIRECT, "--grid", "3x3", "--stencil", "(1,0):2"], ["without weights", "'(1,0):2'"]),
        ([DIRECT, "--grid", "3x3", "--form", "holdings"], ["sent, messages", "got holdings"]),
        ([DIRECT, "--grid", "3x3", "--form", "json"], ["got json", "--form text"]),
        ([DIRECT, "--grid", "9999x9999"], ["edges, more than 1000000", "smaller grid"]),
        (["neighbor_alltoall/ring", "--grid", "3x3"], ["(neighbor_alltoall/direct", "ring'"]),
        ([f"{DIRECT}[k=2]", "--grid", "3x3"], ["[k=2]'", "no arguments"]),
        (["neighbor_alltoall/node_aware", "--grid", "3x3"], ["got none", "--machine"]),
        ([DIRECT, "--grid", "3x3", "--machine", "core:9"], ["two levels", "got 'core:9'"]),
        ([DIRECT, "--grid", "3x3", "--machine", "node:2 core:2"], ["each of 9 ranks"]),
        (["allgather/ring", "--grid", "3x3"], ["of neighborhoods with --grid", "allgather/ring"]),
        (["allgather/ring", "--stencil", "full"], ["of neighborhoods with --stencil"]),
        (["allgather/ring", "--periodic", "all"], ["of neighborhoods with --periodic"]),
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


def test_verbs_for_collectives_of_all_ranks_say_that_these_are_others(cli: Callable) -> None:
    result = cli("check", "neighbor_alltoall")
    assert result.code == 2
    assert result.err == (
        "espalier: expected algorithms of collectives of all ranks, got 'neighbor_alltoall', of"
        " neighborhoods; 'espalier list' and 'espalier show' know these\n"
    )
