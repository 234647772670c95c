# SPDX-License-Identifier: Apache-2.0
"""The page about one-sided communication beside MPI, from the data that are kept."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib
import tree_tables
from simulated_times import date_of, table, wrapped

from espalier.base.units import bytes_text, three_digits

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    Record = Mapping[str, Any]

STUDY = "onesided"
MODELS = "onesided-models"
LINKS = "onesided-links"
TREES = "onesided-trees"
FILE = "onesided.json"
_TEMPLATE = Path(__file__).with_suffix(".md")
_PUTS = ("put and ack", "flood of puts")
_TWO_SIDED = "two-sided"
_MOST_LOSSES = 20


def text(declared: Mapping[str, Any], data: Path) -> str:
    """Return the page."""
    kept = json.loads((data / FILE).read_text(encoding="utf-8"))
    records = kept["records"]
    study = declared["study"]
    puts = [one for one in records if one["what"] in _PUTS]
    others = [one for one in records if one["what"] not in _PUTS]
    ours = [one for one in others if one["theirs"].startswith(_TWO_SIDED)]
    library = [one for one in others if one not in ours]
    return _TEMPLATE.read_text(encoding="utf-8").format(
        date=date_of(data, STUDY),
        load=kept["load"],
        gain=bytes_text(study["gain_bytes"]),
        strict=study["most_strict"],
        loose=study["most_loose"],
        outcome=_outcome(library, study),
        puts=_tables(puts, _ratio),
        library=_tables(library, _ratio),
        chosen=_tables([one for one in library if one["chosen"]], _chosen),
        ours=_tables(ours, _ratio),
        losses=_losses(records),
        links_date=date_of(data, LINKS),
        links=links_table(json.loads((data / f"{LINKS}.json").read_text(encoding="utf-8"))),
        models_date=date_of(data, MODELS),
        models=_models(json.loads((data / f"{MODELS}.json").read_text(encoding="utf-8"))),
        trees_date=date_of(data, TREES),
        **_trees(study["trees"], json.loads((data / f"{TREES}.json").read_text(encoding="utf-8"))),
    )


def _trees(wanted: Mapping[str, Any], rows: Sequence[Record]) -> dict[str, str]:
    """Return what the page shows of trees beside two MPIs."""
    folder = _TEMPLATE.parent.parent / "reproduce" / wanted["declared_by"]
    source = tomllib.loads((folder / "experiments.toml").read_text(encoding="utf-8"))
    percents = {
        call: of_machines[wanted["machine"]]
        for call, of_machines in source["published"]["table_5_2"].items()
    }
    most_bytes = wanted["most_bytes"]
    return {
        "tree_ranks": str(wanted["num_ranks"]),
        "tree_bytes": bytes_text(most_bytes),
        "tree_gains": tree_tables.gain_table(rows, percents, most_bytes),
        "tree_statements": tree_tables.statement_table(rows, wanted["published"], most_bytes),
        "tree_losses": wrapped(tree_tables.lost_sentence(rows, wanted["peers"])),
        "tree_times": tree_tables.time_table(rows, wanted["peers"]),
    }


def _runs(records: Sequence[Record]) -> list[str]:
    return list(dict.fromkeys(one["run"] for one in records))


def kind_of(record: Record) -> str:
    """Return what a goal is for: `strict`, `loose` or `underway`."""
    words = record["what"].split()
    return "underway" if words[-1] == "underway" else words[0]


def mean(records: Sequence[Record]) -> float:
    """Return the geometric mean of the ratios."""
    return statistics.geometric_mean(one["ratio"] for one in records)


def _outcome(library: Sequence[Record], study: Mapping[str, Any]) -> str:
    rows = []
    for run in _runs(library):
        of_run = [one for one in library if one["run"] == run]
        large = [one for one in of_run if one["bytes"] >= study["gain_bytes"]]
        strict = mean([one for one in of_run if kind_of(one) == "strict"])
        loose = mean([one for one in large if kind_of(one) == "loose"])
        underway = mean([one for one in large if kind_of(one) == "underway"])
        rows.append(
            [
                run,
                _judged(strict, study["most_strict"]),
                _judged(loose, study["most_loose"]),
                _judged(underway, study["most_loose"]),
            ]
        )
    return table(["run", "strict", "loose", "16 underway"], rows)


def _judged(ratio: float, most: float) -> str:
    return f"{ratio:.2f}, {'reached' if ratio <= most else 'missed'}"


def _tables(records: Sequence[Record], cell_of: Callable[[Record], str]) -> str:
    """Return a table for each run: what by size."""
    texts = []
    for run in _runs(records):
        of_run = [one for one in records if one["run"] == run]
        sizes = sorted({one["bytes"] for one in of_run})
        rows = [
            [what, theirs, *(_cell(of_run, (what, theirs, size), cell_of) for size in sizes)]
            for what, theirs in dict.fromkeys((one["what"], one["theirs"]) for one in of_run)
        ]
        head = ["ours", "theirs", *map(bytes_text, sizes)]
        texts.append(f"{run[0].upper()}{run[1:]}:\n\n{table(head, rows)}")
    return "\n".join(texts)


def _cell(
    records: Sequence[Record], wanted: tuple[str, str, int], cell_of: Callable[[Record], str]
) -> str:
    for one in records:
        if (one["what"], one["theirs"], one["bytes"]) == wanted:
            return cell_of(one)
    return ""


def _ratio(record: Record) -> str:
    return f"{three_digits(record['ratio'])} of {three_digits(record['theirs_us'])} us"


def _chosen(record: Record) -> str:
    """Return the algorithm of a collective without the name of that, and the mechanism."""
    return str(record["chosen"]).partition("/")[2].replace("_", " ")


def links_table(rows: Sequence[Record]) -> str:
    """Return MB/s of puts and of messages: a row for each size, a column for each number."""
    numbers = sorted({row["links"] for row in rows})
    shown = []
    for size in sorted({row["bytes"] for row in rows}):
        found = {row["links"]: row for row in rows if row["bytes"] == size}
        shown.append([bytes_text(size), *(_bandwidths(found[number]) for number in numbers)])
    head = [f"{number} {'link' if number == 1 else 'links'}" for number in numbers]
    return table(["size", *head], shown)


def _bandwidths(row: Record) -> str:
    megabytes = row["bytes"] * row["transfers"] / 1e6
    puts, messages = (megabytes / row[name] for name in ("puts", "messages"))
    return f"{puts:.0f} and {messages:.0f} MB/s, {puts / messages:.2f}x"


def _models(rows: Sequence[Record]) -> str:
    """Return a row for each call: of all ranks, sizes and modes."""
    shown = []
    for call in dict.fromkeys(row["call"] for row in rows):
        of_call = [row for row in rows if row["call"] == call]
        candidates = sum(row["candidates"] for row in of_call)
        near = sum(row["within_5_percent"] for row in of_call)
        worst = max(of_call, key=lambda row: abs(math.log(row["worst"])))
        regret = max(row["regret"] for row in of_call)
        name = worst["worst_name"].partition("/")[2]
        where = f"{worst['ranks']} ranks, {bytes_text(worst['block_bytes'])}"
        shown.append(
            [
                call,
                str(candidates),
                f"{100 * near / candidates:.0f} %",
                f"{worst['worst']:.2f}x, `{name}`, {where}",
                f"{regret:.2f}x",
            ]
        )
    head = ["call", "candidates", "within 5 %", "furthest", "most that is lost"]
    return table(head, shown)


def _losses(records: Sequence[Record]) -> str:
    """Return where even the lower quartile is slower, the worst first."""
    lost = sorted((one for one in records if one["ratio_low"] > 1), key=lambda one: -one["ratio"])
    rows = [
        [
            one["run"],
            one["what"],
            one["theirs"],
            bytes_text(one["bytes"]),
            three_digits(one["ratio"]),
            f"{three_digits(one['ours_us'])} us",
        ]
        for one in lost[:_MOST_LOSSES]
    ]
    shown = table(["run", "ours", "theirs", "size", "ours / theirs", "ours"], rows)
    rest = len(lost) - len(rows)
    return shown + (f"\nand {rest} more of {len(records)} comparisons.\n" if rest > 0 else "")
