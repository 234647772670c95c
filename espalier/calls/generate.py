# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: T201 - a script that prints
"""Write what follows from the signatures of MPI functions, from the table functions.json.

Usage: generate.py functions.json FOLDER    write all files below a folder
       generate.py functions.json MPI_Scan  print all forms of a function
       generate.py --list                   print the names of the files
Standard library only: CMake runs it at build time. Files are included by their path in FOLDER,
which is that of the layer they belong to. README.md lists them.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import for_capi
import for_foreign
import for_fortran
import for_fortran_neighbors
import for_measure
import for_plan
import for_profile
import for_shim
import forms
from table import TableError, read_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from table import Function

FILES: dict[str, Callable[[list[Function]], str]] = {
    "espalier/profile/call_list.hpp": for_profile.call_list,
    "espalier/plan/neighbors/neighbor_list.hpp": for_profile.neighbor_list,
    "espalier/plan/calls/calls.hpp": for_plan.calls_header,
    "espalier/plan/calls/native_calls.hpp": for_plan.native_calls,
    "espalier/plan/calls/native_starts.hpp": for_plan.native_starts,
    "espalier/plan/calls/bindings.hpp": for_plan.bindings_header,
    "espalier/plan/calls/call_rules.cpp": for_plan.call_rules,
    "espalier/plan/irregular/mend.hpp": for_plan.mend_header,
    "espalier/plan/irregular/mend_rules.cpp": for_plan.mend_rules,
    "espalier/plan/communicators/communicator_runs.inc": for_plan.communicator_runs,
    "espalier/plan/neighbors/neighbor_structures.hpp": for_plan.neighbor_structures,
    "espalier/plan/neighbors/neighbor_runs.inc": for_plan.neighbor_runs,
    "espalier/capi/planned/kept_calls.hpp": for_capi.kept_calls,
    "espalier/capi/planned/planned_functions.cpp": for_capi.planned_functions,
    "espalier/capi/foreign_neighbor_functions.cpp": for_foreign.foreign_neighbors,
    "espalier/capi/planned/foreign_functions.cpp": for_foreign.foreign_functions,
    "espalier/capi/fortran/espalier_planned_collectives.f90": for_fortran.planned_module,
    "espalier/capi/fortran/espalier_neighbor_collectives.f90": for_fortran_neighbors.module,
    "espalier/measure/collectives/filled_call.hpp": for_measure.filled_call,
    "shim/forward.hpp": for_shim.forward_header,
    "shim/forward.cpp": for_shim.forward_source,
    "shim/serve.hpp": for_shim.serve_header,
    "shim/serve.cpp": for_shim.serve_source,
    "shim/large_serve.cpp": for_shim.large_serve_source,
    "shim/persistent_serve.cpp": for_shim.persistent_serve_source,
    "shim/wrappers.cpp": for_shim.wrappers_source,
    "shim/persistent_wrappers.cpp": for_shim.persistent_wrappers_source,
    "shim/extension_wrappers.cpp": for_shim.extension_wrappers_source,
    "shim/large_wrappers.cpp": for_shim.large_wrappers_source,
    "shim/exports.map": for_shim.exports_map,
    "shim/large_exports.map": for_shim.large_exports_map,
}


def write_all(functions: list[Function], folder: Path) -> None:
    """Write all files below a folder; those that have the same text keep their time."""
    for name, text_of in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = text_of(functions)
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def main() -> int:
    """Read the table, and write or print."""
    if sys.argv[1] == "--list":
        print("\n".join(FILES))
        return 0
    try:
        functions = read_table(Path(sys.argv[1]))
    except TableError as error:
        print(f"{sys.argv[1]}: {error}", file=sys.stderr)
        return 1
    if sys.argv[2].startswith("MPI_"):
        for function in functions:
            if function.name == sys.argv[2]:
                print("\n".join(form.prototype() for form in forms.forms_of(function)))
    else:
        write_all(functions, Path(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
