# SPDX-License-Identifier: Apache-2.0
"""Tuning and launching the program that compares collectives, under one setting."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import mpi_runs
from espalier.errors import EnvironmentFault
from mpi_members import BUILD, ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from node_settings import Setting

_SECONDS = 120
_SHOWN = 300


def tune(
    setting: Setting, declared: Mapping[str, Any], seconds: float, folder: Path
) -> Mapping[str, Any]:
    """Make a profile as a user does, keep it as `profile.json` in the folder, and return it."""
    path = folder / "profile.json"
    words = [
        *(sys.executable, "-m", "espalier", "tune", "run", "--mpi", setting.member.family),
        *("--collectives", ",".join(declared["calls"])),
        *("--sizes", ",".join(str(size) for size in declared["sizes"] if size > 0)),
        *(word for choice in candidates(declared) for word in ("--algorithms", choice)),
        *("--time-budget", f"{seconds}s", "--store", str(folder / "measurements.db")),
        *("-o", str(path), "--", *setting.launcher({})),
    ]
    own = {"PYTHONPATH": str(ROOT / "python"), "ESPALIER_BUILD_DIR": str(BUILD)}
    _run(setting, words, seconds + _SECONDS, own, folder)
    profile: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return profile


def candidates(declared: Mapping[str, Any]) -> list[str]:
    """Return the choices to tune with: what is declared, through shared memory."""
    return [
        f"{call}/{through_memory(name)}"
        for call, names in declared["candidates"].items()
        for name in names
    ]


def through_memory(name: str) -> str:
    """Return an algorithm with its arguments and that for shared memory."""
    algorithm, bracket, arguments = name.rstrip("]").partition("[")
    return f"{algorithm}[{arguments}{',' if bracket else ''}shared_memory=1]"


def chosen(profile: Mapping[str, Any]) -> dict[str, list[tuple[int, str]]]:
    """Return for each call its choices by the smallest size that they are for."""
    found: dict[str, list[tuple[int, str]]] = {}
    for rule in profile["rules"]:
        found.setdefault(rule["collective"], []).append((rule["min_bytes"], rule["algorithm"]))
    return {call: sorted(rules) for call, rules in sorted(found.items())}


def launch(setting: Setting, declared: Mapping[str, Any], folder: Path) -> list[dict[str, Any]]:
    """Run the program once with the profile in a folder, and return the lines that it prints."""
    variables = {
        "ESPALIER_PROFILE": str(folder / "profile.json"),
        "ESPALIER_LEARN": "off",
        "ESPALIER_MEMORY": "off",
    }
    program = BUILD / "bin" / f"node_collectives_{setting.member.family}"
    words = [
        *setting.launcher(variables, f"libespalier-{setting.member.family}.so"),
        *(str(program), str(declared["milliseconds"]), *map(str, declared["sizes"])),
    ]
    return lines_of(_run(setting, words, _SECONDS, {}, folder))


def lines_of(output: str) -> list[dict[str, Any]]:
    """Return the lines of JSON among what a launch printed."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def _run(
    setting: Setting,
    words: Sequence[str],
    seconds: float,
    variables: Mapping[str, str],
    folder: Path,
) -> str:
    done = mpi_runs.run(words, setting.member, seconds, variables, folder)
    if done.returncode != 0:
        told = done.stdout.strip()[-_SHOWN:]
        raise EnvironmentFault(f"{setting.key}: exit code {done.returncode}: {told}")
    return done.stdout
