# SPDX-License-Identifier: Apache-2.0
"""Running a measuring program of ours behind the user's launcher options: plan in, lines out."""

from __future__ import annotations

import contextlib
import json
import re
import shlex
import signal
import tempfile
import time
from typing import IO, TYPE_CHECKING, Any, Protocol

from espalier import installation
from espalier.errors import ArgumentError, MpiError, NotBuiltError
from espalier.io.console import say
from espalier.launch import diagnosis, libraries, processes, root
from espalier.launch.command import parse_command
from espalier.launch.environment import with_environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from espalier.launch.command import LaunchCommand

_LINES_OF_ERROR = 12
# How our programs say what is wrong.
_TOLD = re.compile(r"^espalier-[a-z]+: (?P<text>\S.*)$", re.MULTILINE)
# Open MPI says this first, and what helps after twenty more lines.
_TOO_FEW_SLOTS = re.compile(r"There are not enough slots available[^:.]*")


def parse_launcher(words: Sequence[str]) -> LaunchCommand:
    """Return a launcher with its options; a program behind them is left out, and that is said.

    Raises:
        ArgumentError: there is no launcher, or not exactly one program could follow.
    """
    command = parse_command(words)
    check_launcher(command)
    if command.program:
        say(
            f"note: '{shlex.join(command.program)}' is not run; a program of Espalier is measured"
            " in its place"
        )
    return command.with_program(())


def check_launcher(command: LaunchCommand) -> None:
    """Check that a program of ours can take the place of the user's.

    Raises:
        ArgumentError: not exactly one program could follow.
    """
    if command.doubt:
        raise ArgumentError(command.doubt)
    if command.is_multi_program:
        raise ArgumentError(
            "expected launcher options for one program, got several joined by ':'",
            "measure with the options of one: -- mpirun -n 4",
        )


class Watch(Protocol):
    """Looks at the growing output of a program."""

    def look(self) -> None:
        """Take what is new; called four times a second, and once at the end."""

    @property
    def is_complete(self) -> bool:
        """Return whether the program wrote all it should."""


def require_program(program: Path | None, name: str) -> Path:
    """Return a program of ours that was looked for.

    Raises:
        NotBuiltError: there is none for this MPI.
    """
    if program is None:
        raise NotBuiltError(
            f"expected the program {name}, found none in"
            f" {installation.build_folder() or installation.package}",
            "run make build on a machine with this MPI",
        )
    return program


class MeasuringProgram:
    """A program of ours for one MPI, and how the user starts ranks."""

    def __init__(self, program: Path | None, name: str, command: LaunchCommand) -> None:
        """Take a program that was found; None if there is none.

        Raises:
            NotBuiltError: there is none for this MPI.
        """
        self._program = require_program(program, name)
        self._command = command
        self._environment = root.permission(command)
        if self._environment:
            say(
                "note: measuring as root; "
                + " and ".join(f"{name}=1" for name in self._environment)
                + " set for Open MPI's launcher"
            )

    def run(
        self,
        plan: Mapping[str, Any] | str,
        folder: Path,
        watch: Watch,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        """Run the program on a plan, with variables in the environment of its ranks.

        It writes `samples.jsonl` in the folder.

        Raises:
            MpiError: the launcher or the program failed, or there is no space for the plan.
        """
        path = write_plan(plan, folder)
        words = [str(self._program), "--plan", str(path)]
        words += ["--output", str(folder / "samples.jsonl")]
        settings = {"ESPALIER_OFF": "1", **(variables or {})}
        settings |= libraries.variables_for(self._program, self._command, folder)
        start = with_environment(self._command.with_program(words), settings)
        with open_output(folder) as output:
            streams = processes.Streams(stdout=output, stderr=output)
            environment = {**self._environment, **start.environment}
            try:
                ended = processes.run(
                    start.words, streams, environment=environment, on_look=watch.look
                )
            finally:
                watch.look()
            if ended.exit_code != 0 or not watch.is_complete:
                raise self._failure(ended, output)

    def _failure(self, ended: processes.Ended, output: IO[bytes]) -> MpiError:
        output.seek(0)
        said = diagnosis.without_crash(output.read().decode(errors="replace")).strip()
        lines = said.splitlines()
        # Launchers frame their message; what matters is in its first lines.
        kept = [line for line in lines if line.strip("- ")][:_LINES_OF_ERROR]
        shown = "\n".join(f"  {line}" for line in kept)
        if shown:
            say(shown)
        reason, advice = _known_reason(said)
        return MpiError(
            f"expected '{self._command.text()}' to start {self._program.name} and end with exit"
            f" code 0, {_got(ended)}{reason and ': '}{reason}",
            advice,
            exit_code=1,
        )


def _got(ended: processes.Ended) -> str:
    if ended.signal_number is None:
        return f"got {ended.exit_code}"
    return f"the launcher was itself ended by {signal.Signals(ended.signal_number).name}"


def _known_reason(said: str) -> tuple[str, str]:
    """Return why a launcher failed, in its words if it said what we know, and what to do."""
    if told := _TOLD.search(said):
        return told["text"], ""
    found = _TOO_FEW_SLOTS.search(said)
    if found is None:
        return "", (
            "check the launcher options with a small program; TMPDIR has to be a folder that all"
            " hosts see"
        )
    words = " ".join(found[0].split())
    advice = (
        "ask for fewer ranks, or add --oversubscribe to the launcher options: ranks then share"
        " processors, and times say little"
    )
    return words[0].lower() + words[1:], advice


def write_plan(plan: Mapping[str, Any] | str, folder: Path) -> Path:
    """Write a plan into a temporary folder, and return its path.

    Raises:
        MpiError: it cannot be written.
    """
    path = folder / "plan.json"
    with temporary_files():
        path.write_text(plan if isinstance(plan, str) else json.dumps(plan), encoding="utf-8")
    return path


def open_output(folder: Path) -> IO[bytes]:
    """Open a file in a temporary folder for what a launcher and its ranks say.

    Raises:
        MpiError: it cannot be written.
    """
    with temporary_files():
        return (folder / "output.txt").open("w+b")


@contextlib.contextmanager
def temporary_folder() -> Iterator[str]:
    """Make a folder for plan and samples that is removed after use.

    Raises:
        MpiError: there can be none.
    """
    with temporary_files():
        folder = tempfile.TemporaryDirectory(prefix="espalier-")
    with folder as name:
        yield name


@contextlib.contextmanager
def temporary_files() -> Iterator[None]:
    """Say what to do where temporary files cannot be written: as if a launch had failed.

    What was measured before such a failure is kept, and there is a way to continue.
    """
    try:
        yield
    except OSError as error:
        raise MpiError(
            f"expected to write temporary files, got '{error.strerror or error}'",
            "free space in TMPDIR (/tmp if it is not set), or name another folder by it that all"
            " hosts see",
        ) from error


class Patience:
    """Ends a program from which nothing comes for too long."""

    def __init__(self, what: str, seconds: float) -> None:
        """Start the clock; `what` names what is waited for."""
        self._what = what
        self._seconds = seconds
        self._last = time.monotonic()

    def renew(self) -> None:
        """Say that something came."""
        self._last = time.monotonic()

    def check(self) -> None:
        """Raise MpiError if nothing came for too long."""
        if time.monotonic() - self._last > self._seconds:
            raise MpiError(
                f"expected {self._what} within {self._seconds:.0f} s, got none",
                "look for a hanging MPI, too many ranks for the processors, or an unreachable"
                " host; finished measurements are kept",
            )
