#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Run what experiments.toml declares, and keep the times in docs/benchmarks/data.

Usage: study.py [--build build/release] [--only TITLE ...] [--models] [--links] [--trees]. On
emulated hosts it needs root, and on simulated nodes what `make simulator` builds. A run takes up to
ten minutes; runs that were made before are made again, or those that are named. With --models the
model of one-sided collectives is held against the simulator, with --links a node floods its
neighbours in simulation, with --trees trees of puts are timed beside two MPIs there, and nothing
else.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [str(ROOT / "python"), str(FOLDER.parent / "reproduce")]

from simulated_times import note_date  # noqa: E402

from espalier.clusters import SimulatedCluster  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

STUDY = "onesided"
MODELS = "onesided-models"
LINKS = "onesided-links"
TREES = "onesided-trees"
DATA = ROOT / "docs" / "benchmarks" / "data"
TIME_LIMIT_S = 1200


_ARGUMENTS = ("conduit", "num_samples", "most_bytes", "tuning_seconds", "most_actions")


def command(run: Mapping[str, Any], program: Path) -> list[str]:
    """Return what starts a run with Open MPI."""
    ranks = [str(program), *(str(run[name]) for name in _ARGUMENTS)]
    launcher = ["mpirun.openmpi", "-n", str(run["num_ranks"])]
    if "hosts" not in run:
        return [*launcher, "--bind-to", "core", *ranks]
    per_host = str(run["num_ranks"] // run["hosts"])
    hosts = ["--hosts", str(run["hosts"]), "--ranks-per-host", per_host, "--rate", run["rate"]]
    return [str(ROOT / "bin" / "espalier"), "cluster", "run", *hosts, "--", *launcher, *ranks]


def times(run: Mapping[str, Any], build: Path) -> list[dict[str, Any]]:
    """Make a run; return a record for each comparison and size."""
    lines = (simulated_lines if "machine" in run else measured_lines)(run, build)
    records = [json.loads(line) for line in lines if line.startswith("{")]
    return [{"run": run["title"], **record} for record in records]


def measured_lines(run: Mapping[str, Any], build: Path) -> list[str]:
    """Return what a run on this machine prints."""
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    near = {} if "hosts" in run else {"OMPI_MCA_btl": "vader,self"}
    near["ESPALIER_MEMORY"] = "off"  # each run finds out anew what is fastest
    done = subprocess.run(
        command(run, build / "bin" / "onesided_times_openmpi"),
        check=True,
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        env={**os.environ, **root, **near, **run.get("environment", {})},
        text=True,
        timeout=TIME_LIMIT_S,
    )
    return done.stdout.splitlines()


def simulated_lines(run: Mapping[str, Any], build: Path) -> list[str]:
    """Return what a run on a simulated machine prints."""
    words = [str(run[name]) for name in _ARGUMENTS]
    return lines_beside(run, [str(build / "bin" / "onesided_times_smpi"), *words])


def lines_beside(run: Mapping[str, Any], words: Sequence[str]) -> list[str]:
    """Return what a program prints on a simulated machine, with the algorithms of a peer."""
    settings = [f"smpi/coll-selector:{run['peer']}"]
    with SimulatedCluster(run["machine"], run["num_ranks"]) as cluster:
        done = subprocess.run(
            [*cluster.frugal_words(Path(words[0]), settings), *words],
            check=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # the simulator complains of what is done after MPI_Finalize
            stdin=subprocess.DEVNULL,
            env={**os.environ, "ESPALIER_MEMORY": "off"},
            text=True,
            timeout=TIME_LIMIT_S,
        )
    return done.stdout.splitlines()


def compared_models(wanted: Mapping[str, Any], build: Path) -> list[dict[str, Any]]:
    """Return what model and simulator say of each number of ranks, block, call and mode."""
    rows = []
    for num_ranks, block_bytes in itertools.product(wanted["num_ranks"], wanted["block_bytes"]):
        records = simulated_and_modelled(wanted, num_ranks, block_bytes, build)
        groups = itertools.groupby(records, lambda one: (one["call"], one["mode"]))
        rows += [
            {"ranks": num_ranks, "block_bytes": block_bytes, "call": call, "mode": mode}
            | compared(list(group))
            for (call, mode), group in groups
        ]
        sys.stderr.write(f"model, {num_ranks} ranks, {block_bytes} B: done\n")
    return rows


def simulated_and_modelled(
    wanted: Mapping[str, Any], num_ranks: int, block_bytes: int, build: Path
) -> list[dict[str, Any]]:
    """Return both times of every candidate, on nodes of one rank."""
    link = f"latency={wanted['latency']}s,overhead={wanted['overhead']}s"
    link += f",bandwidth={wanted['bandwidth']}B/s,channels=1,eager=16KiB"
    costs = (wanted["latency"], wanted["overhead"], 1 / wanted["bandwidth"])
    program = [str(build / "bin" / "modelled_times_smpi"), str(block_bytes), *map(str, costs)]
    with SimulatedCluster(f"{num_ranks}n[{link}] x 1c", num_ranks) as cluster:
        done = cluster.run(program, timeout_seconds=TIME_LIMIT_S)
    done.check_returncode()
    return [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]


def compared(records: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how far the model is right of these candidates, and what taking its best one costs."""
    ratios = [one["simulated"] / one["modelled"] for one in records]
    worst = max(records, key=lambda one: abs(math.log(one["simulated"] / one["modelled"])))
    best = min(one["simulated"] for one in records)
    chosen = min(records, key=lambda one: one["modelled"])
    return {
        "candidates": len(records),
        "within_5_percent": sum(0.95 <= ratio <= 1.05 for ratio in ratios),
        "median": round(statistics.median(ratios), 4),
        "worst": round(worst["simulated"] / worst["modelled"], 3),
        "worst_name": f"{worst['algorithm']}, {worst['mechanism']}",
        "regret": round(chosen["simulated"] / best, 4),
    }


def floods(wanted: Mapping[str, Any], build: Path) -> list[dict[str, Any]]:
    """Return what puts and messages to several neighbours take, of each number and size."""
    program = build / "bin" / "flood_links_smpi"
    rows = []
    with SimulatedCluster(wanted["machine"], wanted["num_ranks"]) as cluster:
        for links, size in itertools.product(wanted["num_links"], wanted["sizes"]):
            neighbours = wanted["neighbours"][:links]
            numbers = map(str, (size, wanted["num_transfers"], *neighbours))
            done = cluster.run([str(program), *numbers], timeout_seconds=TIME_LIMIT_S)
            done.check_returncode()
            rows += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return rows


def tree_times(wanted: Mapping[str, Any], build: Path) -> list[dict[str, Any]]:
    """Return the fastest tree and both libraries, of each size, collective and manner."""
    num_ranks = wanted["num_ranks"]
    machine = declared_by(wanted)["machines"][wanted["machine"]]["text"].format(nodes=num_ranks)
    rows = []
    for size in wanted["sizes"]:
        records = []
        for peer in wanted["peers"]:
            run = {"machine": machine, "num_ranks": num_ranks, "peer": peer}
            trees = [] if records else tree_names(wanted)  # which do not depend on the peer
            program = [str(build / "bin" / "tree_times_smpi"), str(size), *trees]
            lines = lines_beside(run, program)
            records += [{"peer": peer, **json.loads(line)} for line in lines if line[:1] == "{"]
        rows += [{"bytes": size, **row} for row in fastest_trees(records)]
        sys.stderr.write(f"trees, {size} B: done\n")
    return rows


def declared_by(wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the other study declares."""
    path = FOLDER.parent / "reproduce" / wanted["declared_by"] / "experiments.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def tree_names(wanted: Mapping[str, Any]) -> list[str]:
    """Return the trees of all shapes and radices."""
    pairs = itertools.product(wanted["shapes"], wanted["radices"])
    return [f"{shape}[k={radix}]" for shape, radix in pairs]


def fastest_trees(records: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return a row for each collective and manner: the fastest tree, and each library."""
    rows = []
    for call, manner in dict.fromkeys((one["call"], one["manner"]) for one in records):
        found = [one for one in records if (one["call"], one["manner"]) == (call, manner)]
        best = min((one for one in found if one["tree"]), key=lambda one: one["us"])
        theirs = {one["peer"]: one["us"] for one in found if not one["tree"]}
        row = {"call": call, "manner": manner, "tree": best["tree"], "us": best["us"]}
        rows.append({**row, "theirs_us": theirs})
    return rows


def keep(rows: Sequence[Mapping[str, Any]], study: str) -> None:
    """Write what a study in simulation found, a line for each row."""
    text = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    (DATA / f"{study}.json").write_text(f"[\n{text}\n]\n", encoding="utf-8")
    note_date(DATA, study)


def kept(path: Path, titles: Sequence[str]) -> dict[str, Any]:
    """Return what is known of the other runs."""
    known = json.loads(path.read_text(encoding="utf-8"))
    known["records"] = [one for one in known["records"] if one["run"] not in titles]
    return dict(known)


def main() -> int:
    """Make all runs, or those that are named."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))["study"]
    titles = [run["title"] for run in declared["runs"]]
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--only", action="append", choices=titles, metavar="TITLE")
    parser.add_argument("--models", action="store_true")
    parser.add_argument("--links", action="store_true")
    parser.add_argument("--trees", action="store_true")
    options = parser.parse_args()
    if options.models:
        keep(compared_models(declared["model"], options.build), MODELS)
    if options.links:
        keep(floods(declared["links"], options.build), LINKS)
    if options.trees:
        keep(tree_times(declared["trees"], options.build), TREES)
    if options.models or options.links or options.trees:
        return 0
    path = DATA / f"{STUDY}.json"
    chosen = options.only or titles
    known = kept(path, chosen) if options.only else {"load": os.getloadavg()[0], "records": []}
    for run in declared["runs"]:
        if run["title"] in chosen:
            known["records"] += times(run, options.build)
            sys.stderr.write(f"{run['title']}: done\n")
    records = sorted(known["records"], key=lambda one: titles.index(one["run"]))
    text = ",\n".join(f"  {json.dumps(record)}" for record in records)
    path.write_text(f'{{"load": {known["load"]:.1f}, "records": [\n{text}\n]}}\n', encoding="utf-8")
    note_date(DATA, STUDY)
    return 0


if __name__ == "__main__":
    sys.exit(main())
