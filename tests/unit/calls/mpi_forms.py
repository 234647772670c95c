# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""Compare the forms that follow from the table of MPI functions with those that mpi.h declares.

Usage: mpi_forms.py COMPILER FOLDER;FOLDER  the folders of mpi.h

A form with another type must not compile, so that this test cannot pass by checking nothing.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOM = Path(__file__).parents[3] / "espalier" / "calls"
sys.path.insert(0, str(ROOM))

from forms import pointers_source  # noqa: E402
from table import parse_table  # noqa: E402

# What is changed in the table, and a form that is wrong then; large counts need MPI 4.
CHANGES = (
    ('"count": {"c": "int"', '"count": {"c": "long"', "MPI_Iallgather"),
    ('"operator": {"c": "MPI_Op"', '"operator": {"c": "MPI_Datatype*"', "MPI_Ireduce"),
    ('"input": {"c": "void const*"', '"input": {"c": "void*"', "MPI_Neighbor_alltoallw"),
    ('"name": "MPI_Bcast"', '"name": "MPI_Broadcast"', "MPI_Ibroadcast"),
    ('"large": "MPI_Aint const*"', '"large": "MPI_Count*"', "MPI_Allgatherv_c"),
)


def complaints(compiler: list[str], table: str) -> str:
    """Return what the compiler says of all forms of a table, "" if it accepts them."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mpi_forms.cpp"
        file.write_text(pointers_source(parse_table(table)), encoding="utf-8")
        done = subprocess.run([*compiler, str(file)], capture_output=True, text=True, check=False)
    return done.stderr if done.returncode != 0 else ""


def has_large_counts(compiler: list[str]) -> bool:
    """Tell whether mpi.h is one of MPI 4."""
    done = subprocess.run(
        [*compiler, "-x", "c++", "-E", "-"],
        input="#include <mpi.h>\nversion MPI_VERSION\n",
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout.split()[-1]) >= 4


def main() -> int:
    """Check the table as it is, and with each change."""
    compiler = [sys.argv[1], "-std=c++20", "-fsyntax-only", "-w"]
    compiler += ["-ferror-limit=0"] if "clang" in Path(sys.argv[1]).name else []
    compiler += ["-DOMPI_SKIP_MPICXX", "-DMPICH_SKIP_MPICXX"]
    compiler += [f"-I{folder}" for folder in sys.argv[2].split(";") if folder]
    table = (ROOM / "functions.json").read_text(encoding="utf-8")
    if found := complaints(compiler, table):
        print(f"mpi_forms: expected the forms of mpi.h, got\n{found}", file=sys.stderr)
        return 1
    for old, new, form in CHANGES:
        if form.endswith("_c") and not has_large_counts(compiler):
            continue
        # Clang shows the pointer, which is named after the form in small letters.
        found = complaints(compiler, table.replace(old, new)).lower()
        if old not in table or form.lower() not in found:
            print(f"mpi_forms: expected a complaint about {form} after {new}", file=sys.stderr)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
