# SPDX-License-Identifier: Apache-2.0
"""Run everything that Espalier does under every MPI library here, and write the page about it.

Usage: mpi_matrix.py [MEMBER...]     writes docs/reference/mpi_libraries.md; with names, prints only
Needs the targets `all` and `tests` of the preset release, and what `make mpis` installs.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import mpi_runs
from mpi_constants import constants_of
from mpi_members import BUILD, ROOT, Member, members

if TYPE_CHECKING:
    from collections.abc import Callable

PAGE = ROOT / "docs" / "reference" / "mpi_libraries.md"
_SECONDS = 60
_NUM_RANKS = 3
_LONGEST = 110
FORCED = {
    "MPI_Allgather": "allgather/ring",
    "MPI_Allreduce": "allreduce/recursive_doubling",
    "MPI_Bcast": "bcast/binomial",
}
_FORCE = ";".join(f"{choice.partition('/')[0]}={choice}" for choice in FORCED.values())


@dataclass(frozen=True)
class Language:
    """Programs of a language, by what they do; `program` calls collectives."""

    title: str
    program: str
    learning: str
    grid: str


# A library of the standard ABI has no module and no mpif.h, but may have their procedures.
_PROCEDURES = "libmpifort_abi.so.1"
_STANDARD = ROOT / "tests" / "mpis" / "standard_abi.f90"

C = Language("C", "mpi_shim_program", "mpi_shim_learning", "mpi_shim_topology")
FORTRAN = [
    Language(title, program, program, grid)
    for title, program, grid in (
        ("mpif.h", "fortran_mpif", "mpi_shim_grid_mpif"),
        ("use mpi", "fortran_use_mpi", "mpi_shim_grid_mpi"),
        ("use mpi_f08", "fortran_use_mpi_f08", "mpi_shim_grid_mpi_f08"),
    )
]


def telling_line(output: str) -> str:
    """Return the line of what a failed program printed that says most of the reason, shortened."""
    here = output.replace(f"{BUILD}/", "")
    lines = [line.strip("= |") for line in here.splitlines() if re.search("[a-z]", line)]
    reasons = [
        line for line in lines if re.search(r"signal|error|cannot|not found", line, re.IGNORECASE)
    ]
    line = next(iter(reasons or lines[-1:]), "nothing printed")
    return line if len(line) <= _LONGEST else line[:_LONGEST].rsplit(" ", maxsplit=1)[0] + " ..."


class CellError(Exception):
    """Why a cell of the matrix does not hold, in a few words."""


@dataclass(frozen=True)
class Bench:
    """One MPI library, one language, and a folder of their own."""

    member: Member
    language: Language
    folder: Path

    @property
    def statistics(self) -> Path:
        """Folder of the statistics of the last program."""
        return self.folder / "statistics"

    def binary(self, name: str) -> str:
        """Return a program of tests/, compiled for the MPI of the system, or the one of a path."""
        path = Path(name) if "/" in name else BUILD / "bin" / f"{name}_{self.member.family}"
        if not path.exists():
            raise CellError("the program is not built")
        return str(path)

    def execute(self, words: list[str]) -> str:
        """Run a command to its end and return what it printed.

        Raises:
            CellError: it failed.
        """
        own = {"ESPALIER_BUILD_DIR": str(BUILD), "XDG_STATE_HOME": str(self.folder)}
        own["XDG_DATA_HOME"] = str(self.folder)
        try:
            done = mpi_runs.run(words, self.member, _SECONDS, own, self.folder)
        except subprocess.TimeoutExpired:
            raise CellError(f"no end within {_SECONDS} s") from None
        if done.returncode != 0:
            raise CellError(f"exit code {done.returncode}: {telling_line(done.stdout)}")
        return done.stdout

    def launch(
        self, words: list[str], variables: dict[str, str], *, preload: bool = True
    ) -> list[dict[str, object]]:
        """Run a program preloaded, and return what it counted on each rank."""
        for old in self.statistics.glob("rank-*.json"):
            old.unlink()
        usual = {"ESPALIER_LEARN": "off", "ESPALIER_STATISTICS": str(self.statistics)}
        settings = {**usual, **variables}
        launcher = mpi_runs.launcher_of(self.member, settings, preload=preload)
        self.execute([*launcher, "-n", str(_NUM_RANKS), *words])
        files = sorted(self.statistics.glob("rank-*.json"))
        if preload and len(files) != _NUM_RANKS:
            raise CellError(f"expected statistics of {_NUM_RANKS} ranks, found {len(files)}")
        return [json.loads(file.read_text(encoding="utf-8")) for file in files]

    def espalier(self, verb: str, options: list[str], program: list[str], num_ranks: int) -> str:
        """Run a verb of the command line behind the launcher of the library."""
        own = mpi_runs.launcher_of(self.member, preload=False)
        launcher = [*own, "-n", str(num_ranks)]
        words = [sys.executable, "-m", "espalier", verb, *options, "--", *launcher, *program]
        return self.execute(["env", f"PYTHONPATH={ROOT / 'python'}", *words])


def _rows(reports: list[dict[str, object]]) -> list[dict[str, object]]:
    return [row for report in reports for row in report["calls"]]  # type: ignore[attr-defined]


def plain(bench: Bench) -> None:
    """Run the program without Espalier: what fails then is not ours."""
    bench.launch([bench.binary(bench.language.program)], {}, preload=False)


def forced(bench: Bench) -> None:
    """Serve three calls by algorithms of ours, as statistics of every rank say."""
    reports = bench.launch([bench.binary(bench.language.program)], {"ESPALIER_FORCE": _FORCE})
    rows = [row for row in _rows(reports) if row["function"] in FORCED]
    wrong = [row for row in rows if row["algorithm"] != FORCED[str(row["function"])]]
    if len(rows) < len(FORCED) * _NUM_RANKS or wrong:
        raise CellError(f"expected forced algorithms, found {wrong or rows}")


def statistics(bench: Bench) -> None:
    """Count every call of every rank, all of them native."""
    rows = _rows(bench.launch([bench.binary(bench.language.program)], {}))
    if not rows or any(row["algorithm"] != "native" for row in rows):
        raise CellError("expected native calls in the statistics")


def mapping(bench: Bench) -> None:
    """Reorder grids and graphs on nodes that are only claimed; the program looks at the result."""
    program = bench.binary(bench.language.grid)
    try:
        reports = bench.launch([program, "mapped"], {"ESPALIER_MAPPING": "quiet"})
    except CellError:
        off = mpi_runs.launcher_of(bench.member, {"ESPALIER_OFF": "1"})
        try:
            bench.execute([*off, "-n", str(_NUM_RANKS), program, "native"])
        except CellError as error:
            raise CellError(f"fails without Espalier, too ({error})") from None
        raise
    notes = [note for report in reports for note in report["mappings"]]  # type: ignore[attr-defined]
    if not any(note["function"] == "MPI_Cart_create" for note in notes):
        raise CellError(f"expected a mapped grid in the statistics, found {notes}")


def learn(bench: Bench) -> None:
    """Try candidates while the program runs; results stay right, and lessons are counted."""
    variables = {"ESPALIER_LEARN": "50%", "ESPALIER_MEMORY": "off"}
    reports = bench.launch([bench.binary(bench.language.learning)], variables)
    if any("learning" not in report for report in reports):
        raise CellError("expected a report of what was learned")


def tune(bench: Bench) -> None:
    """Measure a candidate with two ranks, and write a profile; the program is one of ours."""
    if bench.language != C:
        raise CellError("as for C")
    what = ["--collectives", "bcast", "--sizes", "64KiB", "--algorithms", "bcast/scatter_allgather"]
    output = bench.folder / "profile.json"
    bench.espalier("tune", [*what, "--time-budget", "10s", "-o", str(output)], [], 2)
    version = json.loads(output.read_text(encoding="utf-8"))["mpi"]["version"]
    version = re.sub(r"^MPICH Version:\s+", "MPICH ", version)
    if not version.startswith(version_of(bench.member)):
        raise CellError(f"measured with '{version}'")


def compare(bench: Bench) -> None:
    """Run the program in turns, with a forced algorithm and without."""
    options = ["--force", "bcast=binomial", "--repetitions", "2"]
    bench.espalier("compare", options, [bench.binary(bench.language.program)], 2)


FEATURES: dict[str, Callable[[Bench], None]] = {
    "collectives forced": forced,
    "mapping": mapping,
    "statistics": statistics,
    "learn": learn,
    "tune": tune,
    "compare": compare,
}


def version_of(member: Member) -> str:
    """Return what the library calls itself, shortened as Espalier does."""
    ask = "import sys; from espalier.launch import libraries; from pathlib import Path\n"
    ask += "print(libraries.judge(Path(sys.argv[1]), *sys.argv[2:]).version)"
    done = subprocess.run(
        [sys.executable, "-c", ask, member.library, member.family, member.python],
        env={**os.environ, **member.environment, "PYTHONPATH": str(ROOT / "python")},
        check=True,
        capture_output=True,
        text=True,
    )
    return done.stdout.strip()


def _cell(bench: Bench, feature: Callable[[Bench], None]) -> str:
    try:
        feature(bench)
    except CellError as error:
        return str(error)
    return "yes"


def row(member: Member, language: Language) -> list[str]:
    """Run all cells of a row."""
    if member.why_missing:
        return [member.why_missing] + ["not run"] * (len(FEATURES) - 1)
    cells = []
    with tempfile.TemporaryDirectory(prefix="espalier-matrix-") as folder:
        bench = Bench(member, language, Path(folder))
        if (trouble := _cell(bench, plain)) != "yes":
            return [f"fails without Espalier, too ({trouble})"] + ["not run"] * (len(FEATURES) - 1)
        for name, feature in FEATURES.items():
            cells.append(_cell(bench, feature))
            print(f"{member.name} {language.title} {name}: {cells[-1]}", file=sys.stderr)
    return cells


def row_of_standard_fortran(member: Member) -> list[str]:
    """Run what a program shows that is compiled for procedures of the standard ABI."""
    library = Path(member.library).with_name(_PROCEDURES)
    if not library.exists():
        return ["the package has none", *["not run"] * (len(FEATURES) - 1)]
    with tempfile.TemporaryDirectory(prefix="espalier-fortran-") as folder:
        program = Path(folder) / "standard_abi"
        words = ["gfortran", str(_STANDARD), "-o", str(program), str(library), member.library]
        subprocess.run(words, check=True, env={**os.environ, **member.environment})
        return row(member, Language("procedures", str(program), "", ""))


def _has_fortran(member: Member) -> bool:
    """Return whether Fortran programs can run: Debian's library for MPICH goes above any MPICH."""
    return bool(member.fortran) or member.family == "mpich"


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [head, ["---"] * len(head), *rows]
    return [f"| {' | '.join(cell.replace('|', '/') for cell in line)} |" for line in lines]


def matrix(chosen: list[Member]) -> list[str]:
    """Return the table of what was run."""
    rows = []
    for member in chosen:
        title = member.title if member.why_missing else version_of(member)
        if member.is_standard:
            title += ", standard ABI"
            rows.append([title, C.title, *row(member, C)])
            if not member.why_missing:
                rows.append([title, "Fortran", *row_of_standard_fortran(member)])
            continue
        rows.append([title, C.title, *row(member, C)])
        if not _has_fortran(member):
            rows.append([title, "Fortran", "the package has none", *["not run"] * 5])
            continue
        rows += [[title, language.title, *row(member, language)] for language in FORTRAN]
    return _table(["MPI library", "language", *FEATURES], rows)


def names_of(columns: dict[str, dict[str, str]]) -> list[str]:
    """Return the names of the first column: those that the standard ABI lacks have no value."""
    return list(next(iter(columns.values())))


def interfaces(chosen: list[Member]) -> list[str]:
    """Return the table of constants of both families; members of a family are compared."""
    columns: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="espalier-constants-") as folder:
        for member in chosen:
            if not member.why_missing and not member.is_standard:
                columns[version_of(member)] = constants_of(member, Path(folder))
        standard = next((one for one in chosen if one.is_standard and not one.why_missing), None)
        if standard is not None:
            told = constants_of(standard, Path(folder))
            columns["standard ABI"] = {**dict.fromkeys(names_of(columns), "-"), **told}
    names = names_of(columns)
    rows = [[f"`{name}`", *(column[name] for column in columns.values())] for name in names]
    return _table(["", *columns], rows)


def page(chosen: list[Member]) -> str:
    """Return the whole page."""
    libc = os.confstr("CS_GNU_LIBC_VERSION") or platform.libc_ver()[1]
    text = (ROOT / "tools" / "mpi_libraries.in.md").read_text(encoding="utf-8")
    where = f"{platform.system()}, {libc}, {os.cpu_count()} cores"
    replaced = {
        "@date@": datetime.datetime.now(tz=datetime.UTC).date().isoformat(),
        "@where@": where,
        "@matrix@": "\n".join(matrix(chosen)),
        "@interfaces@": "\n".join(interfaces(chosen)),
    }
    for name, value in replaced.items():
        text = text.replace(name, value)
    return text


def main() -> None:
    """Write the page, or print the matrix of some libraries."""
    names = sys.argv[1:]
    if names:
        print("\n".join(matrix([one for one in members() if one.name in names])))
    else:
        PAGE.write_text(page(members()), encoding="utf-8")


if __name__ == "__main__":
    main()
