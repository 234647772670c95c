# SPDX-License-Identifier: Apache-2.0
"""What `espalier check` prints."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from espalier.base.ranges import runs_text
from espalier.base.units import time_text
from espalier.io.console import make_console, make_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from espalier.catalog.proofs import Proof

_MOST_VIOLATIONS = 20
_NUMBER = re.compile(r"\d+")
_LONGEST_RUNS = 16
_LEAST_WIDE = 100


def _ranks_text(proofs: Sequence[Proof]) -> str:
    ranks = {proof["num_ranks"] for proof in proofs}
    text = runs_text(ranks)
    return text if len(text) <= _LONGEST_RUNS else f"{len(ranks)} of {min(ranks)} .. {max(ranks)}"


def _range_text(numbers: Sequence[int]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low}" if low == high else f"{low} .. {high}"


def _rounds_text(proofs: Sequence[Proof]) -> str:
    most_ranks = max(proof["num_ranks"] for proof in proofs)
    rounds = [
        proof["rounds"]
        for proof in proofs
        if proof["num_ranks"] == most_ranks and proof["rounds"] is not None
    ]
    return _range_text(rounds) if rounds else ""


def _verdict_text(proofs: Sequence[Proof]) -> str:
    num_refuted = sum(proof["verdict"] == "refuted" for proof in proofs)
    return f"REFUTED ({num_refuted})" if num_refuted else "proved"


def _print_table(console: Console, by_algorithm: Mapping[str, Sequence[Proof]]) -> None:
    is_wide = console.width >= _LEAST_WIDE
    columns = ("algorithm", "p", "variants", "proofs", "rounds at most p", "time", "verdict")
    shown = [name for name in columns if is_wide or name not in {"variants", "time"}]
    table = make_table(*shown, right=columns[2:6])
    table.columns[0].no_wrap = True
    for name, proofs in sorted(by_algorithm.items()):
        cells = {
            "algorithm": name,
            "p": _ranks_text(proofs),
            "variants": str(len({proof["choice"] for proof in proofs})),
            "proofs": str(len(proofs)),
            "rounds at most p": _rounds_text(proofs),
            "time": time_text(sum(proof["seconds"] for proof in proofs)),
            "verdict": _verdict_text(proofs),
        }
        is_refuted = cells["verdict"] != "proved"
        table.add_row(
            *(cells[column] for column in shown), style="bold red" if is_refuted else None
        )
    console.print(table)
    console.print()


def _kinds(refuted: Sequence[Proof]) -> list[list[Proof]]:
    """Return refuted proofs together whose violations differ in their numbers only."""
    kinds: dict[tuple[str, str, str], list[Proof]] = {}
    for proof in refuted:
        if proof["violation"] is not None:
            text = _NUMBER.sub("N", proof["violation"]["text"])
            kind = proof["algorithm"], proof["violation"]["rule"], text
            kinds.setdefault(kind, []).append(proof)
    return list(kinds.values())


def _print_kind(console: Console, proofs: Sequence[Proof]) -> None:
    first, *others = proofs
    _print_violation(console, first)
    if others:
        console.print(
            f"  the same, with other numbers, in {_many(len(others), 'more proof')}:"
            f" {runs_text(proof['num_ranks'] for proof in others)} ranks",
            soft_wrap=True,
        )


def _print_violation(console: Console, proof: Proof) -> None:
    violation = proof["violation"]
    if violation is None:
        return
    place = "".join(
        f", {what} {violation[what]}"
        for what in ("rank", "operation")
        if violation[what] is not None
    )
    where = f"{proof['choice']} p = {proof['num_ranks']}, root {proof['root']}"
    console.print(f"{where}: rule {violation['rule']}{place}", style="bold red")
    console.print(f"  {violation['text']}", soft_wrap=True)


def _summary(report: Mapping[str, Any]) -> str:
    text = f"{report['num_proved']} proved"
    if report["num_refuted"]:
        text += f", {report['num_refuted']} refuted"
    left = report["num_wanted"] - report["num_proved"] - report["num_refuted"]
    if left:
        text += f", {left} not tried (interrupted)"
    return f"{text}, in {time_text(report['seconds'])}"


def _many(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _print_coverage(console: Console, covered: Mapping[str, Any]) -> None:
    ranks = runs_text(covered["num_ranks"]) or "none below 1000"
    console.print(
        f"covered: {_many(len(covered['algorithms']), 'algorithm')} in"
        f" {_many(covered['num_choices'], 'choice')}, for {ranks} ranks",
        soft_wrap=True,
    )
    if covered["every_root_to"] is not None:
        console.print(
            f"  roots: all to {covered['every_root_to']} ranks, beyond the first, second, middle"
            " and last"
        )
    if covered["num_in_segments"]:
        console.print(f"  in segments: {covered['num_in_segments']} of the proofs")
    for entry in covered["many_ranks"]:
        names = ", ".join(entry["choices"])
        console.print(f"  {entry['num_ranks']} ranks: {names}", soft_wrap=True)
    equal = ", ".join(covered["equal_blocks_only"])
    console.print(
        "  blocks of any sizes, zero included" + (f"; of one size for {equal}" if equal else ""),
        soft_wrap=True,
    )


def print_proofs(report: Mapping[str, Any]) -> None:
    """Print one row an algorithm, then what is wrong, then the sum."""
    console = make_console()
    by_algorithm: dict[str, list[Proof]] = {}
    for proof in report["proofs"]:
        by_algorithm.setdefault(proof["algorithm"], []).append(proof)
    if by_algorithm:
        _print_table(console, by_algorithm)
    refuted = [proof for proof in report["proofs"] if proof["verdict"] == "refuted"]
    kinds = _kinds(refuted)
    for kind in kinds[:_MOST_VIOLATIONS]:
        _print_kind(console, kind)
    if len(kinds) > _MOST_VIOLATIONS:
        console.print(f"... and {len(kinds) - _MOST_VIOLATIONS} more; --json lists all")
    if report.get("coverage") and report["num_proved"]:
        _print_coverage(console, report["coverage"])
    console.print(_summary(report))
