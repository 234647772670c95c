#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Improve programs that nobody here wrote, and check that they compute the same.

Usage: study.py [NAME ...] [--place PLACE] [--budget TIME] [--data FOLDER] [--results FOLDER]
[--only-preloaded]. It runs the programs of experiments.toml, or those that are named, one after the
other, on emulated hosts (needs root) or on one node. Each is improved by one command, and then it
is only preloaded, again and again, without the profile; --only-preloaded leaves out the former, and
keeps what was found by it. FOLDER/programs*.json keep what was found; benchmarks/pages.py writes
the page about it.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(FOLDER), str(FOLDER.parent / "reproduce"), str(ROOT / "python")]

import equality  # noqa: E402
import loops  # noqa: E402
import page  # noqa: E402
from place import ESPALIER, Place, program_in  # noqa: E402
from simulated_times import note_date  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_PROFILE, _STORE = "profile.json", "store.db"
_KEPT = (
    *("created", "espalier", "mpi", "num_ranks", "num_nodes", "seconds", "program_seconds"),
    *("collective_share", "tuned_share", "wall", "num_blocks", "calls", "taken_back"),
    *("remaining", "profile"),
)


def is_there(program: Mapping[str, Any]) -> bool:
    """Return whether all that a program needs is installed, and say what is not."""
    missing = [name for name in program["needs"] if shutil.which(name) is None]
    missing = [name for name in missing if not Path(name).is_file()]
    if missing:
        print(f"{program['name']}: left out, {', '.join(missing)} is not installed")  # noqa: T201
    return not missing


def improve(
    program: Mapping[str, Any], place: Place, declared: Mapping[str, Any], budget: str
) -> dict[str, Any]:
    """Improve a program, run it once more with and without the profile, and compare the results."""
    command = place.command(program)
    options = ["-o", _PROFILE, "--store", _STORE, "--time-budget", budget]
    options += ["--repetitions", str(declared["improve"]["repetitions"]), "--json"]
    text = place.run([str(ESPALIER), "improve", *options, "--", *command], is_shown=True)
    (place.folder / "improvement.json").write_text(text, encoding="utf-8")
    outputs = []
    for start in ([], [str(ESPALIER), "run", "--profile", _PROFILE, "--"]):
        output = place.run([*start, *command])
        outputs.append(equality.result_of(program, place.folder, output))
    return {
        "name": program["name"],
        "budget": budget,
        "command": shlex.join(program["command"]),
        "results": equality.compared(program, *outputs),
        "preloaded": learn(place, command, program),
        **kept(json.loads(text), place.folder / _STORE),
    }


def prepared(program: Mapping[str, Any], declared: Mapping[str, Any], results: Path) -> Place:
    """Return a place with the inputs of a program, and nothing else."""
    folder = results / program["name"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    own_rate = {key: program[key] for key in ("rate",) if key in program and key in declared}
    place = Place({**declared, **own_rate}, folder)
    place.prepare(program)
    return place


def repetitions_of(program: Mapping[str, Any], declared: Mapping[str, Any]) -> int:
    """Return how many runs of a program learn."""
    return int(program.get("learning_runs", declared["learning_runs"]))


def learn(place: Place, command: Sequence[str], program: Mapping[str, Any]) -> dict[str, Any]:
    """Run a program that is only preloaded again and again, and as many native runs in turns.

    Returns:
        The seconds of whole runs: those that learn one after the other, and those of the native
        runs next to them; and the same of runs that begin without lessons.
    """
    numbers = [str(repetitions_of(program, place.declared)), str(place.declared["first_runs"])]
    text = place.run([sys.executable, str(FOLDER / "turns.py"), *numbers, "--", *command])
    (place.folder / "learning.json").write_text(text, encoding="utf-8")
    return dict(json.loads(text))


def kept(document: Mapping[str, Any], store: Path) -> dict[str, Any]:
    """Return what the page needs of an `espalier-improvement` document and its measurements."""
    calls = [
        {**call, "loop_seconds": loops.native_seconds(store, call)} for call in document["calls"]
    ]
    return {name: document[name] for name in _KEPT} | {"calls": calls}


def record(data: Path, place: str, found: Mapping[str, Any]) -> None:
    """Put what was found for a program in place of what was known of it."""
    path = page.path_of(data, place)
    known = page.recorded(data, place) if path.exists() else {}
    known[found["name"]] = found
    rows = [known[name] for name in sorted(known)]
    data.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True)
class Study:
    """What is declared, and what the caller chose."""

    declared: Mapping[str, Any]
    options: argparse.Namespace

    def measure(self, program: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is found for a program, in the place that was chosen.

        Raises:
            subprocess.SubprocessError: it failed.
            ValueError: only its preloaded runs are wanted, and it was not improved before.
        """
        options = self.options
        there = self.declared["place"][options.place]
        program = program_in(program, there)
        known = page.recorded(options.data, options.place) if options.only_preloaded else {}
        if options.only_preloaded and program["name"] not in known:
            raise ValueError(f"{program['name']}: not improved yet; leave out --only-preloaded")
        place = prepared(program, there, options.results / options.place)
        if not options.only_preloaded:
            budget = options.budget or there["time_budget"]
            return improve(program, place, self.declared, budget)
        runs = learn(place, place.command(program), program)
        return {**known[program["name"]], "preloaded": runs}


def options_of(declared: Mapping[str, Any]) -> argparse.Namespace:
    """Return what the command line says; it ends the program if that is wrong."""
    names = [program["name"] for program in declared["program"]]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--place", choices=declared["place"], default=page.HOSTS)
    parser.add_argument("--budget", metavar="TIME", help="by default that of the place")
    parser.add_argument("--data", type=Path, default=ROOT / "docs" / "benchmarks" / "data")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "programs")
    parser.add_argument("--only-preloaded", action="store_true", help="keep what improve found")
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"expected names of {', '.join(names)}, got {', '.join(sorted(unknown))}")
    return options


def main() -> int:
    """Exit code 1 if a program failed, or computed something else."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    options = options_of(declared)
    study = Study(declared, options)
    is_good = True
    for program in declared["program"]:
        name = program["name"]
        if name not in (options.names or [name]) or not is_there(program):
            continue
        start = time.monotonic()
        try:
            found = study.measure(program)
        except (subprocess.SubprocessError, ValueError) as error:
            print(f"{name}: {error}\n{getattr(error, 'stderr', None) or ''}", file=sys.stderr)  # noqa: T201
            is_good = False
            continue
        record(options.data, options.place, found)
        note_date(options.data, page.study_of(options.place))
        print(f"{page.line_of(found)} ({time.monotonic() - start:.0f} s)", flush=True)  # noqa: T201
        is_good = is_good and found["results"]["equal"]
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
