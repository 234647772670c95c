# SPDX-License-Identifier: Apache-2.0
"""Every command that README.md and the pages of docs/ tell users to type does what they say.

The commands of a page run in order, in a folder that looks like a checkout. Files that a page
presupposes are made before.
"""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import documented_places
import pytest
from command_mentions import texts
from documented_adaptations import ADAPTATIONS, CLUSTER, NOT_RUN, SHOWN, adapted
from documented_commands import Command, commands_of, pages
from documented_places import PRESUPPOSED, Place, build_folder, make_place, obstacle
from places import repository

from espalier.clusters import registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ALL = [command for commands in pages().values() for command in commands]


def to_run(page: str) -> list[Command]:
    return [one for one in pages()[page] if not any(entry.fits(one) for entry in NOT_RUN)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """A place for the commands of a page, which leaves no emulated host behind."""
    if not (build_folder() / "lib" / "libespalier-openmpi.so").is_file():
        pytest.skip("there is no build for Open MPI, with which the pages are written")
    if not (repository / ".venv" / "bin" / "python").exists():
        pytest.skip("there is no .venv, without which bin/espalier does not run")
    yield make_place(tmp_path)
    left = registry.named(CLUSTER)
    if left is not None:
        left.end()


def files_of(command: Command, line: str) -> list[str]:
    """Return the files that a command has to write: its options, or the page, say so."""
    told = re.findall(r" -o (\S+)", line)
    return [*told, *(name for one in SHOWN if one.fits(command) for name in one.files)]


def run(place: Place, command: Command) -> None:
    """Run a command of a page, and compare what it does with what the page says."""
    line, _ = adapted(command)
    ages = {name: place.age(name) for name in files_of(command, line)}
    done = place.run("\n".join([*command.settings, line]))
    about = f"{command.page}: {line}\nexit code {done.code}\n{done.err[-3000:]}"
    assert done.code == 0, f"{about}\n{done.out[-1000:]}"
    if command.output is not None:
        assert done.out.rstrip() == command.output.rstrip(), about
    for text in (text for one in SHOWN if one.fits(command) for text in one.texts):
        assert text in done.out + done.err, about
    unwritten = [name for name, age in ages.items() if place.age(name) in {None, age}]
    assert unwritten == [], about


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in pages() if to_run(page)])
def test_commands_of(page: str, place: Place) -> None:
    obstacles = {one: obstacle(adapted(one)[0]) for one in to_run(page)}
    if all(obstacles.values()):
        pytest.skip("; ".join(set(obstacles.values())))
    for name, make in PRESUPPOSED.get(page, {}).items():
        make(place, name)
    for command, reason in obstacles.items():
        if not reason:
            run(place, command)
    left_out = [f"{one.line}: {reason}" for one, reason in obstacles.items() if reason]
    if left_out:
        pytest.skip("the other commands ran, but not " + "; ".join(left_out))


def test_every_entry_of_the_tables_is_needed() -> None:
    used = [entry for command in ALL for entry in adapted(command)[1]]
    assert [entry for entry in ADAPTATIONS if entry not in used] == []
    tables = (*NOT_RUN, *SHOWN)
    assert [entry for entry in tables if not any(entry.fits(one) for one in ALL)] == []
    assert PRESUPPOSED.keys() <= {page for page in pages() if to_run(page)}


def test_targets_of_commands_that_are_not_run_exist() -> None:
    words = [one.line.partition("#")[0].split() for one in ALL]
    rules = re.findall(r"^([\w-]+):", (repository / "Makefile").read_text(), re.MULTILINE)
    named = {word for first, *rest in words if first == "make" for word in rest if "=" not in word}
    assert len(named) > 2
    assert named <= set(rules)
    if not (build_folder() / "build.ninja").is_file():
        pytest.skip("there is no build folder of Ninja")
    wanted = {
        word
        for line in words
        if line[:2] == ["cmake", "--build"] and "--target" in line
        for word in line[line.index("--target") + 1 :]
    }
    told = subprocess.run(
        ["/usr/bin/env", "cmake", "--build", build_folder(), "--target", "help"],
        check=True,
        capture_output=True,
        text=True,
    )
    assert len(wanted) > 2
    assert wanted <= {line.partition(":")[0] for line in told.stdout.splitlines()}


def test_pages_say_what_is_expected() -> None:
    pages_by_name = {one.origin: one.text for one in texts()}
    found = [
        (one.page, name)
        for one in SHOWN
        for name in one.texts
        if name not in pages_by_name[one.page]
    ]
    assert found == []


def test_what_is_a_command() -> None:
    text = """
```sh
make all  # in a block that is marked, each line is a command
M="2n x 4c"
# but no comment
```
prose with `bin/espalier list`
```
$ espalier show ring
  a line

and another one
$ A='b c' mpirun -n 2 ./app
```
```c
espalier_request_start(request);
```
as follows:

    N=3 bin/espalier run --    mpirun -n $N ./app
    an output
"""
    found = [(one.line, one.settings, one.output) for one in commands_of("page", text)]
    settings = ('M="2n x 4c"',)
    assert found == [
        ("make all  # in a block that is marked, each line is a command", (), None),
        ("espalier show ring", settings, "  a line\n\nand another one"),
        ("A='b c' mpirun -n 2 ./app", settings, None),
        ("N=3 bin/espalier run --    mpirun -n $N ./app", settings, None),
    ]


@pytest.mark.parametrize("script", ["printf x; exit 3", "sleep 60 & sleep 60"])
def test_how_a_command_ends(place: Place, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(documented_places, "TIME_LIMIT_S", 0.5)
    done = place.run(script)
    assert (done.code, done.out) in {(3, "x"), (-9, "")}


def test_a_failure_names_page_command_and_what_it_said(place: Place) -> None:
    with pytest.raises(AssertionError, match=r"(?s)page: ls nothing.*exit code 2.*nothing'"):
        run(place, Command("page", "ls nothing"))


def test_a_file_that_is_not_written_is_a_failure(place: Place) -> None:
    (place.folder / "old").write_text("old")
    run(place, Command("page", "sleep 0.01; echo new >old # -o old"))
    with pytest.raises(AssertionError, match="old"):
        run(place, Command("page", "true # -o old"))


def test_other_output_is_a_failure(place: Place) -> None:
    run(place, Command("page", "echo a", output="a"))
    with pytest.raises(AssertionError):
        run(place, Command("page", "echo a", output="b"))
