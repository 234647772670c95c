# SPDX-License-Identifier: Apache-2.0
"""Finds the process grid, if it is left open, and what the portfolio makes of it."""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING

from espalier import _core
from espalier.errors import ArgumentError
from espalier.io.console import progress
from espalier.machines import machines
from espalier.maps import factors

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier._core import MappingResult, PlacesLevel
    from espalier.machines.machines import Machine
    from espalier.maps.edges import EdgeProblem
    from espalier.maps.problem import GridProblem

_MOST_GRIDS = 8


@dataclasses.dataclass(frozen=True)
class Site:
    """Where ranks would run if nothing were changed."""

    machine: Machine
    placement: str
    num_ranks: int
    core_of_rank: list[int]
    is_assumed: bool  # nobody said how ranks are placed
    is_of_run: bool = False  # its cores stand for the ranks of a run, nothing else is known of them

    @property
    def places(self) -> list[PlacesLevel]:
        """Return the groups of ranks on each level."""
        return _core.places(self.machine.text, self.placement, self.num_ranks)


@dataclasses.dataclass(frozen=True)
class Effort:
    """What to try: algorithms by name (none: all), and whether to search beyond them."""

    algorithms: tuple[str, ...] = ()
    searches: bool = True


@dataclasses.dataclass(frozen=True)
class GridCandidate:
    """A process grid that was tried."""

    extents: tuple[int, ...]
    origins: tuple[str, ...]
    result: MappingResult


@dataclasses.dataclass(frozen=True)
class Selection:
    """The mapping that was found; without a grid for graphs."""

    result: MappingResult
    extents: tuple[int, ...] = ()
    dims_ml: list[list[int]] | None = None
    candidates: tuple[GridCandidate, ...] = ()


def site_of(machine: Machine, placement: str | None, num_ranks: int | None) -> Site:
    """Return where so many ranks lie; all cores have one if no number is given.

    Raises:
        ArgumentError: there are not so many cores, or the placement is wrong.
    """
    is_assumed = placement is None and len(machine.core_of_rank) != (
        num_ranks or len(machine.core_of_rank)
    )
    is_assumed = is_assumed or (placement is None and not machine.core_of_rank)
    if num_ranks is not None and num_ranks > machine.num_cores:
        raise ArgumentError(
            f"expected at most {machine.num_cores} processes, as many as '{machine.name}' has"
            f" cores, got {num_ranks}",
            "take a smaller grid or a larger machine; a core takes one process",
        )
    setting, number = machines.setting(machine, placement, num_ranks)
    placed = machine.place(setting, number)
    return Site(machine, setting, number, placed["core_of_rank"], is_assumed)


def map_edges(problem: EdgeProblem, site: Site, effort: Effort) -> Selection:
    """Return the best mapping of a graph."""
    result = _core.map_graph(
        site.num_ranks,
        problem.edges,
        machine=site.machine.text,
        placement=site.placement,
        algorithms=effort.algorithms,
        searches=effort.searches,
    )
    return Selection(result)


def map_grid(problem: GridProblem, site: Site, effort: Effort, *, is_joint: bool) -> Selection:
    """Return the best mapping of a grid, of which open extents are chosen.

    Without is_joint the extents are those of multi_level_dims() (of weighted_dims() where groups
    differ in size); with it several grids that cost about as little are mapped, and the one whose
    mapping is best is taken.
    """
    grids = _grids(problem, site, is_joint=is_joint)
    is_alone = len(grids) == 1
    tried = []
    with progress("mapping grids", len(grids)) as bar:
        for extents, origins in grids.items():
            result = _map(problem, extents, site, effort if is_alone else _quick(effort))
            tried.append(GridCandidate(extents, origins, result))
            bar.advance()
    best = min(tried, key=lambda one: one.result["after"]["objective"])
    if not is_alone:
        best = dataclasses.replace(best, result=_map(problem, best.extents, site, effort))
    return Selection(best.result, best.extents, _dims_ml(problem, best.extents, site), tuple(tried))


def _quick(effort: Effort) -> Effort:
    return dataclasses.replace(effort, searches=False)


def _map(problem: GridProblem, extents: Sequence[int], site: Site, effort: Effort) -> MappingResult:
    return _core.map_grid(
        extents,
        problem.periodic,
        problem.weighted_stencil(extents),
        machine=site.machine.text,
        placement=site.placement,
        algorithms=effort.algorithms,
        searches=effort.searches,
    )


def _grids(
    problem: GridProblem, site: Site, *, is_joint: bool
) -> dict[tuple[int, ...], tuple[str, ...]]:
    """Return extents to try, each with what proposed it."""
    if not problem.is_open:
        return {problem.extents: ("given",)}
    fixed = math.prod(extent for extent in problem.extents if extent)
    if site.num_ranks % fixed:
        raise ArgumentError(
            f"expected a grid whose given extents divide the {site.num_ranks} processes, got"
            f" {'x'.join(map(str, problem.extents))}",
            "give the number of processes with -p",
        )
    grids: dict[tuple[int, ...], tuple[str, ...]] = {}
    for origin, extents in _proposals(problem, site, is_joint=is_joint):
        key = tuple(extents)
        if _has_cells(problem, key):
            grids[key] = (*grids.get(key, ()), origin)
    if not grids:
        raise ArgumentError(
            f"expected cells for all {site.num_ranks} processes in each dimension, got --cells"
            f" {'x'.join(map(str, problem.cells))}",
            "take fewer processes with -p",
        )
    return grids


def _has_cells(problem: GridProblem, extents: Sequence[int]) -> bool:
    return all(
        extent <= cells for extent, cells in zip(extents, problem.cells or extents, strict=True)
    )


def _proposals(
    problem: GridProblem, site: Site, *, is_joint: bool
) -> list[tuple[str, Sequence[int]]]:
    weights = problem.weights()
    sizes = factors.level_sizes(site.places)
    found: list[tuple[str, Sequence[int]]] = []
    if sizes is not None:
        found.append(("level by level", _extents(_of_levels(problem, sizes))))
    if sizes is None or is_joint or not _has_cells(problem, found[0][1]):
        found.append(("weighted", _core.weighted_dims(site.num_ranks, weights, problem.extents)))
    if is_joint:
        if sizes is not None:
            costs = factors.level_costs(site.places)
            joint = _core.joint_dims(sizes, costs, weights, problem.extents)
            found.append(("levels jointly", _extents(joint)))
        near = factors.near(site.num_ranks, weights, problem.extents, _MOST_GRIDS)
        found += [("near", extents) for extents in near]
    return found


def _of_levels(problem: GridProblem, sizes: Sequence[int]) -> list[list[int]]:
    return _core.multi_level_dims(sizes, problem.weights(), problem.extents)


def _extents(dims_ml: Sequence[Sequence[int]]) -> list[int]:
    return [math.prod(levels) for levels in dims_ml]


def _dims_ml(problem: GridProblem, extents: Sequence[int], site: Site) -> list[list[int]] | None:
    """Return the parts of each level in each dimension; None where groups differ in size."""
    sizes = factors.level_sizes(site.places)
    if sizes is None:
        return None
    found = _core.multi_level_dims(sizes, problem.weights(), extents)
    return found if _extents(found) == list(extents) else None
