# SPDX-License-Identifier: Apache-2.0
"""What of `espalier simulate` needs no simulator: refusals, memory, journal, progress."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

import pytest
from places import repository

from espalier.errors import OutOfMemoryError
from espalier.launch.complaints import Complaints, told
from espalier.launch.processes import Ended
from espalier.simulate import failures, memory, passing
from espalier.simulate.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

EXCHANGE = repository / "tests" / "data" / "simulated" / "exchange.c"


def _fake_program(folder: Path, contents: bytes) -> Path:
    path = folder / "program"
    path.write_bytes(contents)
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("contents", "got"),
    [
        (b"\x7fELF...libmpi.so.40", "one of another MPI"),
        (b"\x7fELF...libc.so.6", "one without MPI"),
        (b"#!/bin/sh\n", "something else"),
    ],
)
def test_other_programs_are_refused(
    cli: Callable, tmp_path: Path, contents: bytes, got: str
) -> None:
    program = _fake_program(tmp_path, contents)
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", program)
    assert result.code == 1
    assert f"expected a program compiled for SMPI, got {got}" in result.err
    assert "give its source instead" in result.err


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--peer", "lam", "--", EXCHANGE], "expected --peer ompi, mpich, mvapich2, impi, simgrid"),
        (["--smpi", "bcast", "--", EXCHANGE], "expected --smpi NAME:VALUE, got 'bcast'"),
        (["-p", "5", "--", EXCHANGE], "5"),
        (["--placement", "list:0,9", "--", EXCHANGE], "9"),
        (["--no-espalier", "--force", "bcast=binomial", "--", EXCHANGE], "got both"),
        (["--no-espalier", "--learn", "--", EXCHANGE], "got both"),
        (["--force", "bcast", "--", EXCHANGE], "expected call=algorithm"),
        (["--", EXCHANGE, "two words"], "expected arguments without blanks"),
        (["--", "main.f90"], "expected sources in C or C++, got Fortran"),
        (["--source", "a.c", "--", "./program"], "expected a source beside --source"),
        (["--sizes", "8", "--", EXCHANGE], "no such option: --sizes"),
    ],
)
def test_commands_that_make_no_sense_are_refused(
    cli: Callable, words: list[object], text: str
) -> None:
    result = cli("simulate", "program", "--machine", "2n x 2c", *words)
    assert result.code == 2
    assert text in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["--collectives", "send"], "expected a collective of"),
        (["--no-espalier"], "no such option: --no-espalier"),
        (["--", EXCHANGE], "unexpected extra argument"),
    ],
)
def test_collectives_have_no_options_of_programs(
    cli: Callable, words: list[object], text: str
) -> None:
    result = cli("simulate", "collectives", "--machine", "2n x 2c", *words)
    assert result.code == 2
    assert text in result.err
    assert len(result.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "verb", "text"),
    [
        (["--collectives", "send"], "collectives", "expected a collective of"),
        (["--", "./missing"], "program", "./missing"),
    ],
)
def test_the_old_spelling_is_understood(
    cli: Callable, words: list[object], verb: str, text: str
) -> None:
    result = cli("simulate", "--machine", "2n x 2c", *words)
    hint, error = result.err.splitlines()
    assert hint.startswith(f"note: this is 'espalier simulate {verb}' now")
    assert text in error


@pytest.mark.parametrize("option", ["--compare", "--learn"])
def test_a_program_without_espalier_cannot_be_told_anything(
    cli: Callable, tmp_path: Path, option: str
) -> None:
    program = _fake_program(tmp_path, b"\x7fELF...libsimgrid.so")
    result = cli("simulate", "program", "--machine", "2n x 2c", option, "--", program)
    assert result.code == 2
    assert "got a program without Espalier in it" in result.err


def test_missing_programs_are_told(cli: Callable) -> None:
    assert cli("simulate", "program", "--machine", "2n x 2c", "--", "./missing").code == 127
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", "missing.c")
    assert result.code == 1
    assert "missing.c: expected a source, found no file" in result.err


def test_without_the_simulator_it_says_what_to_install(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = _fake_program(tmp_path, b"\x7fELF...libsimgrid.so")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", program)
    assert result.code == 1
    assert "expected SimGrid's launcher 'smpirun' on the PATH, found none" in result.err
    assert "install SimGrid" in result.err


def test_what_does_not_fit_into_memory_is_refused_with_numbers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 1_000_000_000)
    memory.check(100, 2_000_000)
    with pytest.raises(OutOfMemoryError, match=r"2\.83 GiB of memory for 1000 ranks") as raised:
        memory.check(1000, 2_000_000)
    assert "found 954 MiB" in str(raised.value)


def test_available_memory_is_that_of_the_machine_at_most() -> None:
    everything = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    assert 0 < memory.available_bytes() <= everything


@pytest.mark.parametrize(
    ("limit", "used", "statistics", "cached"),
    [
        ("memory.max", "memory.current", "memory.stat", "inactive_file"),
        (
            "memory/memory.limit_in_bytes",
            "memory/memory.usage_in_bytes",
            "memory/memory.stat",
            "total_inactive_file",
        ),
    ],
)
def test_available_memory_is_that_of_the_container_with_what_it_can_give_up(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    used: str,
    statistics: str,
    cached: str,
) -> None:
    mib = 2**20
    (tmp_path / "memory").mkdir()
    (tmp_path / limit).write_text(f"{100 * mib}\n")
    (tmp_path / used).write_text(f"{99 * mib}\n")
    monkeypatch.setattr(memory, "_GROUPS", tmp_path)
    assert memory.available_bytes() == 1 * mib
    (tmp_path / statistics).write_text(f"anon 5\n{cached} {70 * mib}\n")
    assert memory.available_bytes() == 71 * mib
    (tmp_path / limit).write_text("max\n")
    assert memory.available_bytes() > 100 * mib


def _journal(path: Path, *lines: dict[str, Any]) -> Journal:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    journal = Journal(path)
    journal.look()
    return journal


def test_a_simulator_that_was_killed_ran_out_of_memory(tmp_path: Path) -> None:
    journal = _journal(
        tmp_path / "journal", {"kind": "start", "num_hosts": 4}, {"kind": "clock", "seconds": 0.5}
    )
    end = failures.End(Ended(137, 1.0), journal, [], [])
    error = failures.failure(end)
    assert isinstance(error, OutOfMemoryError)
    assert "killed after 500 ms of simulated time" in str(error)


def test_a_simulator_that_stops_early_is_not_taken_for_an_end(tmp_path: Path) -> None:
    journal = _journal(tmp_path / "journal", {"kind": "start", "num_hosts": 4})
    error = failures.failure(failures.End(Ended(0, 1.0), journal, [], []))
    assert "before the program did" in str(error)
    done = {"kind": "end", "seconds": 1.5, "memory_bytes": 7}
    journal = _journal(tmp_path / "journal", {"kind": "start", "num_hosts": 4}, done)
    assert failures.failure(failures.End(Ended(0, 1.0), journal, [], [])) is None
    assert (journal.seconds, journal.memory_bytes) == (1.5, 7)


def test_the_simulators_lines_are_kept_apart(capsys: pytest.CaptureFixture[str]) -> None:
    lines = (
        "[rank-2:2:(3) 0.000003] ./src/a.cpp:138: [smpi_pmpi/WARNING] MPI_Abort was called\n"
        "what the program writes\n"
        "Segmentation fault.\n"
        "[0.000004] ./src/b.cpp:718: [ker_engine/CRITICAL] Oops! Deadlock detected\n"
    )
    with Complaints() as complaints:
        os.write(complaints.writer, lines.encode())
    assert [(one.rank, one.text) for one in complaints.found] == [
        (2, "MPI_Abort was called"),
        (None, "Oops! Deadlock detected"),
    ]
    assert capsys.readouterr().err == "what the program writes\n"


def test_what_is_told_has_neither_prefixes_nor_stack_traces() -> None:
    output = (
        "[rank-0:0:(1) 0.01] ./src/a.cpp:48: [xbt_exception/CRITICAL] cannot be used with 3 ranks\n"
        "[rank-0:0:(1) 0.01] ./src/a.cpp:75: [xbt_exception/CRITICAL] Current backtrace:\n"
        "  ->  0# 0x00007F9F9E2DC12F in /usr/lib/libsimgrid.so.3.32\n"
        "\n"
        "  what the program writes\n"
        "Aborted\n"
        "Execution failed with code 134.\n"
    )
    assert told(output) == ["cannot be used with 3 ranks", "what the program writes"]


def test_simulated_time_passes_on_standard_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(passing.time, "monotonic", lambda: now[0])
    journal = _journal(tmp_path / "journal", {"kind": "clock", "seconds": 0.25})
    line = passing.Passing(journal)
    for seconds in (1.0, 3.0, 12.0):
        now[0] = 100.0 + seconds
        line.show()
    line.clear()
    text = "simulating: 250 ms of simulated time after 12.0 s\n"
    assert capsys.readouterr().err == text
