# SPDX-License-Identifier: Apache-2.0
"""What a probe found, as a document and as files."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from espalier import __version__
from espalier.conditions import metadata
from espalier.errors import ArgumentError
from espalier.io.output_files import check_writable, target_of, write_whole
from espalier.machines import machines
from espalier.probing import findings, matrix_file, samples
from espalier.probing.record import detail_part, scan_part
from espalier.probing.scan import scan
from espalier.probing.scan_plan import compare

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from espalier.conditions.cautions import Caution
    from espalier.probing.samples import Samples
    from espalier.probing.scan_plan import Comparison


@dataclass(frozen=True)
class Files:
    """Where results go; None where they are not wanted.

    `source` has the samples that are analysed again, if nothing is measured.
    """

    machine: Path | None = None
    matrix: Path | None = None
    figures: Path | None = None
    samples: Path | None = None
    source: Path | None = None

    def written(self) -> list[tuple[str, Path]]:
        """Return the files with the option that names each."""
        named = (("-o", self.machine), ("--matrix", self.matrix), ("-o", self.samples))
        return [(option, path) for option, path in named if path is not None]

    def check(self) -> None:
        """Check, before any work, that all can be written.

        Raises:
            ArgumentError: two of them are one file, or one is the samples to analyse.
            FileError: one of them cannot be written.
        """
        known = {} if self.source is None else {target_of(self.source): ("--from", self.source)}
        for option, path in self.written():
            target = target_of(path)
            if target in known and (target.is_file() or not target.exists()):
                before = " ".join(map(str, known[target]))
                raise ArgumentError(
                    f"expected another file for each option, got {before} and {option} {path}",
                    f"choose another with {option}",
                )
            known[target] = (option, path)
        for option, path in self.written():
            check_writable(path, option)


@dataclass(frozen=True)
class About:
    """What is known of a probe besides its samples."""

    command: str = ""
    seconds: float | None = None
    budget_seconds: float | None = None
    cuts: tuple[str, ...] = ()
    comparison: Comparison | None = None
    cautions: tuple[Caution, ...] = ()
    is_interrupted: bool = False


def samples_path(output: Path) -> Path:
    """Return where measurements are kept while a machine file is made."""
    return output.with_name(output.name + ".samples.jsonl")


def read_samples(path: Path) -> Samples:
    """Return samples that were kept.

    Raises:
        ArgumentError: nothing was measured before the probe ended.
    """
    found = samples.read(path)
    if not found.results:
        raise ArgumentError(
            f"{path}: expected measurements, got none",
            "the probe ended before it measured anything; run it again",
        )
    return found


def conclude(found: Samples, files: Files, about: About) -> dict[str, Any]:
    """Return the document, and write what was asked for.

    A machine file is not written after an interruption: it would lack links, and say so nowhere.
    """
    document = findings.analyse(scan(scan_part(found)), detail_part(found))
    document["warnings"] = [
        *findings.warnings(about.cautions),
        *document["warnings"],
    ]
    comparison = about.comparison or compare(found.results)
    is_written = files.machine is not None and not about.is_interrupted
    document["machine"]["origin"] = _origin(document, about)
    document["probing"] = {
        "machine": _short_text(document["machine"]),
        "command": about.command,
        "created": metadata.now(),
        "espalier": __version__,
        "host": metadata.machine(),
        "seconds": None if about.seconds is None else round(about.seconds, 1),
        "budget_seconds": about.budget_seconds,
        "num_results": len(found.results),
        "cuts": list(about.cuts),
        "concurrency": None if comparison is None else _concurrency(comparison),
        "machine_file": str(files.machine) if is_written else None,
        "matrix_file": None if files.matrix is None else str(files.matrix),
        "samples_file": None if files.samples is None else str(files.samples),
    }
    if is_written and files.machine is not None:
        _write_machine(document, files)
    if files.matrix is not None:
        matrix_file.write(matrix_of(document), files.matrix)
    return document


def matrix_of(document: Mapping[str, Any]) -> matrix_file.RttMatrix:
    """Return the matrix of a document, labelled by rank and host."""
    hosts = [facts["host"] for facts in document["ranks"]]
    labels = [f"{rank}:{host}" if host else str(rank) for rank, host in enumerate(hosts)]
    rows = document["matrix"]["rtt_us"]
    values = [[float("nan") if time is None else time for time in row] for row in rows]
    return matrix_file.make(values, labels, document["matrix"]["bytes"])


def again_text(samples: Path | None, machine: Path | None = None) -> str:
    """Return the command that analyses kept samples, and writes a machine file if it is given."""
    output = ["-o", str(machine)] if machine else []
    return shlex.join(["espalier", "probe", "--from", str(samples), *output])


def _short_text(machine: Mapping[str, Any]) -> str:
    """Return the text of a machine; what was measured has no more than four digits."""
    levels = [
        {**level, "link": {name: _rounded(value) for name, value in level["link"].items()}}
        for level in machine["levels"]
    ]
    return machines.of_document({**machine, "levels": levels}).short_text


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _origin(document: Mapping[str, Any], about: About) -> dict[str, Any]:
    return {
        **document["machine"].get("origin", {}),
        "found_by": "espalier probe",
        "command": about.command,
        "created": metadata.now(),
        "espalier": __version__,
        "mpi": document["mpi"]["version"],
        "warnings": [one["text"] for one in document["warnings"]],
    }


def _concurrency(comparison: Comparison) -> dict[str, Any]:
    return {
        "ratio": comparison.ratio,
        "num_pairs": comparison.num_pairs,
        "disturbed": comparison.is_disturbed,
    }


def _write_machine(document: Mapping[str, Any], files: Files) -> None:
    if files.machine is None:
        return
    text = json.dumps(document["machine"], indent=1) + "\n"
    write_whole(
        files.machine,
        text,
        "machine file",
        f"free space there, then: {again_text(files.samples or files.source, files.machine)}",
    )
