# SPDX-License-Identifier: Apache-2.0
"""What all cases share: launching a program with the shim, what it left, and expectations."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "support"))
from crashing_launcher import repeat_crashed

NUM_RANKS = 3


CHOICES = {
    "allgather": "allgather/ring",
    "allgatherv": "allgather/ring",
    "allreduce": "allreduce/recursive_doubling",
    "alltoall": "alltoall/bruck",
    "alltoallv": "alltoall/pairwise",
    "alltoallw": "alltoall/pairwise",
    "barrier": "barrier/dissemination",
    "bcast": "bcast/binomial",
    "exscan": "exscan/linear",
    "gather": "gather/binomial",
    "gatherv": "gather/flat",
    "reduce": "reduce/flat",
    "reduce_scatter": "reduce_scatter/pairwise",
    "reduce_scatter_block": "reduce_scatter/pairwise",
    "scan": "scan/linear",
    "scatter": "scatter/binomial",
    "scatterv": "scatter/flat",
}


# Calls of the program mpi_shim_manners that are only started, and how often.
STARTED = (("MPI_Ineighbor_alltoall", 3), ("MPI_Neighbor_alltoall_init", 5))


FORCE = ";".join(f"{call}={choice}" for call, choice in CHOICES.items())


RULE = {
    "collective": "bcast",
    "num_ranks": NUM_RANKS,
    "num_nodes": 1,
    "min_bytes": 0,
    "max_bytes": None,
    "algorithm": "bcast/flat",
    "reason": "measured",
}


class NotThereError(Exception):
    """A program that a case needs, and that is not built here."""


@dataclass(frozen=True)
class Outcome:
    """A program that has ended."""

    code: int
    stdout: str
    stderr: str

    @property
    def lines(self) -> list[str]:
        """What Espalier printed."""
        return [line for line in self.stderr.splitlines() if line.startswith("espalier: ")]


@dataclass
class Context:
    """Everything a case needs."""

    config: dict[str, Any]
    folder: Path
    environment: dict[str, str]

    @property
    def vendor(self) -> str:
        """`openmpi` or `mpich`."""
        return str(self.config["vendor"])

    @property
    def interface(self) -> str:
        """What programs are built for: the vendor, or `abi` for the standard ABI of MPI-5."""
        return str(self.config.get("interface", self.vendor))

    @property
    def statistics(self) -> Path:
        """Folder the statistics go to."""
        return self.folder / "statistics"

    def program(self, name: str, vendor: str = "") -> str:
        """Path of a test program.

        Raises:
            NotThereError: it is one of those that are not built for the standard ABI.
        """
        path = Path(str(self.config["programs"])) / f"{name}_{vendor or self.interface}"
        if self.interface == "abi" and not path.exists():
            raise NotThereError(path.name)
        return str(path)

    def execute(self, command: list[str], **environment: str) -> Outcome:
        """Run a command to its end."""
        done = subprocess.run(
            command,
            env={**os.environ, **self.environment, **environment},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    def words(
        self, *program: str, shim: str | None = None, num_ranks: int = NUM_RANKS
    ) -> list[str]:
        """Return the command that runs a program with a shim (by default that of the vendor)."""
        libraries = [str(self.config["shim"]) if shim is None else shim]
        libraries += [str(library) for library in self.config["helpers"]]
        preload = ":".join(library for library in libraries if library)
        command = [str(word) for word in self.config["launcher"]]
        if self.vendor == "openmpi":
            command += ["-x", f"LD_PRELOAD={preload}"] if preload else []
        else:
            command += ["-genv", "LD_PRELOAD", preload]
        return [*command, "-n", str(num_ranks), *program]

    def launch(
        self,
        *program: str,
        shim: str | None = None,
        num_ranks: int = NUM_RANKS,
        **environment: str,
    ) -> Outcome:
        """Run a program with a shim to its end."""
        words = self.words(*program, shim=shim, num_ranks=num_ranks)
        outcomes: list[Outcome] = []

        def launch() -> tuple[int, str]:
            outcomes.append(self.execute(words, **environment))
            return outcomes[-1].code, outcomes[-1].stderr

        repeat_crashed(launch)
        return outcomes[-1]

    def start(self, *program: str, num_ranks: int, **environment: str) -> subprocess.Popen[bytes]:
        """Start a program with the shim of the vendor; what it prints is lost."""
        return subprocess.Popen(
            self.words(*program, num_ranks=num_ranks),
            env={**os.environ, **self.environment, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def reports(self, folder: Path | None = None) -> list[dict[str, Any]]:
        """Statistics of all ranks, in order of ranks."""
        files = sorted((folder or self.statistics).glob("rank-*.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]

    def write_profile(self, text: str) -> str:
        """Put a profile file into the folder of the case."""
        path = self.folder / "profile.json"
        path.write_text(text, encoding="utf-8")
        return str(path)

    def profile(self, **changes: object) -> str:
        """A good profile with one rule, changed."""
        document = {
            "schema": "espalier-profile",
            "version": 1,
            "mpi": {"vendor": self.vendor, "version": "any"},
            "rules": [RULE],
        }
        return self.write_profile(json.dumps({**document, **changes}))


def expect(holds: bool, promise: str, found: object = "") -> None:
    """Stop the case unless the promise holds."""
    if not holds:
        raise AssertionError(f"{promise}; found: {found}")


def calls(report: dict[str, Any]) -> dict[str, tuple[int, str]]:
    """Function -> (number of calls, algorithm)."""
    return {row["function"]: (row["count"], row["algorithm"]) for row in report["calls"]}


def expect_forced(context: Context, outcome: Outcome, counts: dict[str, int]) -> None:
    """All ranks ended well, and all their calls ran the algorithms of FORCE."""
    expect(outcome.code == 0, "exit code 0", outcome)
    reports = context.reports()
    expect(len(reports) == NUM_RANKS, "one file for each rank", len(reports))
    for rank, report in enumerate(reports):
        expect(report["rank"] == rank and report["finalized"], "a finalized report", report)
        expect(report["mpi"]["vendor"] == context.vendor, "the vendor", report["mpi"])
        expected = {
            f"MPI_{call.capitalize()}": (count, CHOICES[call]) for call, count in counts.items()
        }
        expect(calls(report) == expected, f"{expected}", report["calls"])
    left = [path.name for path in context.statistics.iterdir() if ".part" in path.name]
    expect(not left, "no temporary files", left)
