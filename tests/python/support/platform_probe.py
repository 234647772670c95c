# SPDX-License-Identifier: Apache-2.0
"""Times messages on a cluster with the probing program, and reads what it wrote."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from espalier import installation

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def program(vendor: str) -> str:
    """Return the path of the probing program; skip the test if it is not built."""
    folder = installation.build_folder()
    path = None if folder is None else folder / "bin" / f"espalier-probe-{vendor}"
    if path is None or not path.is_file():
        pytest.skip(f"espalier-probe-{vendor} is not built")
    return str(path)


def timing(test: str, num_bytes: Sequence[int], *sets: list[list[int]]) -> dict[str, Any]:
    """Return a test of a plan; each set holds the pairs of ranks that are active together."""
    messages = 10 if test in ("bandwidth", "bidirectional", "message_rate") else 1
    return {
        "test": test,
        "label": test,
        "bytes": list(num_bytes),
        "messages": messages,
        "sets": list(sets),
    }


@dataclasses.dataclass(frozen=True)
class Measured:
    """What the program wrote."""

    text: str

    @property
    def ranks(self) -> list[dict[str, Any]]:
        return list(self._lines("header")[0]["ranks"])

    @property
    def results(self) -> list[dict[str, Any]]:
        assert [line["complete"] for line in self._lines("end")] == [True]
        return self._lines("result")

    def slowest_us(self) -> list[float]:
        """Return for each set and size the median time of its slowest pair."""
        return [float(result["slowest"]["median_us"]) for result in self.results]

    def _lines(self, kind: str) -> list[dict[str, Any]]:
        lines = [json.loads(line) for line in self.text.splitlines()]
        return [line for line in lines if line["kind"] == kind]


def measure(
    launcher: Sequence[str], vendor: str, folder: Path, tests: list[dict[str, Any]]
) -> Measured:
    """Run the probing program under a launcher."""
    plan = {
        "schema": "espalier-probe-plan",
        "version": 1,
        "seed": 1,
        "seconds": 30,
        "seconds_per_set": 2,
        "min_repetitions": 3,
        "max_repetitions": 10,
        "precision": 0.05,
        "spread": None,
        "tests": tests,
    }
    (folder / "plan.json").write_text(json.dumps(plan))
    output = folder / "samples.jsonl"
    words = [
        *("timeout", "90", *launcher, program(vendor)),
        *("--plan", str(folder / "plan.json"), "--output", str(output)),
    ]
    done = subprocess.run(
        words,
        env={**os.environ, "LC_ALL": "C"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return Measured(output.read_text())
