# SPDX-License-Identifier: Apache-2.0
"""The report of `espalier model validate`."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier.base.units import bytes_range_text, bytes_text, three_digits, time_text
from espalier.report.content import Grid, Report, Section
from espalier.report.sections import cautions_section, machine_section

if TYPE_CHECKING:
    from collections.abc import Mapping


def validation_report(found: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-model-validation` document."""
    title = f"Models against measurement, {found['num_ranks']} ranks, {found['mpi']['version']}"
    if not found["complete"]:
        title += " (incomplete)"
    return Report(
        title,
        [
            _choosing(found),
            *[_points(found, model) for model in found["models"]],
            _errors(found),
            machine_section(found),
            cautions_section(found["warnings"]),
            Section("How to repeat", command=found["command"]),
        ],
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _choosing(found: Mapping[str, Any]) -> Section:
    grid = Grid(
        ("model", "rank correlation", "regret, median", "mean", "worst", "within 5 % of best"),
        ("rank correlation", "regret, median", "mean", "worst", "within 5 % of best"),
    )
    for model, summary in found["summary"].items():
        if summary:
            grid.rows.append(
                [
                    model,
                    _correlation_text(summary["kendall_median"]),
                    _percent(summary["regret_median"]),
                    _percent(summary["regret_mean"]),
                    _percent(summary["regret_max"]),
                    _percent(summary["share_close"]),
                ]
            )
    notes = [
        (
            "regret: how much slower the candidate is that the model would choose than the fastest"
            " one measured; rank correlation: Kendall's tau of predicted and measured times"
        ),
        f"machine of the models: {found['model_machine_text']}; placement {found['placement']}",
    ]
    return Section("How well the models choose", grids=[grid], notes=notes)


def _correlation_text(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _points(found: Mapping[str, Any], model: str) -> Section:
    section = Section(f"Choices of {model}")
    for collective, group in groupby(
        sorted(found["points"], key=lambda point: point["collective"]),
        key=lambda point: point["collective"],
    ):
        grid = Grid(
            (
                collective,
                "fastest measured",
                "its time",
                "model's choice",
                "slower by",
                "tau",
                "off",
            ),
            (collective, "its time", "slower by", "tau", "off"),
            dispensable=("off", "tau"),
        )
        for point in sorted(group, key=lambda point: point["bytes"]):
            one = point["agreement"][model]
            best = point["candidates"][one["best"]]
            grid.rows.append(
                [
                    bytes_text(point["bytes"]),
                    one["best"].partition("/")[2],
                    time_text(1e-6 * best["measured_us"]),
                    "the same" if one["chosen"] == one["best"] else one["chosen"].partition("/")[2],
                    _percent(one["regret"]),
                    _correlation_text(one["kendall"]),
                    f"{three_digits(one['error'])}x",
                ]
            )
        section.grids.append(grid)
    return section


def _errors(found: Mapping[str, Any]) -> Section:
    columns = tuple(f"{model}: {what}" for model in found["models"] for what in ("bias", "off"))
    grid = Grid(("size", *columns), ("size", *columns))
    summaries = [found["summary"][model] for model in found["models"]]
    if all(summaries):
        for rows in zip(*[summary["by_size"] for summary in summaries], strict=True):
            cells = [three_digits(row[key]) for row in rows for key in ("bias", "error")]
            grid.rows.append([bytes_text(rows[0]["bytes"]), *cells])
    notes = [
        (
            "bias: predicted / measured, geometric mean over all candidates; off: factor by which a"
            " prediction is typically wrong"
        )
    ]
    return Section("Error for each size", grids=[grid], notes=notes)


_MOST_ROWS = 12


def forecast_report(found: Mapping[str, Any]) -> Report:
    """Return the report of an `espalier-forecast` document: the fastest candidates at each size."""
    title = f"{found['collective']} of {found['num_ranks']} ranks, predicted"
    sections = []
    for point in found["points"]:
        grid = Grid((bytes_text(point["bytes"]), *found["models"]), tuple(found["models"]))
        for one in point["candidates"][:_MOST_ROWS]:
            times = [time_text(1e-6 * one["predicted_us"][model]) for model in found["models"]]
            grid.rows.append([one["algorithm"].partition("/")[2], *times])
        left = len(point["candidates"]) - _MOST_ROWS
        notes = [f"{left} slower ones are left out; --json has them"] if left > 0 else []
        sections.append(
            Section(f"Result of {bytes_text(point['bytes'])}", grids=[grid], notes=notes)
        )
    return Report(title, sections)


def profile_report(profile: Mapping[str, Any], path: str) -> Report:
    """Return the report of a profile from the model alone."""
    grid = Grid(("collective", "bytes of result", "algorithm", "why"))
    for rule in profile["rules"]:
        size = bytes_range_text(rule["min_bytes"], rule["max_bytes"])
        grid.rows.append([rule["collective"], size, rule["algorithm"], rule["reason"]])
    machine, rules = profile["machine"], profile["rules"]
    ranks = f"{rules[0]['num_ranks']} ranks on {rules[0]['num_nodes']} node(s)"
    return Report(
        f"Profile by the model, {ranks}, placed {machine['placement']}",
        [
            Section("What the model finds fastest", grids=[grid]),
            Section("On what machine", [machine["text"]]),
            Section("How to repeat", [f"profile: {path}"], command=profile["command"]),
        ],
    )
