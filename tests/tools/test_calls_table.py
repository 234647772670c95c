# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import for_capi
import for_cpp
import generate
import pytest
from forms import forms_of
from table import Function, TableError, parse_table

# The one of this Python's environment, whatever PATH says.
CLANG_FORMAT = shutil.which("clang-format", path=Path(sys.executable).parent) or ""
ROOT = Path(__file__).parents[2]
FORMATTED = [name for name in generate.FILES if not name.endswith((".map", ".f90"))]
TABLE = (ROOT / "espalier" / "calls" / "functions.json").read_text(encoding="utf-8")


def changed(function: str, **members: Any) -> str:
    """Return the table with other members in one row; None takes a member away."""
    table = json.loads(TABLE)
    row = next(row for row in table["functions"] if row["name"] == function)
    row.update(members)
    for key in [key for key, value in row.items() if value is None]:
        del row[key]
    return json.dumps(table)


def row_of(function: str) -> Function:
    """Return a row of the table."""
    return next(row for row in parse_table(TABLE) if row.name == function)


def texts_of(table: str) -> dict[str, str]:
    """Return all files that follow from a table."""
    functions = parse_table(table)
    return {name: text_of(functions) for name, text_of in generate.FILES.items()}


def test_a_row_gives_all_forms_of_its_function() -> None:
    assert [form.name for form in forms_of(row_of("MPI_Reduce_scatter_block"))] == [
        "MPI_Reduce_scatter_block",
        "MPI_Ireduce_scatter_block",
        "MPI_Reduce_scatter_block_init",
        "MPI_Reduce_scatter_block_c",
        "MPI_Ireduce_scatter_block_c",
        "MPI_Reduce_scatter_block_init_c",
    ]


def test_calls_without_counts_have_no_form_for_large_ones() -> None:
    names = [form.name for form in forms_of(row_of("MPI_Barrier"))]
    assert names == ["MPI_Barrier", "MPI_Ibarrier", "MPI_Barrier_init"]


def test_prototypes_have_requests_infos_and_large_types() -> None:
    assert forms_of(row_of("MPI_Allgatherv"))[-1].prototype() == (
        "int MPI_Allgatherv_init_c(\n"
        "    void const* sendbuf,\n"
        "    MPI_Count sendcount,\n"
        "    MPI_Datatype sendtype,\n"
        "    void* recvbuf,\n"
        "    MPI_Count const* recvcounts,\n"
        "    MPI_Aint const* displs,\n"
        "    MPI_Datatype recvtype,\n"
        "    MPI_Comm comm,\n"
        "    MPI_Info info,\n"
        "    MPI_Request* request\n"
        ");"
    )


def test_wrappers_of_large_counts_pass_wide_lists_and_the_same_structure() -> None:
    text = texts_of(TABLE)["shim/large_serve.cpp"]
    body = text.split("int serve_ialltoallv_c(")[1].split("}\n\n")[0]
    assert "void const* sendcounts," in body
    assert "return dispatch_start(" in body
    assert "plan::AlltoallvCall{" in body
    assert ".rdispls = exec::Integers::wide(rdispls)," in body
    assert ".has_large_counts = true," in body
    assert "forward.ialltoallv_c(" in body
    assert "barrier_c" not in text


def test_a_library_without_large_counts_shows_no_function_for_them() -> None:
    files = texts_of(TABLE)
    assert "_c;" not in files["shim/exports.map"]
    assert "    PMPI_Iexscan_c;\n" in files["shim/large_exports.map"]
    small = {name for name in files["shim/exports.map"].split() if "MPIX_" not in name}
    assert small < set(files["shim/large_exports.map"].split())


def test_persistent_wrappers_have_the_names_of_the_standard_and_of_the_extension() -> None:
    files = texts_of(TABLE)
    body = files["shim/persistent_serve.cpp"].split("int serve_bcast_init(")[1].split("}\n\n")[0]
    assert "return dispatch_init(" in body
    assert "plan::BcastCall{" in body
    assert ".info" not in body
    assert "forward.bcast_init(buffer, count, datatype, root, comm, info, request)" in body
    found = 'find_either("PMPI_Barrier_init", "PMPIX_Barrier_init", forward.barrier_init);'
    assert found in files["shim/forward.cpp"]
    assert "int PMPI_Scan_init(" in files["shim/persistent_wrappers.cpp"]
    assert "int PMPIX_Scan_init(" in files["shim/extension_wrappers.cpp"]
    assert "    PMPIX_Scan_init;\n" in files["shim/exports.map"]
    assert "    PMPI_Scan_init_c;\n" in files["shim/large_exports.map"]


def test_a_call_like_its_neighbours_is_one_row() -> None:
    table = json.loads(TABLE)
    scan = next(row for row in table["functions"] if row["name"] == "MPI_Scan")
    table["functions"].append({**scan, "name": "MPI_Scan_like"})
    files = texts_of(json.dumps(table))
    native = {name for name, text in files.items() if "MPI_Scan_like" in text}
    structure = {name for name, text in files.items() if "ScanLikeCall" in text}
    everything = {name for name, text in texts_of(TABLE).items() if "MPI_Scan" in text}
    assert native == everything
    assert structure == {name for name, text in files.items() if "ScanCall" in text}
    # Nothing is left to be written by hand but the executor of the collective.
    rules = files["espalier/plan/calls/call_rules.cpp"]
    assert "bind_vector(call" in rules.split("bind(ScanLikeCall")[1].split("}")[0]
    assert "exec::scan_like_executor" in rules
    assert "mend(ScanLikeCall" in files["espalier/plan/irregular/mend_rules.cpp"]


@pytest.mark.parametrize(
    ("members", "complaint"),
    [
        ({"collective": None}, "expected one of handler, makes"),
        ({"handler": "scan"}, "expected one of handler, makes"),
        ({"block_sizes": "large"}, "expected block_sizes"),
        ({"in_place": "buffer"}, "expected 'in_place' to be an argument, got 'buffer'"),
        ({"rules": {}}, "expected a rule 'bytes'"),
        ({"color": "red"}, "expected a key"),
        ({"arguments": []}, "expected one communicator"),
        ({"arguments": {}}, "expected a list of arguments, got dict"),
        ({"name": "Scan"}, "expected the name of an MPI function, got 'Scan'"),
        (
            {"arguments": [{"name": "comm", "kind": "ship", "significant": "always"}]},
            "expected a kind",
        ),
        (
            {"arguments": [{"name": "comm", "kind": "comm", "significant": "never"}]},
            "expected significant",
        ),
    ],
)
def test_rows_that_make_no_sense_are_reported(members: dict[str, Any], complaint: str) -> None:
    with pytest.raises(TableError, match=complaint):
        parse_table(changed("MPI_Scan", **members))


def test_makes_has_to_be_an_argument() -> None:
    with pytest.raises(TableError, match="expected 'makes' to be an argument"):
        parse_table(changed("MPI_Comm_dup", makes="communicator"))


def test_files_that_did_not_change_keep_their_time(tmp_path: Path) -> None:
    functions = parse_table(TABLE)
    generate.write_all(functions, tmp_path)
    exports = tmp_path / "shim" / "exports.map"
    before = exports.stat().st_mtime_ns
    generate.write_all(functions, tmp_path)
    assert exports.stat().st_mtime_ns == before
    generate.write_all(functions[1:], tmp_path)
    assert "MPI_Init;" not in exports.read_text(encoding="utf-8")


def test_the_header_declares_the_planned_form_of_every_collective() -> None:
    header = (ROOT / "include" / "espalier_planned.h").read_text(encoding="utf-8")
    served = [function for function in parse_table(TABLE) if function.collective]
    assert header.count("_init(\n    ") == len(served)
    assert header.count("_init_c(\n    ") == len(served) - 1, "a barrier has no counts"
    for function in served:
        for form in for_capi.forms_of(function):
            assert f"\n{for_capi.declaration(form)}\n" in header


def test_the_fortran_module_plans_every_collective_with_both_kinds_of_handles_and_counts() -> None:
    text = texts_of(TABLE)["espalier/capi/fortran/espalier_planned_collectives.f90"]
    served = [function for function in parse_table(TABLE) if function.collective]
    for function in served:
        name = f"{function.native}_init"
        assert f"  public :: espalier_{name}\n" in text
        forms = [name, f"{name}_c"] if function.has_large_form else [name]
        procedures = [f"{form}{end}" for form in forms for end in ("", "_f08")]
        (block,) = re.findall(
            rf"  interface espalier_{name}\n(.*?)  end interface", text, re.DOTALL
        )
        assert re.findall(r"\w+_init\w*", block) == procedures
        assert all(text.count(f"code = c_{form}(") == 2 for form in forms)
    # In the interface of C, and for each kind of handles: allgatherv, gatherv, scatterv.
    assert text.count("integer(c_intptr_t), intent(in) :: displs(*)") == 3 * 3
    assert max(map(len, text.splitlines())) <= 100


def test_the_fortran_module_has_neighborhood_collectives_with_both_kinds_of_handles() -> None:
    text = texts_of(TABLE)["espalier/capi/fortran/espalier_neighbor_collectives.f90"]
    served = [function for function in parse_table(TABLE) if function.neighborhood]
    for name in [f"{one.native}{end}" for one in served for end in ("", "_init")]:
        assert f"  public :: espalier_{name}\n" in text
        assert text.count(f"    module procedure {name}, {name}_f08\n") == 1
        assert text.count(f"code = c_{name}(") == 2
    assert text.count("integer(c_intptr_t), intent(in) :: sdispls(*)") == 6
    assert max(map(len, text.splitlines())) <= 100


def test_types_of_neighbors_are_as_many_as_blocks_of_their_side() -> None:
    text = texts_of(TABLE)["espalier/capi/foreign_neighbor_functions.cpp"]
    assert text.count(".sendtypes = sent.of(sendtypes),") == 2
    assert text.count(".recvtypes = received.of(recvtypes)\n") == 2


def test_lists_of_types_that_do_not_count_are_not_read() -> None:
    text = texts_of(TABLE)["espalier/capi/planned/foreign_functions.cpp"]
    assert ".sendtypes = sendbuf == MPI_IN_PLACE ? nullptr : lists.of(sendtypes)," in text
    assert ".recvtypes = lists.of(recvtypes)\n" in text


def test_the_header_of_cpp_plans_every_collective() -> None:
    header = (ROOT / "include" / "espalier_planned.hpp").read_text(encoding="utf-8")
    served = [function for function in parse_table(TABLE) if function.collective]
    assert header.count("Request::planned(") == 2 * len(served) - 1
    for function in served:
        for form in for_capi.forms_of(function):
            assert f"\n{for_cpp.view(form)}\n" in header


@pytest.mark.skipif(not CLANG_FORMAT, reason="needs clang-format")
@pytest.mark.parametrize("name", FORMATTED)
def test_generated_files_are_formatted(name: str, tmp_path: Path) -> None:
    file = tmp_path / Path(name).name
    text = texts_of(TABLE)[name]
    file.write_text(text, encoding="utf-8")
    style = f"--style=file:{ROOT / '.clang-format'}"
    formatted = subprocess.run(
        [CLANG_FORMAT, style, str(file)], capture_output=True, text=True, check=True
    ).stdout
    assert formatted == text
