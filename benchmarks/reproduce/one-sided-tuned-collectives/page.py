# SPDX-License-Identifier: Apache-2.0
"""The page about trees, exchanges, models and guided search, and its figures, from kept times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import layout_results as layout
import model_search as search
import put_figures
import put_results as put
import put_statements
import put_times
import radix_candidates as candidates
import radix_results as results
from simulated_times import date_of, read_times, table

from espalier.base.units import bytes_text
from espalier.report.figures.curves import Curve, Panel, draw_curves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from radix_candidates import Case
    from simulated_times import Time

_STUDY = "one-sided-tuned-collectives"
_PUT_STUDY = "one-sided-puts"
_LAYOUT_STUDY = "threads-of-a-process"
_HOW = ("blocking", "together")
_PEER_MANNERS = {
    "strict": "strict",
    "MPI strict": "MPI, strict",
    "flags": "ALLSYNC flags",
    "loose": "loose",
    "MPI loose": "MPI, loose",
}
_MECHANISMS = {name: name.replace("_", " ") for name in ("signaling_put", "eager", "rendezvous")}
_MESSAGES = {name: name for name in ("put", "get", "MPI")}
_FLOODS = {name: name for name in ("put", "MPI")}
_TEMPLATE = Path(__file__).with_suffix(".md")


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    times = read_times(data / f"{_STUDY}.csv")
    figures = declared["published"]["figures"]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, _STUDY),
        radices=figures["5.4 .. 5.6"],
        k_nomial=figures["5.7 .. 5.11"],
        fork=figures["5.14"],
        exchange=figures["6.2 .. 6.4"],
        gather=figures["6.9 .. 6.11"],
        models=figures["5.37 .. 5.40, 6.5 .. 6.7"],
        peers=" and ".join(declared["peers"]),
        radix_table=radix_table(declared, times),
        fork_table=fork_table(declared, times),
        exchange_table=exchange_table(declared, times),
        model_table=model_table(declared, times),
        search_table=search_table(declared, times),
        improvement_table=improvement_table(declared, times),
        **layout_tables(declared, data),
        **put_tables(declared, data),
    )


def layout_tables(declared: Mapping[str, Any], data: Path) -> dict[str, str]:
    """Return what the page says of threads of a process."""
    times = put.PutTimes(put_times.read_times(data / f"{_LAYOUT_STUDY}.csv"))
    layouts = list(declared["layouts"]["machines"])
    operations = declared["layouts"]["sizes"]
    return {
        "layouts": declared["published"]["figures"]["5.1"],
        "layout_date": date_of(data, _LAYOUT_STUDY),
        "layout_sentences": "\n".join(
            f"* {layout.sentence(times, operation, layouts)}" for operation in operations
        ),
        "layout_table": put.manner_table(times, layout.PART, {one: one for one in layouts}),
    }


def put_tables(declared: Mapping[str, Any], data: Path) -> dict[str, str]:
    """Return what the page says of one-sided programs."""
    times = put.PutTimes(put_times.read_times(data / f"{_PUT_STUDY}.csv"))
    in_flight = [f"{mode} {how}" for mode in ("loose", "own", "strict") for how in _HOW]
    return {
        "put_date": date_of(data, _PUT_STUDY),
        "statement_table": put_statements.statement_table(times),
        "put_improvement_table": put.improvement_table(times, declared["published"]["table_5_2"]),
        "peer_table": put.manner_table(times, "peers", _PEER_MANNERS),
        "mechanism_table": put.manner_table(times, "mechanisms", _MECHANISMS),
        "underway_table": put.manner_table(times, "underway", {one: one for one in in_flight}),
        "answered_table": put.manner_table(times, "answered", _MESSAGES),
        "flood_table": put.manner_table(times, "flood", _FLOODS),
        "pass_table": put.pass_table(times),
        "planning_table": put.planning_table(times),
    }


def draw(declared: Mapping[str, Any], data: Path, folder: Path) -> None:
    """Draw the figures of the page."""
    times = read_times(data / f"{_STUDY}.csv")
    draw_radices(declared, times, folder / "nishtala-radices.svg")
    draw_searches(declared, times, folder / "nishtala-search.svg")
    puts = put.PutTimes(put_times.read_times(data / f"{_PUT_STUDY}.csv"))
    put_figures.draw(puts, folder / "nishtala-puts.svg")


def cases(
    declared: Mapping[str, Any], entries: Sequence[Mapping[str, Any]], times: Sequence[Time]
) -> Iterator[tuple[Case, dict[str, float]]]:
    """Return all cases of some entries that were measured, with their times."""
    for name in declared["machines"]:
        for entry in entries:
            for size in entry["sizes"]:
                case = candidates.case_of(declared, name, entry["operation"], entry["ranks"], size)
                measured = results.measured_us(times, name, case)
                if results.ours_only(measured):
                    yield case, measured


def radix_table(declared: Mapping[str, Any], times: Sequence[Time]) -> str:
    """Return the best radix of both classes for each size."""
    rows = []
    for case, measured in cases(declared, declared["trees"], times):
        best = {shape: results.fastest(measured, shape) for shape in candidates.SHAPES}
        us = [measured[name] for name in best.values()]
        radix = [str(candidates.radix_of(name, case.num_ranks)) for name in best.values()]
        key = [case.machine, case.operation, bytes_text(case.unit_bytes)]
        cells = [f"{radix[0]}: {us[0]:.4g}", f"{radix[1]}: {us[1]:.4g}"]
        rows.append([*key, *cells, f"{100 * (us[0] - us[1]) / us[0]:.0f}"])
    head = ["machine", "operation", "size", "k-ary: us", "k-nomial: us", "percent"]
    return table(head, rows)


def fork_table(declared: Mapping[str, Any], times: Sequence[Time]) -> str:
    """Return the fork tree beside the best trees of the other classes."""
    fork = declared["fork"]
    rows = []
    for size in fork["sizes"]:
        case = candidates.case_of(declared, fork["machine"], "bcast", fork["ranks"], size)
        measured = results.measured_us(times, f"{fork['machine']} fork", case)
        names = [results.fastest(measured, shape) for shape in (*candidates.SHAPES, "fork")]
        if all(names):
            cells = [f"{name.partition('/')[2]}: {measured[name]:.4g}" for name in names]
            ratio = measured[names[2]] / min(measured[names[0]], measured[names[1]])
            rows.append([bytes_text(size), *cells, f"{ratio:.2f}"])
    return table(["size", "k-ary: us", "k-nomial: us", "fork: us", "fork / best"], rows)


def exchange_table(declared: Mapping[str, Any], times: Sequence[Time]) -> str:
    """Return the times of all algorithms by size."""
    text = ""
    for entry in declared["exchanges"]:
        names = entry["algorithms"]
        rows = []
        for case, measured in cases(declared, [entry], times):
            best = results.fastest(measured)
            cells = [cell_text(measured, name, is_best=name == best) for name in names]
            rows.append([case.machine, bytes_text(case.unit_bytes), *cells])
        head = ["machine", "size", *(name.partition("/")[2] for name in names)]
        text += f"\n{entry['operation']}, {entry['ranks']} nodes:\n\n" + table(head, rows)
    return text


def cell_text(measured: Mapping[str, float], name: str, *, is_best: bool) -> str:
    """Return a time, marked if it is the least."""
    if name not in measured:
        return "-"
    return f"**{measured[name]:.4g}**" if is_best else f"{measured[name]:.4g}"


def model_table(declared: Mapping[str, Any], times: Sequence[Time]) -> str:
    """Return for each operation the median and greatest penalty of each model's choice."""
    rows = []
    for name in declared["machines"]:
        for entry in (*declared["trees"], declared["exchanges"][0]):
            own = [
                results.model_penalties(case, measured)
                for case, measured in cases(declared, [entry], times)
                if case.machine == name
            ]
            if own:
                cells = [penalty_text([one[model] for one in own]) for model in candidates.MODELS]
                rows.append([name, entry["operation"], *cells])
    return table(["machine", "operation", *candidates.MODELS], rows)


def penalty_text(penalties: Sequence[float]) -> str:
    """Return median and greatest."""
    middle, most = results.median_and_greatest(penalties)
    return f"{middle:.2f}, at most {most:.2f}"


def search_cases(
    declared: Mapping[str, Any], times: Sequence[Time]
) -> Iterator[tuple[Case, dict[str, float], str]]:
    """Return the searched cases, with what is published."""
    entries = {one["operation"]: one for one in (*declared["trees"], *declared["exchanges"])}
    for one in declared["searches"]:
        entry = {**entries[one["operation"]], "sizes": [one["bytes"]]}
        for case, measured in cases(declared, [entry], times):
            yield case, measured, one["published"]


def search_table(declared: Mapping[str, Any], times: Sequence[Time]) -> str:
    """Return how many candidates were needed."""
    rows = []
    for case, measured, published in search_cases(declared, times):
        for model in candidates.MODELS:
            steps = results.search_steps(case, measured, model)
            good, best = search.first_within(steps, 0.04), search.first_within(steps, 0)
            key = [case.machine, f"{case.operation}, {bytes_text(case.unit_bytes)}", model]
            cells = [f"{1 / steps[0].quality:.2f}", step_text(good), step_text(best)]
            rows.append([*key, str(len(steps)), *cells, published])
    head = ["machine", "case", "model", "candidates", "model alone", "within 4 %", "best"]
    return table([*head, "published"], rows)


def step_text(step: search.Step) -> str:
    """Return how many were tried at what cost."""
    return f"{step.tried} ({100 * step.cost:.0f} % of time)"


def improvement_table(declared: Mapping[str, Any], times: Sequence[Time]) -> str:
    """Return median and greatest improvement, beside the published ones."""
    rows = []
    for entry in declared["trees"]:
        for name in declared["machines"]:
            found = [
                results.improvement(measured)
                for case, measured in cases(declared, [entry], times)
                if case.machine == name and case.unit_bytes <= 2048 and has_native(measured)
            ]
            if found:
                middle, most = results.median_and_greatest(found)
                theirs = declared["published"]["table_5_2"][entry["operation"]][name]
                ours = f"{middle:.0f} / {most:.0f}"
                rows.append([entry["operation"], name, ours, f"{theirs[0]} / {theirs[1]}"])
    return table(["operation", "machine", "ours: median / greatest", "published, one-sided"], rows)


def has_native(measured: Mapping[str, float]) -> bool:
    """Return whether some native call was measured."""
    return len(results.ours_only(dict(measured))) < len(measured)


def draw_radices(declared: Mapping[str, Any], times: Sequence[Time], path: Path) -> None:
    """Draw times of bcast and scatter by radix, and what the models say."""
    panels = []
    for case, measured in cases(declared, declared["trees"], times):
        if case.unit_bytes in {8, 2048} and case.operation in {"bcast", "scatter"}:
            title = f"{case.machine}, {case.operation}, {bytes_text(case.unit_bytes)}"
            panels.append(Panel(title, "radix", "us", radix_curves(case, measured)))
    if panels:
        draw_curves(panels, path, columns=4)


def radix_curves(case: Case, measured: dict[str, float]) -> list[Curve]:
    """Return a curve for each class, measured and by LogGP."""
    found = []
    for color, shape in enumerate(candidates.SHAPES):
        own = [name for name in results.ours_only(measured) if candidates.shape_of(name) == shape]
        places = sorted(own, key=lambda name: candidates.radix_of(name, case.num_ranks))
        radix = [float(candidates.radix_of(name, case.num_ranks)) for name in places]
        us = [measured[name] for name in places]
        said = [candidates.loggp_us(case, name) for name in places]
        found.append(Curve(shape, list(zip(radix, us, strict=True)), color, 0))
        found.append(Curve(f"{shape}, LogGP", list(zip(radix, said, strict=True)), color, 1))
    return found


def draw_searches(declared: Mapping[str, Any], times: Sequence[Time], path: Path) -> None:
    """Draw quality and cost over the number of candidates tried."""
    panels = []
    for case, measured, _ in search_cases(declared, times):
        curves = []
        for color, model in enumerate(candidates.MODELS):
            steps = results.search_steps(case, measured, model)
            for style, what in enumerate(("quality", "cost")):
                points = [(float(step.tried), getattr(step, what)) for step in steps]
                curves.append(Curve(f"{what}, {model}", points, color, style))
        title = f"{case.machine}, {case.operation}, {bytes_text(case.unit_bytes)}"
        panels.append(Panel(title, "candidates tried", "share", curves, is_linear=True))
    if panels:
        draw_curves(panels, path, columns=4)
