# SPDX-License-Identifier: Apache-2.0
"""`cmake --install` into a prefix, which is moved, used and uninstalled."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import repository

if TYPE_CHECKING:
    from collections.abc import Callable

CONSUMER = Path(__file__).parent / "consumer"
MPI = {"vendor": "openmpi", "version": "Open MPI v4.1.4"}
RULE = {
    "collective": "bcast",
    "num_ranks": 4,
    "num_nodes": 1,
    "algorithm": "bcast/binomial",
    "min_bytes": 1024,
    "max_bytes": 65535,
    "reason": "measured",
}
RUN = ("run", "--force", "allgather=ring", "--summary", "--", "mpirun.openmpi", "-n", "2")


@pytest.fixture
def program(prefix: Path, run: Callable, tmp_path: Path) -> Path:
    """A program that found the C interface with pkg-config."""
    path = tmp_path / "program"
    run(*compiled("mpicc.openmpi", prefix, "espalier-openmpi", CONSUMER / "program.c"), "-o", path)
    return path


def compiled(compiler: str, prefix: Path, package: str, source: Path) -> list[str]:
    """Return a command for a shell, which lacks the name of the program."""
    asked = f"PKG_CONFIG_PATH='{prefix}/lib/pkgconfig' pkg-config --cflags --libs {package}"
    return ["sh", "-c", f'{compiler} {source} $({asked}) "$@"', "sh"]


def test_folders_that_are_not_below_the_prefix_are_refused(run: Callable, tmp_path: Path) -> None:
    lacks = (f"-DESPALIER_WITH_{part}=OFF" for part in ("MPI", "TESTS", "SMPI", "PYTHON"))
    words = ("cmake", "-G", "Ninja", "-S", repository, "-B", tmp_path, *lacks)
    printed = run("sh", "-c", '! "$@"', "sh", *words, "-DCMAKE_INSTALL_LIBDIR=/elsewhere/lib")
    found = "expected CMAKE_INSTALL_LIBDIR as a folder below the prefix"
    assert found in " ".join(printed.split())


def test_no_file_names_the_folder_into_which_it_was_installed(prefix: Path) -> None:
    installed = str(prefix.parent / "installed").encode()
    files = [path for path in prefix.rglob("*") if path.is_file()]
    assert [path for path in files if installed in path.read_bytes()] == []


def test_links_stay_inside(prefix: Path) -> None:
    links = [path for path in prefix.rglob("*") if path.is_symlink()]
    assert links
    assert all(path.resolve().is_relative_to(prefix) for path in links)
    assert all(path.exists() for path in links)


def test_others_may_read_all_of_it(prefix: Path) -> None:
    paths = [path for path in (prefix, *prefix.rglob("*")) if not path.is_symlink()]
    needed = {path: 0o755 if path.is_dir() else 0o644 for path in paths}
    assert [path for path in paths if path.stat().st_mode & needed[path] != needed[path]] == []


def test_it_has_no_tests_and_no_programs_for_simulations(prefix: Path) -> None:
    names = {path.name for path in prefix.rglob("*")}
    assert not {name for name in names if name.startswith(("test_", "bench_", "mpi_"))}
    assert not {name for name in names if "smpi" in name and not name.endswith(".py")}


def test_cmake_finds_the_c_interface(prefix: Path, run: Callable, tmp_path: Path) -> None:
    found = (f"-DCMAKE_PREFIX_PATH={prefix}", "-DMPI_C_COMPILER=mpicc.openmpi")
    run("cmake", "-G", "Ninja", "-S", CONSUMER, "-B", tmp_path, *found)
    run("cmake", "--build", tmp_path)
    printed = run("mpirun.openmpi", "-n", "2", tmp_path / "program")
    assert printed == "2 x 1, last rank 1\n"


def test_projects_that_ask_for_an_old_cmake_find_the_c_interface(
    prefix: Path, run: Callable, tmp_path: Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.1)\nproject(other LANGUAGES NONE)\n"
        "find_package(espalier REQUIRED COMPONENTS openmpi)\n"
        'message(STATUS "found ${espalier_openmpi_FOUND}")\n',
        encoding="utf-8",
    )
    found = (f"-DCMAKE_PREFIX_PATH={prefix}", "-Wno-deprecated")
    printed = run("cmake", "-S", tmp_path, "-B", tmp_path, *found)
    assert "found TRUE" in printed
    assert "Warning" not in printed


def test_cmake_says_for_which_mpi_it_is_not_installed(
    prefix: Path, run: Callable, tmp_path: Path
) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES NONE)\n"
        "find_package(espalier COMPONENTS other)\nmessage(STATUS ${espalier_NOT_FOUND_MESSAGE})\n",
        encoding="utf-8",
    )
    printed = run("cmake", "-S", tmp_path, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={prefix}")
    assert "expected Espalier for 'other', it is installed for: openmpi" in printed


def test_pkg_config_finds_the_fortran_modules(prefix: Path, run: Callable, tmp_path: Path) -> None:
    if not (prefix / "lib" / "libespalier-fortran-openmpi.a").is_file():
        pytest.skip("this build has no Fortran modules")
    source = CONSUMER / "program.f90"
    words = compiled("mpifort.openmpi", prefix, "espalier-fortran-openmpi", source)
    run(*words, "-o", tmp_path / "program")
    launch = ("mpirun.openmpi", "-n", "2", tmp_path / "program")
    assert run(*launch, LD_LIBRARY_PATH=prefix / "lib") == "2 x 1\n"


def test_the_command_line_works(prefix: Path, run: Callable) -> None:
    assert run(prefix / "bin" / "espalier", "--version").startswith("espalier 0.")
    assert "allgather/ring" in run(prefix / "bin" / "espalier", "list")


def test_it_has_man_pages(prefix: Path) -> None:
    folder = prefix / "share" / "man" / "man1"
    assert {"espalier.1", "espalier-run.1"} <= {path.name for path in folder.iterdir()}


def test_bash_completes_with_the_file_of_the_prefix(prefix: Path, run: Callable) -> None:
    script = prefix / "share" / "bash-completion" / "completions" / "espalier"
    asked = "COMP_WORDS=(espalier do); COMP_CWORD=1; _espalier_completion espalier"
    words = f"PATH='{prefix}/bin':$PATH; . '{script}'; {asked}; echo \"${{COMPREPLY[*]}}\""
    assert run("bash", "-c", words) == "doctor\n"


def test_fish_completes_with_the_file_of_the_prefix(prefix: Path, run: Callable) -> None:
    if shutil.which("fish") is None:
        pytest.skip("no fish")
    script = prefix / "share" / "fish" / "vendor_completions.d" / "espalier.fish"
    words = f"set PATH {prefix}/bin $PATH; source {script}; complete -C 'espalier do'"
    assert run("fish", "--no-config", "-c", words).startswith("doctor\t")


def test_zsh_finds_the_file_of_the_prefix(prefix: Path, run: Callable) -> None:
    script = prefix / "share" / "zsh" / "site-functions" / "_espalier"
    lines = script.read_text(encoding="utf-8").splitlines()
    assert lines[0] == "#compdef espalier"
    if shutil.which("zsh") is None:
        pytest.skip("no zsh")
    words = f"fpath=('{script.parent}' $fpath); autoload -U compinit; compinit -D -u"
    printed = run("zsh", "-f", "-c", f"{words}; echo $_comps[espalier]")
    assert printed == "_espalier\n"


def test_lmod_loads_the_module(prefix: Path, run: Callable) -> None:
    lmod = Path("/usr/share/lmod/lmod/init/bash")
    if not lmod.is_file():
        pytest.skip("no Lmod")
    load = f"module use '{prefix}/share/modulefiles'; module load espalier"
    words = f". {lmod}; {load}; echo $MANPATH; echo $ESPALIER; command -v espalier"
    printed = run("bash", "-c", f'{words}; module unload espalier; echo "<$ESPALIER>"')
    manuals, *told = printed.splitlines()
    assert told == [str(prefix), f"{prefix}/bin/espalier", "<>"]
    assert manuals.startswith(f"{prefix}/share/man:")
    assert "" in manuals.split(":")


def test_a_program_runs_with_the_library_of_the_prefix(
    prefix: Path, program: Path, run: Callable
) -> None:
    printed = run(prefix / "bin" / "espalier", *RUN, program, LD_LIBRARY_PATH=prefix / "lib")
    assert "2 x 1, last rank 1\n" in printed
    assert "ring" in printed


def test_the_modulefile_names_the_prefix_where_it_is(
    prefix: Path, run: Callable, tmp_path: Path
) -> None:
    if shutil.which("tclsh") is None:
        pytest.skip("no tclsh")
    modulefile = next((prefix / "share" / "modulefiles" / "espalier").iterdir())
    script = tmp_path / "script.tcl"
    script.write_text(
        "foreach name {module-whatis conflict append-path prepend-path setenv} {\n"
        '  proc $name args "puts \\"$name \\$args\\""\n}\n'
        f"set ModulesCurrentModulefile {modulefile}\nsource {modulefile}\n",
        encoding="utf-8",
    )
    told = run("tclsh", script).splitlines()
    assert f"prepend-path PATH {prefix}/bin" in told
    assert f"prepend-path LD_LIBRARY_PATH {prefix}/lib" in told
    assert f"prepend-path MANPATH {prefix}/share/man" in told
    assert "append-path MANPATH {}" in told
    assert f"prepend-path PKG_CONFIG_PATH {prefix}/lib/pkgconfig" in told
    assert f"setenv ESPALIER {prefix}" in told


def test_what_it_needs_of_python_is_listed(prefix: Path) -> None:
    listed = (prefix / "lib" / "espalier" / "python" / "requirements.txt").read_text().splitlines()
    project = (repository / "pyproject.toml").read_text(encoding="utf-8")
    assert "numpy>=1.24" in listed
    assert all(f'  "{line}",\n' in project for line in listed)


def test_uninstalling_leaves_nothing(build: Path, run: Callable, tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    run("cmake", "--install", build, "--prefix", installed)
    run(installed / "bin" / "espalier", "--version")  # writes compiled Python files
    run("cmake", "--build", build, "--target", "uninstall")
    assert not installed.exists()


def test_an_upgrade_removes_what_only_the_older_version_had(
    build: Path, run: Callable, tmp_path: Path
) -> None:
    installed = tmp_path / "installed"
    run("cmake", "--install", build, "--prefix", installed)
    older = ("lib/libespalier-older.so", "share/older/below/a [b].txt", "../outside.txt")
    for name in (*older, "lib/libother.so"):
        (installed / name).parent.mkdir(parents=True, exist_ok=True)
        (installed / name).touch()
    names = installed / "lib" / "espalier" / "installed.txt"
    listed = names.read_text(encoding="utf-8")
    names.write_text(listed + "\n".join(older) + "\n", encoding="utf-8")

    run("cmake", "--install", build, "--prefix", installed)
    assert names.read_text(encoding="utf-8") == listed
    assert all((installed / name).exists() for name in listed.splitlines())
    assert not (installed / "lib" / "libespalier-older.so").exists()
    assert not (installed / "share" / "older").exists()
    assert (installed / "lib" / "libother.so").is_file()
    assert (tmp_path / "outside.txt").is_file()


@pytest.mark.parametrize("prefix", ["in there", "~/in there", "../in there/"])
def test_a_prefix_that_is_not_absolute_is_uninstalled(
    build: Path, run: Callable, tmp_path: Path, prefix: str
) -> None:
    # A shell other than bash hands over the home folder as it was typed: make install PREFIX=~/...
    called_in = tmp_path / "called in"
    called_in.mkdir()
    install = ("cmake", "--install", build, "--prefix", prefix)
    run("env", "-C", called_in, *install, HOME=tmp_path)
    found = list(tmp_path.rglob("bin/espalier"))
    assert found == [(called_in if prefix == "in there" else tmp_path) / "in there/bin/espalier"]
    run(found[0], "--version")
    run("cmake", "--build", build, "--target", "uninstall")
    assert list(tmp_path.rglob("*")) == [called_in]


def test_uninstalling_a_moved_prefix_leaves_what_others_installed(
    build: Path, run: Callable, tmp_path: Path
) -> None:
    run("cmake", "--install", build, "--prefix", tmp_path / "installed")
    moved = (tmp_path / "installed").rename(tmp_path / "moved")
    (moved / "lib" / "libother.so").touch()
    run(sys.executable, "-m", "compileall", "-q", moved / "lib" / "espalier" / "python")
    run(moved / "lib" / "espalier" / "uninstall.sh")
    assert [path.relative_to(moved).as_posix() for path in moved.rglob("*")] == [
        "lib",
        "lib/libother.so",
    ]


def test_uninstalling_keeps_the_rules_of_an_administrator_and_says_so(
    build: Path, run: Callable, tmp_path: Path
) -> None:
    installed = tmp_path / "installed"
    run("cmake", "--install", build, "--prefix", installed)
    profile = {"schema": "espalier-profile", "version": 1, "rules": [RULE], "mpi": MPI}
    (tmp_path / "profile.json").write_text(json.dumps(profile), encoding="utf-8")
    run(installed / "bin" / "espalier", "profile", "share", tmp_path / "profile.json")
    printed = run(installed / "lib" / "espalier" / "uninstall.sh")
    site = installed / "lib" / "espalier" / "site"
    assert printed.endswith(f"in {site}; remove them by: rm -r '{site}'\n")
    (file,) = (path for path in installed.rglob("*") if not path.is_dir())
    assert file.parent == site
    assert json.loads(file.read_text(encoding="utf-8"))["rules"]

    run("cmake", "--install", build, "--prefix", installed)
    file.unlink()
    assert "except for" not in run(installed / "lib" / "espalier" / "uninstall.sh")
    assert not installed.exists()
