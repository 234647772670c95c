#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""Runs programs that bend the MPI standard, plain and with every collective forced.

If the plain program ends, the preloaded one ends, with the same data or the same class of error on
each rank. Exit code 1 if that is broken, or if nothing was compared. Standard library only.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import time
from dataclasses import replace
from pathlib import Path

import forces
from comparison import Summary, first_difference
from launches import BATCH, HUNG, Job, Program, read_config, run, run_seeds


class Runner:
    """Plain runs, forced runs, and what they say about each other."""

    def __init__(self, job: Job, config_path: str, summary: Summary) -> None:
        self.plain = job
        self.config_path = config_path
        self.summary = summary
        self.ended: list[int] = []

    def reproduce(self, force_set: str, kind: str, seed: int) -> str:
        """Command that runs one seed again."""
        words = [sys.executable, str(Path(__file__)), self.config_path, str(seed), "1"]
        words += ["--np", str(self.plain.num_ranks), "--sets", force_set, "--kinds", kind]
        return shlex.join(words)

    def compare(self, force_set: str, seeds: list[int]) -> None:
        """Run seeds plain and with a set."""
        plains = run_seeds(self.plain, seeds)
        ended = [seed for seed, program in plains.items() if program.verdict == "ended"]
        for program in plains.values():
            self.summary.tally(program.kind).programs += 1
            if program.verdict != "ended":
                print(f"plain {program.verdict} in {program.where}: {program.kind} {program.seed}")
        job = replace(self.plain, force_set=force_set)
        self.ended = ended
        forced = run_seeds(job, ended)
        for seed, ours in forced.items():
            self.judge(job, plains[seed], ours)
        if len(plains) < len(seeds) or len(forced) < len(ended):
            print(f"stopped: too many do not end ({force_set})", flush=True)

    def judge(self, job: Job, plain: Program, ours: Program) -> None:
        """Count one program whose plain run ended; look at it alone if something is odd."""
        tally = self.summary.tally(plain.kind)
        tally.plain_ended += 1
        tally.calls += len(plain.lines)
        undefined = [line for line in plain.lines.values() if line.data in {"garbled", "undefined"}]
        tally.undefined += len(undefined)
        if ours.verdict == "ended" and not first_difference(plain, ours):
            tally.same += 1
            return
        found = self.look_again(job, plain, ours)
        if not found:
            tally.unsteady += 1
            return
        verdict, why = found
        setattr(tally, verdict, getattr(tally, verdict) + 1)
        command = self.reproduce(job.force_set, plain.kind, plain.seed)
        self.summary.failures.append(
            f"{verdict}: {plain.kind} {plain.seed} ({job.config['vendor']}, {job.force_set}, "
            f"{job.num_ranks} ranks): {why}\n    {command}"
        )

    def look_again(self, job: Job, plain: Program, ours: Program) -> tuple[str, str] | None:
        """Run a seed alone, then after those before it; how it fails again, or nothing."""
        seed = plain.seed
        alone = replace(self.plain, kinds=plain.kind)
        steady = [run_seeds(alone, [seed])[seed] for _ in range(2)]
        again = run_seeds(replace(job, kinds=plain.kind), [seed])[seed]
        found = self.failure(plain, again, steady)
        if found:
            return found
        before = [other for other in self.ended if seed - BATCH < other <= seed]
        steady += [run_seeds(self.plain, before)[seed]]
        found = self.failure(plain, run_seeds(job, before)[seed], steady)
        if found:
            return found[0], f"{found[1]}, only after seeds from {before[0]} on"
        print(f"{ours.verdict} in {ours.where}, not again: {plain.kind} {seed}")
        return None

    @staticmethod
    def failure(plain: Program, ours: Program, steady: list[Program]) -> tuple[str, str] | None:
        """How a program that plain runs end breaks the promise."""
        if any(program.verdict != "ended" for program in steady):
            return None
        if ours.verdict != "ended":
            return ours.verdict, f"in {ours.where}"
        why = first_difference(plain, ours, steady)
        return ("different", why) if why else None

    def compare_fatal(self, force_set: str, seeds: list[int]) -> None:
        """Programs that MPI ends: each launched alone."""
        tally = self.summary.tally("fatal")
        plain = replace(self.plain, kinds="fatal")
        ours = replace(plain, force_set=force_set)
        for seed in seeds:
            tally.programs += 1
            codes = []
            for job in (plain, ours):
                words = job.command(seed, 1, (), "")
                codes.append(run(words, job.environment(), 3 * job.limit))
            if codes[0] in {0, HUNG}:
                continue
            tally.plain_ended += 1
            if codes[1] in {0, HUNG}:
                tally.different += 1
                command = self.reproduce(force_set, "fatal", seed)
                why = f"exit code {codes[1]} instead of {codes[0]}"
                self.summary.failures.append(f"different: fatal {seed}: {why}\n    {command}")
            else:
                tally.same += 1


def arguments() -> argparse.Namespace:
    """Arguments of the command."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("config", help="JSON file made by the build")
    parser.add_argument("first", type=int, help="first seed")
    parser.add_argument("number", type=int, help="number of programs")
    parser.add_argument("--np", default="2", help="numbers of ranks")
    parser.add_argument("--sets", default=",".join(forces.SETS), help="sets of algorithms")
    parser.add_argument("--kinds", default="", help="kinds of bending; fatal alone")
    parser.add_argument("--limit", type=int, default=20, help="seconds for one call")
    parser.add_argument("--shim", default="", help="another library to preload")
    parser.add_argument(
        "--max-stops", type=int, default=0, help="leave out the rest after so many do not end"
    )
    parser.add_argument("--break", dest="breakage", default="", choices=["digest", "hang"])
    return parser.parse_args()


def main() -> int:
    """Run, print the summary, and say whether the promise was kept."""
    options = arguments()
    config = read_config(options.config)
    if options.shim:
        config["shim"] = options.shim
    summary = Summary()
    seeds = list(range(options.first, options.first + options.number))
    start = time.monotonic()
    for num_ranks in map(int, options.np.split(",")):
        job = Job(
            config,
            num_ranks,
            kinds=options.kinds,
            limit=options.limit,
            breakage=options.breakage,
            max_stops=options.max_stops,
        )
        runner = Runner(job, options.config, summary)
        for force_set in options.sets.split(","):
            compare = runner.compare_fatal if options.kinds == "fatal" else runner.compare
            compare(force_set, seeds)
    for failure in summary.failures:
        print(failure)
    print(summary.text())
    seconds = time.monotonic() - start
    print(f"{summary.num_compared} programs compared in {seconds:.0f} s")
    return 1 if summary.failures or summary.num_compared == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
