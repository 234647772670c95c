# SPDX-License-Identifier: Apache-2.0
"""Sources of simulated programs: what is compiled, and when again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from simulated_programs import simulated

from espalier.simulate.sources import Sources, compiled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest


@simulated
def test_what_has_not_changed_is_not_compiled_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source, header = tmp_path / "main.c", tmp_path / "value.h"
    source.write_text('#include "value.h"\nint main(void) { return VALUE; }\n')
    header.write_text("#define VALUE 0\n")
    first = compiled(Sources((source,)))
    made = first.stat().st_mtime_ns
    assert compiled(Sources((source,))) == first
    assert first.stat().st_mtime_ns == made
    header.write_text("#define VALUE 1\n")
    assert compiled(Sources((source,))) != first
    assert compiled(Sources((source,), ("-DANY",))) != first


@simulated
def test_a_program_may_have_several_sources(simulate: Callable, tmp_path: Path) -> None:
    main, other = tmp_path / "main.cpp", tmp_path / "other.c"
    main.write_text(
        '#include <mpi.h>\n#include <iostream>\nextern "C" int answer(void);\n'
        "int main(int argc, char** argv) { MPI_Init(&argc, &argv);\n"
        "  std::cout << answer() << std::endl; MPI_Finalize(); }\n"
    )
    other.write_text("int answer(void) { return ANSWER; }\n")
    options = ("--source", other, "--compile=-DANSWER=42")
    assert simulate("-p", 1, *options, "--", main)["output"] == "42\n"


@simulated
def test_sources_that_are_wrong_are_refused(cli: Callable, tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return missing; }\n")
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", source)
    assert result.code == 1
    assert "missing" in result.err
    assert "expected a source that smpicc compiles, got exit code 1" in result.err
