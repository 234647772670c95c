# SPDX-License-Identifier: Apache-2.0
"""Simulated programs that end badly, wait for each other, or are interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from places import repository
from simulated_programs import TROUBLE, simulated

if TYPE_CHECKING:
    from collections.abc import Callable


@simulated
@pytest.mark.parametrize(
    ("trouble", "code", "text"),
    [
        ("deadlock", 1, "deadlock after 27.0 us of simulated time: ranks wait for messages that"),
        ("crash", 134, "a rank was ended by SIGABRT"),
        ("MPI_Abort", 1, "rank 2 called MPI_Abort"),
        ("exit", 3, "rank 2 ended with exit code 3"),
        ("missing", 1, "rank 2 called MPI_Comm_get_parent, which SimGrid does not have"),
        ("error", 1, "rank 2 called MPI_Send, which failed with MPI_ERR_COUNT"),
        ("truncation", 1, "rank 2 called a function of MPI, which failed with MPI_ERR_TRUNCATE"),
    ],
)
def test_programs_that_end_badly_are_told_apart(
    cli: Callable, trouble: str, code: int, text: str
) -> None:
    machine = "2n[latency=3us] x 2c[latency=1us]"
    result = cli("simulate", "program", "--json", "--machine", machine, "--", TROUBLE, trouble)
    assert result.code == code
    assert "begun" in result.err
    assert f"espalier: {text}" in result.err.splitlines()[-1]
    assert result.out == "" or result.out.startswith("Execution failed")


@simulated
@pytest.mark.parametrize("words", [("program", "--", TROUBLE, "exit"), ("collectives",)])
@pytest.mark.parametrize(
    ("option", "text"),
    [
        ("foo:bar", "Bad config key: foo"),
        ("smpi/test:soon", "invalid double"),
        ("smpi/bcast:foo", "Collective 'bcast' has no algorithm 'foo'!"),
    ],
)
def test_settings_that_the_simulator_refuses_are_named(
    cli: Callable, words: tuple[object, ...], option: str, text: str
) -> None:
    known = ("--smpi", "smpi/gather:ompi")
    options = ("--machine", "2n x 2c", *known, "--smpi", option)
    result = cli("simulate", words[0], *options, *words[1:])
    assert (result.code, len(result.err.splitlines())) == (2, 1)
    assert f"a setting that the simulator takes, got '{option}': {text}" in result.err


@simulated
def test_what_espalier_refuses_is_said_once(cli: Callable) -> None:
    options = ("--machine", "2n x 2c", "--force", "bcast=flat")
    result = cli("simulate", "program", *options, "--", TROUBLE, "refusal")
    assert result.code == 1
    assert result.err.count("expected a count of at least 0, got -1") == 1
    assert "espalier: MPI_Bcast: expected a count" in result.err
    # As after errors that the simulator finds: by SIGABRT, not by SIGSEGV.
    assert "code 134" in result.out


@simulated
def test_what_espalier_refuses_reaches_handlers(cli: Callable) -> None:
    options = ("--machine", "2n x 2c", "--force", "bcast=flat")
    result = cli("simulate", "program", *options, "--", TROUBLE, "handled")
    assert result.code == 0, result.err
    assert "handled" in result.out
    assert result.err.count("espalier: MPI_Bcast: expected a count of at least 0, got -1") == 1


@simulated
def test_errors_that_a_program_survives_are_no_failure(cli: Callable) -> None:
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", TROUBLE, "survival")
    assert result.code == 0, result.err


@simulated
def test_who_did_not_arrive_is_named(cli: Callable) -> None:
    result = cli("simulate", "program", "--machine", "2n x 2c", "--", TROUBLE, "deadlock")
    assert "not at MPI_Finalize: rank 2" in result.err


@simulated
def test_a_program_that_never_ends_is_ended(cli: Callable) -> None:
    result = cli(
        "simulate", "program", "--machine", "2n x 2c", "--timeout", "1s", "--", TROUBLE, "loop"
    )
    assert result.code == 1
    assert "expected the simulation to end within" in result.err
    assert _left_over() == []


@simulated
def test_an_interruption_leaves_no_simulator(compiled_programs: Path) -> None:
    process = _start(compiled_programs, "--machine", "2n x 2c", "--", str(TROUBLE), "loop")
    assert process.stdout is not None
    assert process.stdout.readline() == "begun\n"
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "espalier: interrupted" in err
    assert _left_over() == []


@simulated
def test_an_interruption_while_ranks_start_leaves_no_copies(
    compiled_programs: Path, cli: Callable
) -> None:
    words = ["--machine", "2n x 256c", "-p", "2", "--", TROUBLE, "exit"]
    cli("simulate", "program", *words)  # so that it is compiled
    words[3] = "512"
    before = _copies()
    process = _start(compiled_programs, *map(str, words))
    deadline = time.monotonic() + 20
    while _copies() <= before and time.monotonic() < deadline:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert _copies() <= before


def _start(compiled_programs: Path, *words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "espalier", "simulate", "program", *words],
        env={
            **os.environ,
            "PYTHONPATH": str(repository / "python"),
            "XDG_CACHE_HOME": str(compiled_programs),
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _copies() -> set[Path]:
    """Return the copies of the program of these tests that are in memory."""
    folder = Path("/dev/shm")  # noqa: S108 - where the simulator keeps them
    return {*folder.glob("trouble-*.so"), *folder.glob("espalier-simulated-*/trouble-*.so")}


def _left_over() -> list[str]:
    """Return the command lines of simulators of these tests; they need a moment to be gone."""
    deadline = time.monotonic() + 5
    while True:
        found = [line for line in map(_command_line, Path("/proc").iterdir()) if "trouble-" in line]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def _command_line(folder: Path) -> str:
    try:
        return (folder / "cmdline").read_text(errors="replace")
    except OSError:
        return ""
