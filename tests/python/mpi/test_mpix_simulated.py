# SPDX-License-Identifier: Apache-2.0
"""MPIX_Cart_weighted_create on simulated machines: the published factorisations come out."""

from __future__ import annotations

import shutil
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from espalier import installation
from espalier.clusters import SimulatedCluster

if TYPE_CHECKING:
    from collections.abc import Callable

    Positions = Callable[..., list[list[int]]]

pytestmark = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")

MACHINE = "8n[latency=2us,bandwidth=1GB/s] x 2s[latency=700ns,bandwidth=4GB/s] x 12c[latency=300ns]"
EQUAL = [1.0, 1.0, 1.0]
FLAT = [1.0, 1 / 2, 1 / 4]
TALL = [1 / 4, 1 / 2, 1.0]


@pytest.fixture
def positions(monkeypatch: pytest.MonkeyPatch) -> Positions:
    """Return a function that gives the coordinates of each rank."""
    folder = installation.build_folder()
    if folder is None or not (folder / "bin/mpix_simulated_smpi").exists():
        pytest.skip("mpix_simulated_smpi is not built")

    def run(
        machine: str, num_ranks: int, weights: list[float], placement: str = "block"
    ) -> list[list[int]]:
        monkeypatch.setenv("ESPALIER_MACHINE", machine)
        program = [str(folder / "bin/mpix_simulated_smpi"), "0", *(str(w) for w in weights)]
        with SimulatedCluster(machine, num_ranks, placement=placement) as cluster:
            done = cluster.run(program)
        assert done.returncode == 0, done.stderr
        return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]

    return run


def block_extents(points: list[list[int]]) -> list[int]:
    """Return the extents of the box that points fill, which must be a whole one."""
    ranges = [(min(axis), max(axis) + 1) for axis in zip(*points, strict=True)]
    extents = [end - begin for begin, end in ranges]
    volume = 1
    for extent in extents:
        volume *= extent
    assert volume == len(points)
    assert len({tuple(point) for point in points}) == volume
    return extents


def dims_ml(points: list[list[int]], sizes: list[int]) -> list[list[int]]:
    """Return dims_ml[dimension][level] of ranks in hardware order."""
    blocks = [block_extents(points)]
    length = len(points)
    for size in sizes:
        length //= size
        parts = [points[begin : begin + length] for begin in range(0, len(points), length)]
        found = [block_extents(part) for part in parts]
        assert found == [found[0]] * len(found)
        blocks.append(found[0])
    levels = [
        [outer // inner for outer, inner in zip(*pair, strict=True)] for pair in pairwise(blocks)
    ]
    return [list(parts) for parts in zip(*levels, strict=True)]


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        (EQUAL, [[2, 2, 2], [2, 1, 3], [2, 1, 2]]),
        (FLAT, [[1, 2, 2], [2, 1, 3], [4, 1, 2]]),
        (TALL, [[4, 2, 2], [2, 1, 3], [1, 1, 2]]),
    ],
)
def test_published_factorisations(
    positions: Positions, weights: list[float], expected: list[list[int]]
) -> None:
    assert dims_ml(positions(MACHINE, 192, weights), [8, 2, 12]) == expected


def test_nodes_of_cyclic_ranks_are_blocks(positions: Positions) -> None:
    points = positions(MACHINE, 192, EQUAL, "cyclic")
    by_node = [points[rank] for node in range(8) for rank in range(node, 192, 8)]
    assert dims_ml(by_node, [8]) == [[2], [2], [2]]


def test_uneven_nodes_get_a_grid_too(positions: Positions) -> None:
    points = positions("2n x 5c + 1n x 2c", 12, EQUAL)
    assert block_extents(points) == [3, 2, 2]
