# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import itertools

import pytest

from espalier import _core
from espalier.errors import ArgumentError


def _nodes(sizes: list[int]) -> list[_core.PlacesLevel]:
    group = [node for node, size in enumerate(sizes) for _ in range(size)]
    return [{"name": "node", "cost": 1.0, "group_of_rank": group}]


def _cut(rank_at: list[int], extents: tuple[int, int], per_node: int) -> int:
    """Count directed edges between nodes of an open 2-D grid, without the code under test."""
    rows, columns = extents
    node = [rank // per_node for rank in rank_at]
    edges = 0
    for row, column in itertools.product(range(rows), range(columns)):
        here = node[row * columns + column]
        if column + 1 < columns:
            edges += here != node[row * columns + column + 1]
        if row + 1 < rows:
            edges += here != node[(row + 1) * columns + column]
    return 2 * edges


def test_a_grid_on_a_machine() -> None:
    result = _core.map_grid([50, 48], machine="50n x 2s x 24c")
    assert sorted(result["rank_at"]) == list(range(2400))
    assert not result["is_identity"]
    assert result["before"]["cuts"][0] == {
        "level": "node",
        "groups": 50,
        "cost": 1.0,
        "total": 4704,
        "worst": 96,
        "mean": 4704 / 50,
    }
    after = result["after"]["cuts"][0]
    assert after["total"] == _cut(result["rank_at"], (50, 48), 48)
    assert after["total"] <= 1320
    assert after["worst"] <= 30
    assert result["one_line"] == (
        f"inter-node neighbours 4704 -> {after['total']:g}, worst node 96 -> {after['worst']:g}"
    )
    assert result["places"][0]["name"] == "node"
    names = [trial["algorithm"] for trial in result["trials"]]
    assert names[0] == "identity"
    assert result["algorithm"] in names
    for trial in result["trials"]:
        assert (trial["score"] is None) == bool(trial["refusal"])
        if trial["algorithm"] == result["algorithm"]:
            assert trial["score"] == result["after"]


def test_every_algorithm_can_be_named() -> None:
    algorithms = _core.mapping_algorithms()
    assert algorithms[0]["name"] == "identity"
    names = [algorithm["name"] for algorithm in algorithms]
    assert {"hyperplane", "greedy", "bisection"} <= set(names)
    assert ("scotch" in names) == bool(_core.scotch_version())
    for algorithm in algorithms:
        assert algorithm["summary"]
        result = _core.map_grid(
            [6, 4], places=_nodes([8, 8, 8]), algorithms=[algorithm["name"]], searches=False
        )
        tried = {trial["algorithm"] for trial in result["trials"]}
        assert tried == {"identity", algorithm["name"]}


def test_only_algorithms_of_graphs_serve_graphs() -> None:
    edges = [(i, j, 1.0) for i in range(8) for j in range(8) if i != j and i % 2 == j % 2]
    result = _core.map_graph(8, edges, places=_nodes([4, 4]))
    assert result["after"]["cuts"][0]["total"] == 0
    assert {rank // 4 for rank in result["rank_at"][::2]} != {
        rank // 4 for rank in result["rank_at"][1::2]
    }
    grids = {entry["name"] for entry in _core.mapping_algorithms() if entry["needs_grid"]}
    assert not grids & {trial["algorithm"] for trial in result["trials"]}


def test_scores_any_permutation() -> None:
    rank_at = [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]
    score = _core.score_grid([4, 4], rank_at=rank_at, machine="4n x 4c")
    assert score["cuts"][0]["total"] == 16 == _cut(rank_at, (4, 4), 4)
    periodic = _core.score_grid([4, 4], [True, False], rank_at=rank_at, machine="4n x 4c")
    assert periodic["cuts"][0]["total"] == 24


def test_places_follow_the_placement() -> None:
    block = _core.places("2n x 4c")
    cyclic = _core.places("2n x 4c", "cyclic", 6)
    assert block[0]["group_of_rank"] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert cyclic[0]["group_of_rank"] == [0, 1, 0, 1, 0, 1]
    result = _core.map_grid([2, 3], machine="2n x 4c", placement="cyclic")
    assert result["places"] == cyclic


def test_without_search_or_with_little_work() -> None:
    stencil = "(1,0) (-1,0) (0,1) (0,-1) (2,0) (-2,0) (3,0) (-3,0)"
    machine = "50n x 48c"
    alone = _core.map_grid([50, 48], stencil=stencil, machine=machine, searches=False)
    assert not any("search" in trial["algorithm"] for trial in alone["trials"])
    full = _core.map_grid([50, 48], stencil=stencil, machine=machine)
    little = _core.map_grid([50, 48], stencil=stencil, machine=machine, max_trials=1)
    assert full["after"]["objective"] < alone["after"]["objective"]
    assert little["after"]["objective"] <= alone["after"]["objective"]


def test_stencils_have_a_shortest_text() -> None:
    assert _core.stencil_text("5pt", 2) == _core.stencil_text("nearest", 2)
    with pytest.raises(ArgumentError):
        _core.stencil_text("wheel", 2)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "expected a machine or places, got neither"),
        ({"machine": "2n x 8c", "places": _nodes([16])}, "expected a machine or places, got both"),
        ({"places": _nodes([8, 7])}, "expected as many ranks as the grid has positions"),
        ({"machine": "2n x 4c"}, "16"),
        ({"machine": "2n x 8c", "stencil": "7pt"}, "7pt"),
        ({"machine": "2n x 8c", "algorithms": ["magic"]}, "got 'magic'"),
        ({"machine": "2n x 8c", "periodic": [True]}, "periodic"),
    ],
)
def test_errors_say_what_was_expected(arguments: dict, text: str) -> None:
    with pytest.raises(ArgumentError, match=text):
        _core.map_grid([4, 4], **arguments)
