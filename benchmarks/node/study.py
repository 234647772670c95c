#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compare our collectives inside a node with those of MPI libraries, as experiments.toml declares.

Usage: study.py FOLDER [--ranks N]... [--setting PATTERN]. It writes FOLDER/node.json, and keeps
what is there of other settings; benchmarks/pages.py writes the page about it. Needs the target
`node_collectives` of the preset release, and what `make mpis` installs: libraries that are not
there are left out, and the page says so.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomllib

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
sys.path[:0] = [
    *(str(FOLDER), str(FOLDER.parent / "reproduce")),
    *(str(ROOT / "tools"), str(ROOT / "python")),
]

from node_ratios import name_of, row_of  # noqa: E402
from node_runs import chosen, launch, tune  # noqa: E402
from node_settings import declared_settings  # noqa: E402
from simulated_times import note_date  # noqa: E402

from espalier.errors import EnvironmentFault  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from node_settings import Setting

STUDY = "node"
FILE = "node.json"


class Measurement:
    """A setting that is measured, with a folder of its own."""

    def __init__(self, setting: Setting, folder: Path) -> None:
        """Make the folder."""
        folder.mkdir(parents=True)
        self.setting = setting
        self.folder = folder
        self.record: dict[str, Any] = {
            "key": setting.key,
            "mpi": setting.member.title,
            "setting": setting.name,
            "ranks": setting.num_ranks,
            "launches": [],
        }
        if setting.member.why_missing:
            self.record["problem"] = setting.member.why_missing

    def tune(self, declared: Mapping[str, Any], seconds: float) -> None:
        """Make the profile."""
        self._try(lambda: self._note_profile(tune(self.setting, declared, seconds, self.folder)))

    def launch(self, declared: Mapping[str, Any]) -> None:
        """Launch once with it."""
        load = os.getloadavg()[0]
        self._try(lambda: self._note_launch(launch(self.setting, declared, self.folder), load))

    def _try(self, step: Callable[[], None]) -> None:
        """Do nothing more once a step has failed."""
        if "problem" in self.record:
            return
        start = time.monotonic()
        try:
            step()
        except (EnvironmentFault, subprocess.TimeoutExpired) as error:
            self.record["problem"] = str(error)
        told = self.record.get("problem", f"{time.monotonic() - start:.1f} s")
        sys.stderr.write(f"{self.setting.key}: {told}\n")

    def _note_profile(self, profile: Mapping[str, Any]) -> None:
        self.record["choices"] = chosen(profile)

    def _note_launch(self, lines: Sequence[Mapping[str, Any]], load: float) -> None:
        self.record["mpi"] = name_of(next(line["library"] for line in lines if "library" in line))
        self.record["launches"].append({"load": load, **row_of(lines)})


def measure(
    settings: Sequence[tuple[Setting, Mapping[str, Any]]],
    declared: Mapping[str, Any],
    keep_all: Callable[[list[dict[str, Any]]], None],
) -> None:
    """Tune each setting, then launch all of them in turn, so that times of day meet all alike.

    Records are kept after each turn: what ends early loses only the turns that are missing.
    """
    with tempfile.TemporaryDirectory(prefix="espalier-node-") as folder:
        all_of_them = [
            (Measurement(setting, Path(folder) / str(number)), row)
            for number, (setting, row) in enumerate(settings)
        ]
        for one, row in all_of_them:
            one.tune(declared, row["tune_seconds"])
        for number in range(max((row["launches"] for _, row in all_of_them), default=0)):
            for one, row in all_of_them:
                if number < row["launches"]:
                    one.launch(declared)
            keep_all([one.record for one, _ in all_of_them])


def keep(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write records in place of those of the same settings, a line for each launch."""
    known = {}
    if path.exists():
        known = {one["key"]: one for one in json.loads(path.read_text(encoding="utf-8"))["records"]}
    known |= {record["key"]: record for record in records}
    parts = []
    for record in known.values():
        launches = ",\n".join(f"   {json.dumps(one)}" for one in record["launches"])
        rest = json.dumps({name: value for name, value in record.items() if name != "launches"})
        parts.append(f'  {rest[:-1]}, "launches": [\n{launches}\n  ]}}')
    path.write_text('{"records": [\n' + ",\n".join(parts) + "\n]}\n", encoding="utf-8")


def main() -> None:
    """Parse the command line."""
    declared = tomllib.loads((FOLDER / "experiments.toml").read_text(encoding="utf-8"))
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ranks", type=int, action="append")
    parser.add_argument("--setting", default="*", help="such as 'openmpi/*/2'")
    options = parser.parse_args()
    settings = [
        (setting, row)
        for setting, row in declared_settings(declared)
        if fnmatch.fnmatch(setting.key, options.setting)
        and (options.ranks is None or setting.num_ranks in options.ranks)
    ]
    path = options.folder / FILE
    measure(settings, declared, lambda records: keep(path, records))
    note_date(options.folder, STUDY)


if __name__ == "__main__":
    main()
