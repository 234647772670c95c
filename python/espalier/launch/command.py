# SPDX-License-Identifier: Apache-2.0
"""The MPI command line a user gives: `mpirun -n 4 --oversubscribe ./app arguments`."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from espalier.errors import ArgumentError, MpiError
from espalier.launch.options import HYDRA, OPENMPI, SMPI, SRUN, Family

if TYPE_CHECKING:
    from collections.abc import Sequence

_LAUNCHER = re.compile(r"(mpirun|mpiexec|orterun|prterun|srun|smpirun)([.\-][\w.\-]*)?")
_EXAMPLE = "mpirun -n 4 ./program"
_SECONDS_FOR_VERSION = 30.0


@dataclass(frozen=True)
class Part:
    """One of the programs that ':' joins with its arguments, and the options in front of it."""

    options: tuple[str, ...]
    program: tuple[str, ...]


@dataclass(frozen=True)
class LaunchCommand:
    """A launcher with its options, and the program with its arguments.

    `program` is empty where the user gave none, and where it cannot be told from a value of an
    unknown option: then `doubt` says why, and everything after the launcher is in `options`.
    Of several programs joined by ':' the first one's options are in `options`.
    """

    wrapper: tuple[str, ...]
    launcher: str
    options: tuple[str, ...]
    program: tuple[str, ...]
    family: Family
    vendor: str | None
    version: str
    doubt: str = ""

    @property
    def num_ranks(self) -> int | None:
        """Return the number of ranks the options ask for, None if they leave it open."""
        return _num_ranks(self.family, self.options)

    @property
    def is_multi_program(self) -> bool:
        """Return whether ':' joins several programs."""
        return len(self.parts) > 1

    @property
    def parts(self) -> list[Part]:
        """Return the programs that ':' joins; a program is empty where `doubt` would say why."""
        if self.family in (SRUN, SMPI):
            return [Part(self.options, self.program)]
        first, *others = _between_colons([*self.options, *self.program])
        num_options = min(len(self.options), len(first))
        parts = [Part(tuple(first[:num_options]), tuple(first[num_options:]))]
        for words in others:
            options, program, _ = _split_program(self.family, words)
            parts.append(Part(tuple(options), tuple(program)))
        return parts

    def words(self) -> list[str]:
        """Return the command as the user gave it, without a '--' before the program."""
        return [*self.wrapper, self.launcher, *self.options, *self.program]

    def text(self) -> str:
        """Return the command for a shell."""
        return shlex.join(self.words())

    def with_program(self, program: Sequence[str]) -> LaunchCommand:
        """Return the command with another program behind the same launcher options."""
        return replace(self, program=tuple(program), doubt="")


def parse_command(words: Sequence[str]) -> LaunchCommand:
    """Find the launcher, its options and the program.

    Raises:
        ArgumentError: there is no launcher in it.
        MpiError: the launcher is missing or does not say what it is.
    """
    position = next((i for i, word in enumerate(words) if is_launcher(word)), None)
    if not words or position is None:
        found = f"'{shlex.join(words)}'" if words else "nothing"
        raise ArgumentError(
            "expected a command with an MPI launcher (mpirun, mpiexec, srun or smpirun), got"
            f" {found}",
            f"write it after --, as in: -- {_EXAMPLE}",
        )
    launcher = words[position]
    family, vendor, version = identify_launcher(launcher)
    options, program, doubt = _split_program(family, list(words[position + 1 :]))
    return LaunchCommand(
        wrapper=tuple(words[:position]),
        launcher=launcher,
        options=tuple(options),
        program=tuple(program),
        family=family,
        vendor=vendor,
        version=version,
        doubt=doubt,
    )


def identify_launcher(launcher: str) -> tuple[Family, str | None, str]:
    """Return family, vendor (None if the launcher serves several) and version of a launcher."""
    if shutil.which(launcher) is None:
        raise MpiError(
            f"expected the MPI launcher '{launcher}' on the PATH, found none",
            "install an MPI (Debian: openmpi-bin or mpich) or give its full path",
            exit_code=127,
        )
    text = _ask_version(launcher)
    first = text.strip().splitlines()[0].strip() if text.strip() else "nothing"
    number = re.search(r"\d+(\.\d+)+", text)
    version = number[0] if number else ""
    if re.search(r"Open ?MPI|OpenRTE|PRRTE", text):
        return OPENMPI, "openmpi", version
    if "HYDRA" in text or "Intel(R) MPI" in text:
        return HYDRA, "mpich", version
    if text.startswith("slurm"):
        return SRUN, None, version
    if text.startswith("SimGrid"):
        return SMPI, "smpi", version
    raise MpiError(
        f"expected '{launcher} --version' to name Open MPI, MPICH, Slurm or SimGrid, got '{first}'",
        "preload libespalier-<vendor>.so by hand for other launchers",
    )


def _ask_version(launcher: str) -> str:
    try:
        answer = subprocess.run(
            [launcher, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS_FOR_VERSION,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise MpiError(
            f"expected '{launcher} --version' to say which MPI it is, it failed: {error}",
            "check the installation of the MPI",
        ) from error
    return answer.stdout + answer.stderr


def is_launcher(word: str) -> bool:
    """Return whether a word of a command line is the name or path of a launcher."""
    return _LAUNCHER.fullmatch(Path(word).name) is not None


def _between_colons(words: Sequence[str]) -> list[list[str]]:
    groups: list[list[str]] = [[]]
    for word in words:
        if word == ":":
            groups.append([])
        else:
            groups[-1].append(word)
    return groups


def _split_program(family: Family, words: list[str]) -> tuple[list[str], list[str], str]:
    """Return options, program, and why it is not clear where the program starts."""
    i = 0
    unknown = ""
    while i < len(words):
        word = words[i]
        if word == "--":
            return words[:i], words[i + 1 :], ""
        if not word.startswith("-"):
            if not unknown:
                return words[:i], words[i:], ""
            return _split_in_doubt(words, unknown, i)
        count = family.words_after(word)
        unknown = word if count is None else ""
        i += 1 + (count or 0)
    return words, [], ""


def _split_in_doubt(words: list[str], option: str, i: int) -> tuple[list[str], list[str], str]:
    if "--" in words[i:]:
        end = words.index("--", i)
        return words[:end], words[end + 1 :], ""
    doubt = (
        f"expected known options of the launcher, got '{option} {words[i]}', where "
        f"'{words[i]}' may be its value or the program; put -- between options and program"
    )
    return words, [], doubt


def _num_ranks(family: Family, options: Sequence[str]) -> int | None:
    for i, word in enumerate(options):
        name = word.lstrip("-")
        value = options[i + 1] if i + 1 < len(options) else ""
        if "=" in name:
            name, _, value = name.partition("=")
        elif family is SRUN and name[:1] == "n" and name[1:].isdigit():
            name, value = "n", name[1:]
        if word.startswith("-") and name in family.num_ranks and value.isdigit():
            return int(value)
    return None
