#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Improve programs that nobody here wrote, on emulated hosts, and check that they compute the same.

Usage: study.py [NAME ...] [--budget TIME] [--data FOLDER] [--results FOLDER] [--only-preloaded]. It
runs the programs of experiments.toml, or those that are named, one after the other. Each is
improved by one command, and then it is only preloaded, again and again, without the profile;
--only-preloaded leaves out the former, and keeps what was found by it. FOLDER/programs.json keeps
what was found; benchmarks/pages.py writes the page about it. Needs root.
"""

from __future__ import annotations

import argparse
import json
import os
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
import page  # noqa: E402
from simulated_times import note_date  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

ESPALIER = ROOT / "bin" / "espalier"
_PROFILE = "profile.json"
# Of one command with its runs; a program that hangs ends earlier.
_TIME_LIMIT_S = 1500
_KEPT = (
    *("created", "espalier", "mpi", "num_ranks", "num_nodes", "seconds", "program_seconds"),
    *("collective_share", "tuned_share", "wall", "num_blocks", "calls", "taken_back"),
    *("remaining", "profile"),
)


@dataclass(frozen=True)
class Place:
    """Where a program runs: the hosts, how it is started on them, and its own folder."""

    cluster: Mapping[str, Any]
    launcher: Sequence[str]
    folder: Path

    def run(self, words: Sequence[str], *, is_shown: bool = False) -> str:
        """Run a command on the hosts, and return its output; what it says beside may be shown.

        Raises:
            subprocess.CalledProcessError: it failed.
        """
        cluster = self.cluster
        options = ["--hosts", cluster["hosts"], "--ranks-per-host", cluster["ranks_per_host"]]
        options += ["--rate", cluster["rate"]]
        done = subprocess.run(
            [str(ESPALIER), "cluster", "run", *map(str, options), "--", *words],
            cwd=self.folder,
            # What programs learn stays in their folder, and each begins without lessons.
            env=os.environ | {"OMP_NUM_THREADS": "1", "XDG_STATE_HOME": str(self.folder / "state")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=None if is_shown else subprocess.PIPE,
            text=True,
            check=True,
            timeout=_TIME_LIMIT_S,
        )
        return done.stdout


def filled(words: Sequence[str]) -> list[str]:
    """Return words with the places that experiments.toml leaves open."""
    return [word.format(here=FOLDER, python=sys.executable) for word in words]


def is_there(program: Mapping[str, Any]) -> bool:
    """Return whether all that a program needs is installed, and say what is not."""
    missing = [name for name in program["needs"] if shutil.which(name) is None]
    missing = [name for name in missing if not Path(name).is_file()]
    if missing:
        print(f"{program['name']}: left out, {', '.join(missing)} is not installed")  # noqa: T201
    return not missing


def improve(
    program: Mapping[str, Any], declared: Mapping[str, Any], budget: str, results: Path
) -> dict[str, Any]:
    """Improve a program, run it once more with and without the profile, and compare the results."""
    place = prepared(program, declared, results)
    folder = place.folder
    command = [*place.launcher, *filled(program["command"])]
    options = ["-o", _PROFILE, "--store", "store.db", "--time-budget", budget]
    options += ["--repetitions", str(declared["improve"]["repetitions"]), "--json"]
    text = place.run([str(ESPALIER), "improve", *options, "--", *command], is_shown=True)
    (folder / "improvement.json").write_text(text, encoding="utf-8")
    outputs = []
    for start in ([], [str(ESPALIER), "run", "--profile", _PROFILE, "--"]):
        output = place.run([*start, *command])
        outputs.append(equality.result_of(program, folder, output))
    return {
        "name": program["name"],
        "budget": budget,
        "command": shlex.join(program["command"]),
        "results": equality.compared(program, *outputs),
        "preloaded": learn(place, command, repetitions_of(program, declared)),
        **kept(json.loads(text)),
    }


def prepared(program: Mapping[str, Any], declared: Mapping[str, Any], results: Path) -> Place:
    """Return a place with the inputs of a program, and nothing else."""
    cluster = declared["cluster"] | {key: program[key] for key in ("rate",) if key in program}
    num_ranks = cluster["hosts"] * cluster["ranks_per_host"]
    launcher = ["mpirun", "-n", str(num_ranks), "-x", "OMP_NUM_THREADS", *program.get("launch", ())]
    folder = results / program["name"]
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    if "prepare" in program:
        words = ["/bin/bash", "-euc", *filled([program["prepare"]])]
        subprocess.run(words, cwd=folder, check=True, stdin=subprocess.DEVNULL)
    return Place(cluster, launcher, folder)


def preload_again(
    program: Mapping[str, Any], declared: Mapping[str, Any], known: Mapping[str, Any], results: Path
) -> dict[str, Any]:
    """Return what is known of a program, with new runs that are only preloaded."""
    place = prepared(program, declared, results)
    command = [*place.launcher, *filled(program["command"])]
    return {**known, "preloaded": learn(place, command, repetitions_of(program, declared))}


def repetitions_of(program: Mapping[str, Any], declared: Mapping[str, Any]) -> int:
    """Return how many runs of a program learn."""
    return int(program.get("learning_runs", declared["learn"]["runs"]))


def learn(place: Place, command: Sequence[str], num_runs: int) -> dict[str, list[float]]:
    """Run a program that is only preloaded again and again, and as many native runs in turns.

    Returns:
        The seconds of whole runs: those that learn one after the other, and those of the native
        runs next to them.
    """
    text = place.run([sys.executable, str(FOLDER / "turns.py"), str(num_runs), "--", *command])
    (place.folder / "learning.json").write_text(text, encoding="utf-8")
    return dict(json.loads(text))


def kept(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the page needs of an `espalier-improvement` document."""
    return {name: document[name] for name in _KEPT}


def record(data: Path, found: Mapping[str, Any]) -> None:
    """Put what was found for a program in place of what was known of it."""
    path = data / page.DATA
    known = page.recorded(data) if path.exists() else {}
    known[found["name"]] = found
    rows = [known[name] for name in sorted(known)]
    path.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


def main() -> int:
    """Exit code 1 if a program failed, or computed something else."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    programs = {program["name"]: program for program in declared["program"]}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(programs))
    parser.add_argument("--budget", default=declared["improve"]["time_budget"])
    parser.add_argument("--data", type=Path, default=ROOT / "docs" / "benchmarks" / "data")
    parser.add_argument("--results", type=Path, default=ROOT / "build" / "programs")
    parser.add_argument("--only-preloaded", action="store_true", help="keep what improve found")
    options = parser.parse_args()
    if unknown := set(options.names) - programs.keys():
        parser.error(f"expected names of {', '.join(programs)}, got {', '.join(sorted(unknown))}")
    is_good = True
    for name in options.names or programs:
        if not is_there(programs[name]):
            continue
        start = time.monotonic()
        try:
            if options.only_preloaded:
                known = page.recorded(options.data)
                if name not in known:
                    parser.error(f"{name}: not improved yet; leave out --only-preloaded")
                found = preload_again(programs[name], declared, known[name], options.results)
            else:
                found = improve(programs[name], declared, options.budget, options.results)
        except subprocess.SubprocessError as error:
            print(f"{name}: {error}\n{getattr(error, 'stderr', None) or ''}", file=sys.stderr)  # noqa: T201
            is_good = False
            continue
        record(options.data, found)
        note_date(options.data, page.STUDY)
        print(f"{page.line_of(found)} ({time.monotonic() - start:.0f} s)", flush=True)  # noqa: T201
        is_good = is_good and found["results"]["equal"]
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main())
