# SPDX-License-Identifier: Apache-2.0
"""The command line as a function, a clean environment, and files to explain."""

from __future__ import annotations

import copy
import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from fake_mpi import FakeMpi
from places import repository

from espalier.cli import main
from espalier.io import documents
from espalier.launch import processes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


# Shells start what runs in the background with SIGINT ignored, and commands that tests interrupt
# would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclasses.dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    def document(self) -> dict[str, Any]:
        """Return standard output as JSON, checked against its schema."""
        found = json.loads(self.out)
        return documents.parse(self.out, "output", found["schema"], found["version"])


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        if name.startswith("ESPALIER_") and name != "ESPALIER_BUILD_DIR":
            monkeypatch.delenv(name)
    for name in ("LD_PRELOAD", "FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    # Programs learn unless they are told not to, and remember it here.
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str]) -> Callable[..., Result]:
    """Run the command line in this process."""

    def run(*arguments: object) -> Result:
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        return Result(code, out, err)

    return run


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeMpi:
    """An empty folder to work in, with launchers and programs that behave as they are told."""
    mpi = FakeMpi(tmp_path / "fake")
    for name, value in mpi.environment().items():
        monkeypatch.setenv(name, value)
    # Where the program notes which kind of run each was.
    monkeypatch.setenv("FAKE_COUNT", str(tmp_path / "count"))
    monkeypatch.chdir(tmp_path)
    return mpi


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Tell the stand-ins, by variables, what to do."""

    def tell(**variables: str) -> None:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return tell


@pytest.fixture
def said_seconds(
    fake: FakeMpi,  # noqa: ARG001 - its programs are those that say it
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Let compared runs have taken what the program says, give or take 2 %, however busy we are."""
    clock = tmp_path / "clock"
    monkeypatch.setenv("FAKE_CLOCK", str(clock))
    noise = random.Random(1)  # noqa: S311 - nothing secret
    run = processes.run

    def run_and_ask(*arguments: Any, **options: Any) -> processes.Ended:
        ended = run(*arguments, **options)
        if not clock.exists():
            return ended
        said = float(clock.read_text())
        clock.unlink()
        return dataclasses.replace(ended, seconds=said * noise.uniform(0.98, 1.02))

    monkeypatch.setattr(processes, "run", run_and_ask)


@pytest.fixture
def process() -> Callable[..., Result]:
    """Run the command line as a process of its own."""

    def run(*arguments: object, **environment: str) -> Result:
        result = subprocess.run(
            [sys.executable, "-m", "espalier", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(repository / "python"), **environment},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        return Result(result.returncode, result.stdout, result.stderr)

    return run


def _times(median: float, ratio: float | None = None) -> dict[str, float]:
    times = {"median_us": median, "low_us": 0.96 * median, "high_us": 1.05 * median}
    if ratio is not None:
        times |= {"ratio": ratio, "ratio_low": 0.9 * ratio, "ratio_high": 1.1 * ratio}
    return times


# Four ranks; ring has 3 rounds and sends 3/4 of the result, 1 us a round and 1 ns a byte.
_PROFILE: dict[str, Any] = {
    "schema": "espalier-profile",
    "version": 1,
    "created": "2026-11-21T22:00:00Z",
    "espalier": "0.1.0",
    "command": "espalier tune -- mpirun -n 4",
    "machine": {
        "hostname": "n1",
        "cpu": "a processor",
        "num_cores": 4,
        "memory_bytes": 16 * 1024**3,
    },
    "mpi": {"vendor": "openmpi", "version": "4.1.4"},
    "method": {"confidence": 0.95, "min_gain": 0.02},
    "rules": [
        {
            "collective": "allgather",
            "num_ranks": 4,
            "num_nodes": 1,
            "min_bytes": 0,
            "max_bytes": 8191,
            "algorithm": "native",
            "reason": "nothing was significantly faster",
            "evidence": [
                {
                    "bytes": 4000,
                    "num_samples": 60,
                    "native": _times(5.0),
                    "candidates": {"allgather/ring": _times(6.0, 5.0 / 6.0)},
                }
            ],
        },
        {
            "collective": "allgather",
            "num_ranks": 4,
            "num_nodes": 1,
            "min_bytes": 8192,
            "max_bytes": None,
            "algorithm": "allgather/ring",
            "reason": "1.31x faster than native (95 % interval 1.18 .. 1.44)",
            "evidence": [
                {
                    "bytes": num_bytes,
                    "num_samples": 60,
                    "native": _times(1.31 * time_us),
                    "candidates": {"allgather/ring": _times(time_us, 1.31)},
                }
                for num_bytes, time_us in ((12_000, 12.0), (40_000, 33.0), (400_000, 303.0))
            ],
        },
    ],
}


@pytest.fixture
def profile() -> dict[str, Any]:
    """A profile for four ranks that can be changed."""
    return copy.deepcopy(_PROFILE)


@pytest.fixture
def profile_file(tmp_path: Path, profile: dict[str, Any]) -> Path:
    """The same as a file."""
    path = tmp_path / "profile.json"
    path.write_text(json.dumps(profile))
    return path


def _statistics(rank: int) -> dict[str, Any]:
    return {
        "schema": "espalier-statistics",
        "version": 1,
        "rank": rank,
        "num_ranks": 2,
        "mpi": {"vendor": "openmpi", "version": "Open MPI v4.1.4"},
        "seconds": 1.93,
        "finalized": True,
        "memory_bytes": 20480,
        "warnings": [],
        "calls": [
            {
                "function": "MPI_Bcast",
                "num_ranks": 2,
                "min_bytes": 512,
                "max_bytes": 1023,
                "count": 100,
                "bytes": 60_000,
                "seconds": 0.0123,
                "algorithm": "bcast/binomial",
                "reason": "profile rule 3, borrowed from 4 ranks on 1 node: 1.31x faster",
            },
            {
                "function": "MPI_Allgather",
                "num_ranks": 2,
                "min_bytes": 8,
                "max_bytes": 15,
                "count": 5,
                "bytes": 40,
                "seconds": 0.0001 * (rank + 1),
                "algorithm": "native",
                "reason": "no rule of the profile covers this",
            },
        ],
    }


@pytest.fixture
def statistics() -> list[dict[str, Any]]:
    """Statistics of two ranks that can be changed."""
    return [_statistics(rank) for rank in range(2)]


@pytest.fixture
def statistics_folder(tmp_path: Path) -> Callable[[list[dict[str, Any]]], Path]:
    """Write statistics as the shim does, and return the folder."""

    def write(ranks: list[dict[str, Any]]) -> Path:
        folder = tmp_path / "statistics"
        folder.mkdir()
        for rank in ranks:
            (folder / f"rank-{rank['rank']}.json").write_text(json.dumps(rank))
        return folder

    return write
