# SPDX-License-Identifier: Apache-2.0
"""The document `espalier-map`: a problem, where its processes go, and what that gains."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.conditions.cautions import to_json
from espalier.io.console import document
from espalier.maps import advice
from espalier.maps.problem import GridProblem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from espalier._core import LevelCut, MappingResult, MappingScore
    from espalier.maps.choosing import GridCandidate, Selection, Site
    from espalier.maps.edges import EdgeProblem
    from espalier.maps.launcher_files import LaunchFile
    from espalier.maps.seats import Seats
    from espalier.maps.traffic import Judgement

SCHEMA = "espalier-map"
VERSION = 1


def conclude(
    problem: GridProblem | EdgeProblem, site: Site, selection: Selection, seats: Seats, command: str
) -> dict[str, Any]:
    """Return the document without a launcher file; see add_launch()."""
    result = selection.result
    grid = _grid(problem, selection) if isinstance(problem, GridProblem) else None
    graph = None if isinstance(problem, GridProblem) else _graph(problem)
    return document(
        SCHEMA,
        VERSION,
        command=command,
        espalier=__version__,
        machine=site.machine.short_text,
        placement={"text": site.placement, "is_assumed": site.is_assumed},
        num_ranks=site.num_ranks,
        num_cores=site.machine.num_cores,
        grid=grid,
        graph=graph,
        dims=list(selection.extents) or None,
        dims_ml=selection.dims_ml,
        dims_ml_levels=_dims_ml_levels(selection),
        algorithm=result["algorithm"],
        is_identity=result["is_identity"],
        summary=result["one_line"],
        unit=problem.unit,
        metrics=_metrics(result),
        objective={
            "before": result["before"]["objective"],
            "after": result["after"]["objective"],
        },
        trials=_trials(result),
        grids=[_candidate(one, selection) for one in selection.candidates],
        permutation=list(result["rank_at"]),
        positions=_positions(result["rank_at"]),
        seats={
            "node": [seat.node for seat in seats.of_position],
            "core": [seat.core for seat in seats.of_position],
            "part": seats.part_of_position,
            "part_name": seats.part_name,
        },
        launch=None,
        warnings=to_json(advice.cautions(site, result)),
    )


def add_judgement(found: dict[str, Any], judgement: Judgement) -> None:
    """Add what a mapping of counted traffic saves, and a caution if that is too little."""
    found["graph"]["saving"] = judgement.to_json()
    if not judgement.helps and not found["is_identity"]:
        found["warnings"] += to_json([advice.too_little(judgement.margin)])


def add_launch(found: dict[str, Any], launch: LaunchFile, path: str) -> None:
    """Add the file for a launcher to a document."""
    found["launch"] = {
        "for": launch.launcher,
        "file": path,
        "command": launch.command(path),
        "binds": launch.binds,
        "note": launch.note.format(file=path),
    }
    found["warnings"] += to_json(launch.cautions)


def _grid(problem: GridProblem, selection: Selection) -> dict[str, Any]:
    return {
        "extents": list(selection.extents),
        "periodic": list(problem.periodic),
        "stencil": problem.stencil,
        "cells": list(problem.cells) or None,
        "halo": list(problem.halo) or None,
    }


def _graph(problem: EdgeProblem) -> dict[str, Any]:
    return {"file": problem.origin, "num_edges": len(problem.edges)}


def _dims_ml_levels(selection: Selection) -> list[str] | None:
    if selection.dims_ml is None:
        return None
    return [*(level["name"] for level in selection.result["places"]), "core"]


def _metrics(result: MappingResult) -> list[dict[str, Any]]:
    pairs = zip(result["before"]["cuts"], result["after"]["cuts"], strict=True)
    return [
        {
            "level": before["level"],
            "groups": before["groups"],
            "cost": before["cost"],
            "before": _amounts(before),
            "after": _amounts(after),
        }
        for before, after in pairs
    ]


def _amounts(cut: LevelCut) -> dict[str, float]:
    return {"total": cut["total"], "worst": cut["worst"], "mean": cut["mean"]}


def _trials(result: MappingResult) -> list[dict[str, Any]]:
    return [
        {
            "algorithm": trial["algorithm"],
            "refusal": trial["refusal"],
            "score": None if trial["score"] is None else _score(trial["score"]),
            "is_chosen": trial["algorithm"] == result["algorithm"],
        }
        for trial in result["trials"]
    ]


def _score(score: MappingScore) -> dict[str, Any]:
    cuts = [
        {"level": cut["level"], "total": cut["total"], "worst": cut["worst"]}
        for cut in score["cuts"]
    ]
    return {"cuts": cuts, "objective": score["objective"]}


def _candidate(candidate: GridCandidate, selection: Selection) -> dict[str, Any]:
    return {
        "extents": list(candidate.extents),
        "origins": list(candidate.origins),
        "algorithm": candidate.result["algorithm"],
        "score": _score(candidate.result["after"]),
        "is_chosen": candidate.extents == selection.extents,
    }


def _positions(rank_at: Sequence[int]) -> list[int]:
    positions = [0] * len(rank_at)
    for position, rank in enumerate(rank_at):
        positions[rank] = position
    return positions
