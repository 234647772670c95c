# SPDX-License-Identifier: Apache-2.0
"""What `espalier explain` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from espalier.base.units import (
    bytes_range_text,
    bytes_text,
    interval_text,
    ratio_text,
    three_digits,
    time_text,
)
from espalier.io.console import make_console, make_table
from espalier.launch.runs import has_calls_at_once
from espalier.profiles.profiles import neighbors_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

_LEAST_WIDE = 100


def shape_text(entry: Mapping[str, Any]) -> str:
    """Return `4 ranks`, with the nodes if there are several."""
    ranks = f"{entry['num_ranks']} rank{'s' if entry['num_ranks'] != 1 else ''}"
    nodes = entry.get("num_nodes", 1)
    placed = f" ({entry['placement']})" if entry.get("placement") else ""
    near = neighbors_text(entry)
    return f"{ranks}{near}" if nodes == 1 else f"{ranks} on {nodes} nodes{placed}{near}"


def _print_head(console: Console, explanation: Mapping[str, Any]) -> None:
    console.print(Text(explanation["profile"], style="bold"), soft_wrap=True)
    runs = explanation["runs"]
    for run in runs:
        _print_run_head(console, run, is_only=len(runs) == 1)
        console.print()


def _print_run_head(console: Console, run: Mapping[str, Any], *, is_only: bool) -> None:
    mpi = run.get("mpi", {})
    machine = run.get("machine", {})
    lines = {
        "rules": "" if is_only else _rules_text(run["shapes"]),
        "MPI": f"{mpi.get('vendor', 'unknown')} {mpi.get('version', '')}".strip(),
        "machine": ", ".join(
            str(machine[key]) for key in ("hostname", "cpu", "text") if key in machine
        ),
        "created": run.get("created", ""),
        "command": run.get("command", ""),
    }
    for name, text in lines.items():
        if text:
            console.print(f"  {name:<8} {text}", soft_wrap=True)


def _rules_text(shapes: Sequence[Mapping[str, Any]]) -> str:
    return "; ".join(f"{shape_text(shape)}: {', '.join(shape['calls'])}" for shape in shapes)


class _Notes:
    """Reasons, told once each below a table that refers to them by number."""

    def __init__(self) -> None:
        """Begin with none."""
        self._texts: list[str] = []

    def number(self, text: str) -> str:
        """Return the reference to a text: `[1]`."""
        if text not in self._texts:
            self._texts.append(text)
        return f"[{self._texts.index(text) + 1}]"

    def print(self, console: Console) -> None:
        """Print the texts with their numbers."""
        console.print()
        for number, text in enumerate(self._texts, start=1):
            console.print(f"[{number}] {text}", soft_wrap=True)


def _print_decisions(console: Console, decisions: list[dict[str, Any]]) -> None:
    notes = _Notes()
    table = make_table("collective", "shape", "bytes of result", "algorithm", "why")
    for decision in decisions:
        table.add_row(
            decision["collective"],
            shape_text(decision),
            bytes_range_text(decision["min_bytes"], decision["max_bytes"]),
            decision["algorithm"],
            notes.number(decision["reason"]),
            style="yellow" if decision["borrowed"] else None,
        )
    console.print(table)
    notes.print(console)
    if any(decision["borrowed"] for decision in decisions):
        console.print()
        console.print(
            "Borrowed rules were measured with another number of ranks or nodes;"
            " tune with this one to be sure."
        )


def _ratio(row: Mapping[str, Any]) -> str:
    if row["algorithm"] == "native":
        return "1 (reference)"
    if row["ratio"] is None:
        return ""
    text = ratio_text(row["ratio"])
    if row["ratio_low"] is not None and row["ratio_high"] is not None:
        text += f" ({three_digits(row['ratio_low'])} .. {three_digits(row['ratio_high'])})"
    return text


def _print_times(console: Console, entry: Mapping[str, Any]) -> None:
    title = f"{entry['collective']}, {shape_text(entry)}, {bytes_text(entry['bytes'])}"
    samples = entry["num_samples"]
    console.print()
    console.print(Text(title + (f", {samples} samples each" if samples else ""), style="bold"))
    columns = ("", "algorithm", "measured", "interval", "predicted", "gain (interval)")
    table = make_table(*columns, right=columns[2:5])
    for row in sorted(entry["times"], key=lambda row: float(row["median_us"])):
        predicted = row["predicted_us"]
        table.add_row(
            "->" if row["chosen"] else "",
            row["algorithm"],
            time_text(row["median_us"] * 1e-6),
            interval_text(row["low_us"] * 1e-6, row["high_us"] * 1e-6),
            "" if predicted is None else time_text(predicted * 1e-6),
            _ratio(row),
            style="bold" if row["chosen"] else None,
        )
    console.print(table)


def _model_text(model: Mapping[str, Any]) -> str:
    latency = time_text(model["latency_us"] * 1e-6)
    speed = "no visible cost of bytes"
    if model["us_per_byte"] > 0:
        speed = f"{1e6 / model['us_per_byte'] / 1024**3:.3g} GiB/s"
    return f"{latency} a round and {speed}, fitted to {model['num_points']} measurements"


def _print_models(console: Console, evidence: list[dict[str, Any]]) -> None:
    models = {
        f"{entry['collective']}, {shape_text(entry)}": _model_text(entry["model"])
        for entry in evidence
        if entry["model"] is not None
    }
    if models:
        console.print()
        console.print("predicted = what a model of two numbers says of rounds and bytes sent:")
        for shape, text in models.items():
            console.print(f"  {shape}: {text}", soft_wrap=True)


def print_profile(explanation: Mapping[str, Any]) -> None:
    """Print decisions; the measurements behind them if a collective or size was asked for."""
    console = make_console()
    _print_head(console, explanation)
    if not explanation["decisions"]:
        console.print("The profile says nothing about this: every call runs natively.")
        return
    _print_decisions(console, explanation["decisions"])
    question = explanation["question"]
    if question["call"] is None and question["bytes"] is None:
        console.print()
        console.print("--collective or --bytes shows the measurements behind this.")
        return
    for entry in explanation["evidence"]:
        _print_times(console, entry)
    _print_models(console, explanation["evidence"])


def _share_text(share: float) -> str:
    return f"{100 * share:.1f} %" if share >= 0.0005 else "<0.1 %"


def _print_calls(console: Console, calls: list[dict[str, Any]]) -> None:
    columns = ("function", "ranks", "bytes of result", "calls", "total", "share", "per call", "ran")
    is_wide = console.width >= _LEAST_WIDE
    shown = [*(name for name in columns if is_wide or name not in {"ranks", "total"}), "why"]
    if any(call.get("manner") for call in calls):
        shown.insert(1, "how")
    table = make_table(*shown, right=("ranks", "calls", "total", "share", "per call"))
    table.columns[0].no_wrap = True
    notes = _Notes()
    for call in calls:
        cells = {
            "function": call["function"],
            "how": call.get("manner", ""),
            "ranks": str(call["num_ranks"]),
            "bytes of result": bytes_range_text(call["min_bytes"], call["max_bytes"]),
            "calls": str(call["count"]),
            "total": time_text(call["seconds"]),
            "share": _share_text(call["share"]),
            "per call": time_text(call["seconds_per_call"]),
            "ran": call["algorithm"] + (" (borrowed)" if call["borrowed"] else ""),
            "why": notes.number(call["reason"]),
        }
        table.add_row(*(cells[name] for name in shown), style="dim" if call["native"] else None)
    console.print(table)
    notes.print(console)


def _is_awaited(call: Mapping[str, Any]) -> bool:
    return any("work" in part["manner"] for part in call["communicators"])


def _sums(explanation: Mapping[str, Any]) -> str:
    """Return what the numbers of a table of calls are."""
    if has_calls_at_once(explanation):
        return (
            "Calls and times are sums over all ranks. Several threads made calls at once: shares"
            " are of the time of all calls."
        )
    return "Calls and times are sums over all ranks, shares are of the time of all ranks."


def print_run(explanation: Mapping[str, Any]) -> None:
    """Print what ran, the costliest class of calls first."""
    console = make_console()
    console.print(
        f"{shape_text(explanation)} under {explanation['mpi']['version']},"
        f" {time_text(explanation['seconds'])} from MPI_Init to MPI_Finalize",
        soft_wrap=True,
    )
    console.print()
    if explanation["calls"]:
        _print_calls(console, explanation["calls"])
        console.print()
        console.print(_sums(explanation))
        if any(map(_is_awaited, explanation["calls"])):
            console.print(
                "Times of nonblocking calls are those of their start and of waiting for them."
            )
    else:
        console.print("No call that Espalier speaks of was made.")
    console.print(f"Espalier held {bytes_text(explanation['memory_bytes'])} at most on a rank.")
    for warning in explanation["warnings"]:
        console.print(f"warning: {warning}", style="yellow", soft_wrap=True)
