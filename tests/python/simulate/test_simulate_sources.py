# SPDX-License-Identifier: Apache-2.0
"""Sources of simulated programs: what is compiled, and when again."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from simulated_programs import simulated

from espalier.simulate.options import sorted_options
from espalier.simulate.sources import Sources, compiled

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


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


def _compile_apart(source: Path, text: str) -> Path:
    """Compile a source without the simulator; return the object file."""
    source.write_text(text)
    made = source.with_suffix(".o")
    subprocess.run(
        [shutil.which("cc") or "cc", "-fPIC", "-c", str(source), "-o", str(made)], check=True
    )
    return made


def _archive(folder: Path, value: int) -> Path:
    made = _compile_apart(folder / "value.c", f"int value(void) {{ return {value}; }}\n")
    archive = folder / "libvalue.a"
    subprocess.run([shutil.which("ar") or "ar", "rcs", str(archive), str(made)], check=True)
    # Whatever the clock of the file system.
    os.utime(archive, (value, value))
    return archive


def _main(folder: Path) -> Path:
    main = folder / "main.c"
    main.write_text("int value(void);\nint main(void) { return value(); }\n")
    return main


@simulated
@pytest.mark.parametrize("separate", [False, True])
def test_a_library_that_changed_is_linked_again(tmp_path: Path, *, separate: bool) -> None:
    main = _main(tmp_path)
    _archive(tmp_path, 1)
    options = ("-L", str(tmp_path), "-l", "value") if separate else (f"-L{tmp_path}", "-lvalue")
    first = compiled(Sources((main,), options))
    assert compiled(Sources((main,), options)) == first
    _archive(tmp_path, 2)
    assert compiled(Sources((main,), options)) != first


@simulated
def test_object_files_and_archives_are_linked(tmp_path: Path) -> None:
    main = _main(tmp_path)
    made = _compile_apart(tmp_path / "value.c", "int value(void) { return 0; }\n")
    first = compiled(Sources((main,), (str(made),)))
    os.utime(made, (1, 1))
    assert compiled(Sources((main,), (str(made),))) != first
    assert compiled(Sources((main,), (str(_archive(tmp_path, 0)),))).is_file()


@simulated
def test_what_the_linker_has_to_know_reaches_it(tmp_path: Path) -> None:
    main = tmp_path / "main.c"
    main.write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
    assert compiled(Sources((main,), ("-fopenmp", "-flto", "-std=gnu11", "-x", "c"))).is_file()


def test_options_are_sorted() -> None:
    words = ["-DA", "-I", "include", "-pthread", "-x", "c", "-L", "lib", "-lm", "-Xlinker", "a.a"]
    options = sorted_options([*words, "b.o", "-include", "c.h", "-Wl,-s", "-std=c99"])
    assert " ".join(options.for_sources) == ("-DA -I include -pthread -x c -include c.h -std=c99")
    assert " ".join(options.for_linker) == "-pthread -L lib -lm -Xlinker a.a b.o -Wl,-s"


@simulated
def test_sources_that_are_wrong_are_refused(cli: Callable, tmp_path: Path) -> None:
    source = tmp_path / "wrong.c"
    source.write_text("int main(void) { return missing; }\n")
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", source)
    assert result.code == 1
    assert "missing" in result.err
    assert "expected a source that smpicc compiles, got exit code 1" in result.err
