# SPDX-License-Identifier: Apache-2.0
"""Grids that `espalier map` draws: on the terminal, as SVG and as PNG."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING
from xml.etree import ElementTree

import pytest
from places import repository

from espalier.maps import coloring

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SMALL = ("--grid", "8x6", "--machine", "4n x 2s x 6c")


def drawn(text: str) -> list[str]:
    """Return the lines of the drawing."""
    part = text.split("Where the processes are to run\n")[1].split("\n\n", maxsplit=1)[0]
    return part.splitlines()


def test_cells_are_nodes_with_letters_of_packages(cli: Callable) -> None:
    found = cli("map", *SMALL, "--json").document()
    lines = drawn(cli("map", *SMALL).out)
    assert lines[0] == "number: node, letter: package of the node"
    seats = zip(found["seats"]["node"], found["seats"]["part"], strict=True)
    labels = [f"{node}{'ab'[part]}" for node, part in seats]
    assert [line.split() for line in lines[1:]] == [
        labels[6 * row : 6 * row + 6] for row in range(8)
    ]


def test_wide_grids_have_a_sign_a_node(cli: Callable) -> None:
    lines = drawn(cli("map", "--grid", "4x48", "--machine", "16n x 12c", "--no-search").out)
    assert lines[0] == "sign: node, 0123456789ABCDEF"
    assert [len(line) for line in lines[1:]] == [48] * 4
    assert set("".join(lines[1:])) == set("0123456789ABCDEF")


def test_what_does_not_fit_is_told(cli: Callable) -> None:
    lines = drawn(cli("map", "--grid", "70x200", "--machine", "70n x 200c", "--no-search").out)
    assert lines[-1] == (
        "cut to fit: 60 of 70 rows and 40 of 200 columns; --draw FILE.svg draws all"
    )
    assert len(lines) == 1 + 60 + 1


def test_more_dimensions_are_slices(cli: Callable) -> None:
    lines = drawn(cli("map", "--grid", "2x3x4", "--machine", "4n x 6c").out)
    assert [lines[1], lines[5]] == ["x = 0", "x = 1"]
    assert len(lines) == 1 + 2 * 4
    long = drawn(cli("map", "--grid", "50x3x4", "--machine", "50n x 12c", "--no-search").out)
    assert long[-1].startswith("cut to fit: 3 of 3 rows and 4 of 4 columns in 15 of 50 slices")


def test_colours_add_to_a_terminal_and_numbers_stay(
    cli: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = cli("map", *SMALL).out
    assert plain.isascii() or "\x1b" not in plain
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = cli("map", *SMALL).out
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    monkeypatch.setenv("NO_COLOR", "1")
    assert "48;5;" not in cli("map", *SMALL).out


def test_neighbours_have_different_colours() -> None:
    extents = (6, 7)
    nodes = [
        (row // 2) * 4 + column // 2 for row, column in itertools.product(*map(range, extents))
    ]
    colors = coloring.colors_of(nodes, extents, 8)
    for row, column in itertools.product(range(5), range(6)):
        here = nodes[row * 7 + column]
        for other in (nodes[(row + 1) * 7 + column], nodes[row * 7 + column + 1]):
            assert other == here or colors[other] != colors[here]
    assert set(coloring.colors_of(nodes, extents, 1).values()) == {0}


@pytest.mark.parametrize("rings", ["none", "x", "all"])
def test_svg_shows_before_and_after_with_messages_between_nodes(
    rings: str, cli: Callable, tmp_path: Path
) -> None:
    file = tmp_path / "grid.svg"
    found = cli("map", *SMALL, "--periodic", rings, "--draw", file, "--json").document()
    text = file.read_text()
    node = found["metrics"][0]
    assert f"before: {node['before']['total']:.0f} messages between nodes" in text
    assert f"after ({found['algorithm']}): {node['after']['total']:.0f}" in text
    # Both directions of a message are lines of their own.
    root = ElementTree.fromstring(text)  # noqa: S314 - ours
    paths = root.iter("{http://www.w3.org/2000/svg}path")
    strokes = [path for path in paths if "#b2182b" in path.get("style", "")]
    assert len(strokes) == node["before"]["total"] + node["after"]["total"]


@pytest.mark.parametrize("grid", ["8x6", "4x4x3", "48", "2x2x3x4"])
def test_png_of_any_dimension(grid: str, cli: Callable, tmp_path: Path) -> None:
    path = tmp_path / "grid.png"
    result = cli(
        "map", "--grid", grid, "--machine", "4n x 12c", "--draw", path, "--periodic", "all"
    )
    assert (result.code, result.err) == (0, f"drew {path}\n")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_graphs_are_not_drawn(cli: Callable, tmp_path: Path) -> None:
    file = tmp_path / "edges"
    file.write_text("0 1\n")
    result = cli("map", "--edges", file, "--machine", "2n x 1c", "--draw", tmp_path / "x.svg")
    assert result.code == 2
    assert "expected --draw with a grid" in result.err
    assert (
        "Where the processes are to run"
        not in cli("map", "--edges", file, "--machine", "2n x 1c").out
    )


def test_the_page_shows_what_is_drawn(cli: Callable) -> None:
    page = (repository / "docs" / "explanation" / "mapping" / "README.md").read_text()
    shown = page.split("after: 28\n")[1].split("```")[0].splitlines()
    halves = [(line[:17].split(), line[17:].split()) for line in shown]
    assert [after for _, after in halves] == [
        line.split() for line in drawn(cli("map", *SMALL).out)[1:]
    ]
    identity = cli("map", *SMALL, "--algorithm", "identity", "--no-search").out
    assert [before for before, _ in halves] == [line.split() for line in drawn(identity)[1:]]
