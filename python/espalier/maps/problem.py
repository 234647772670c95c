# SPDX-License-Identifier: Apache-2.0
"""What `espalier map` is asked for: a grid whose processes exchange messages, or a graph."""

from __future__ import annotations

import dataclasses
import itertools
import math
import re
from typing import TYPE_CHECKING

from espalier import _core
from espalier.errors import ArgumentError

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAMED = ("nearest", "full")


@dataclasses.dataclass(frozen=True)
class GridProblem:
    """A grid of processes, of which extents that are 0 are to be chosen.

    Cells are the application's own grid; halo is how many layers of cells neighbours exchange.
    """

    extents: tuple[int, ...]
    periodic: tuple[bool, ...]
    stencil: str = "nearest"
    cells: tuple[int, ...] = ()
    halo: tuple[int, ...] = ()

    @property
    def num_dimensions(self) -> int:
        """Return the number of dimensions."""
        return len(self.extents)

    @property
    def is_open(self) -> bool:
        """Return whether an extent is left to be chosen."""
        return 0 in self.extents

    @property
    def unit(self) -> str:
        """Return what weights of messages count."""
        if self.cells and _short(self.stencil, self.num_dimensions) in _NAMED:
            return "cells"
        return "weight" if ":" in self.stencil else "messages"

    def weights(self) -> list[float]:
        """Return what a part more in each dimension costs, up to a common factor."""
        if not self.cells:
            return [1.0] * self.num_dimensions
        return [
            layers / cells * max(self.cells)
            for layers, cells in zip(self.halo, self.cells, strict=True)
        ]

    def offsets(self) -> list[tuple[int, ...]]:
        """Return where the neighbours of a process are."""
        short = _short(self.stencil, self.num_dimensions)
        if short in _NAMED:
            return _offsets(self.num_dimensions, is_full=short == "full")
        texts = re.findall(r"\(([^)]*)\)", short)
        return [tuple(int(step) for step in text.split(",")) for text in texts]

    def weighted_stencil(self, extents: Sequence[int]) -> str:
        """Return the stencil with the cells that each message of the largest process has."""
        if self.unit != "cells":
            return self.stencil
        own = [-(-cells // extent) for cells, extent in zip(self.cells, extents, strict=True)]
        is_full = _short(self.stencil, self.num_dimensions) == "full"
        texts = []
        for offset in _offsets(self.num_dimensions, is_full=is_full):
            sides = zip(offset, own, self.halo, strict=True)
            size = math.prod(layers if step else width for step, width, layers in sides)
            if size:
                texts.append(f"({','.join(map(str, offset))}):{size}")
        return " ".join(texts)


def _short(stencil: str, num_dimensions: int) -> str:
    """Return `nearest`, `full`, or offsets."""
    short = _core.stencil_text(stencil, num_dimensions)
    return {f"{2 * num_dimensions + 1}pt": "nearest", f"{3**num_dimensions}pt": "full"}.get(
        short, short
    )


def _offsets(num_dimensions: int, *, is_full: bool) -> list[tuple[int, ...]]:
    steps = itertools.product((-1, 0, 1), repeat=num_dimensions)
    return [step for step in steps if any(step) and (is_full or sum(map(abs, step)) == 1)]


def parse_extents(text: str, option: str, minimum: int = 1) -> tuple[int, ...]:
    """Return the numbers of `50x48`.

    Raises:
        ArgumentError: it is something else, or a number is too small.
    """
    words = text.lower().replace(" ", "").split("x")
    if not all(re.fullmatch(r"[0-9]+", word) for word in words):
        raise ArgumentError(f"expected {option} as in 50x48, got '{text}'")
    numbers = tuple(map(int, words))
    if min(numbers) < minimum:
        raise ArgumentError(f"expected {option} of numbers from {minimum} up, got '{text}'")
    return numbers


def parse_periodic(text: str, num_dimensions: int) -> tuple[bool, ...]:
    """Return which dimensions close to rings: `x,y` by letters, `1,0` by flags, `all`, `none`.

    Raises:
        ArgumentError: it is something else, or of other dimensions.
    """
    letters = "xyzw"[:num_dimensions]
    words = [word.strip().lower() for word in text.split(",")]
    if text in ("all", "none", ""):
        return (text == "all",) * num_dimensions
    if set(words) <= {"0", "1"} and len(words) == num_dimensions:
        return tuple(word == "1" for word in words)
    if num_dimensions <= len("xyzw") and set(words) <= set(letters):
        return tuple(letter in words for letter in letters)
    raise ArgumentError(
        f"expected --periodic as {','.join('1' * num_dimensions)} (1 or 0 for each dimension)"
        f" or {','.join(letters)} (those that are periodic), got '{text}'"
    )


def grid_problem(
    grid: str | None, cells: str | None, halo: str | None, periodic: str, stencil: str
) -> GridProblem:
    """Return the grid that options describe.

    Raises:
        ArgumentError: they contradict each other, or one is wrong.
    """
    parts = () if cells is None else parse_extents(cells, "--cells")
    extents = (0,) * len(parts) if grid is None else parse_extents(grid, "--grid", minimum=0)
    _check_dimensions("--cells", parts, extents)
    if halo is not None and not parts:
        raise ArgumentError("expected --cells with --halo, got none", "say how large the grid is")
    layers = (1,) * len(parts) if halo is None else parse_extents(halo, "--halo", minimum=0)
    _check_dimensions("--halo", layers, extents)
    problem = GridProblem(extents, parse_periodic(periodic, len(extents)), stencil, parts, layers)
    _core.stencil_text(stencil, len(extents))  # complains
    for extent, number in zip(extents, parts, strict=False):
        if extent > number:
            raise ArgumentError(
                f"expected no more processes than cells in each dimension, got --grid {grid} for"
                f" --cells {cells}"
            )
    return problem


def _check_dimensions(option: str, numbers: Sequence[int], extents: Sequence[int]) -> None:
    if numbers and len(numbers) != len(extents):
        raise ArgumentError(
            f"expected {option} with {len(extents)} dimensions, as the grid has, got {len(numbers)}"
        )
