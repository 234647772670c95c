# SPDX-License-Identifier: Apache-2.0
"""Check that each header compiles alone.

A source that begins with a header proves it when it is compiled by itself, as in builds without
batches; standard headers that are compiled ahead are the business of check_includes.py. The other
headers are compiled here, each by itself, with the command of the nearest source that includes it.
A header that no source reaches is a problem, too.

Usage: check_headers.py BUILD..., folders in which everything is built, with compile_commands.json.
Prints one line per problem, and the first complaint of the compiler; exit code 1 if there is any.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_layering

HEADERS = {".h", ".hpp"}
SOURCES = {".c", ".cpp"}
COMMENTS = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
FIRST = re.compile(r'\s*#\s*include\s*"([^"]+)"')
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)

# How CMake names headers that it compiles ahead, and the folders of its batches.
PRECOMPILED = "cmake_pch.h"
BATCHES = "Unity"


@dataclasses.dataclass(frozen=True)
class Command:
    """How a source is compiled by itself: the words, and the folder they are run in."""

    source: Path
    words: list[str]
    folder: str
    is_alone: bool  # in the build, too: neither in a batch nor behind headers of ours


Commands = dict[Path, Command]


def sources_in(file: Path) -> list[Path]:
    """Return the sources that a compiled file stands for: those of a batch, otherwise itself."""
    if file.parent.name != BATCHES or not file.is_file():
        return [file]
    return [Path(name) for name in INCLUDE.findall(file.read_text(encoding="utf-8"))]


def without_precompiled(words: list[str]) -> list[str]:
    """Return a command that reads only the headers its source asks for."""
    left = list(words)
    for place in range(len(left) - 2, -1, -1):
        if left[place] == "-include" and Path(left[place + 1]).name.startswith(PRECOMPILED):
            del left[place : place + 2]
    return left


def reads_ours_ahead(words: list[str], root: Path) -> bool:
    """Tell whether headers of ours are among those that a command has compiled ahead."""
    for option, name in itertools.pairwise(words):
        if option == "-include" and Path(name).name.startswith(PRECOMPILED):
            included = INCLUDE.findall(Path(name).read_text(encoding="utf-8"))
            return any((root / header).is_file() for header in included)
    return False


def commands_of(build: Path, root: Path) -> list[Command]:
    """Return how each source below a root is compiled, and there may be several ways."""
    commands = []
    for entry in json.loads((build / "compile_commands.json").read_text(encoding="utf-8")):
        file, words = Path(entry["file"]), shlex.split(entry["command"])
        plain = without_precompiled(words)
        for source in sources_in(file):
            if source.is_relative_to(root) and source.is_file() and source.suffix in SOURCES:
                alone = [str(source) if word == str(file) else word for word in plain]
                is_alone = source == file and not reads_ours_ahead(words, root)
                commands.append(Command(source, alone, entry["directory"], is_alone))
    return commands


def write_commands(commands: list[Command], folder: Path) -> None:
    """Write compile_commands.json into a folder, as it would be without batches."""
    entries = [
        {
            "directory": command.folder,
            "file": str(command.source),
            "command": shlex.join(command.words),
        }
        for command in commands
    ]
    (folder / "compile_commands.json").write_text(json.dumps(entries), encoding="utf-8")


def includers_of(files: list[Path], root: Path) -> dict[str, list[Path]]:
    """Return which of the files include a header, by its path from the root."""
    found: dict[str, list[Path]] = {}
    for file in files:
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            beside = file.parent / name
            place = beside.relative_to(root).as_posix() if beside.is_file() else name
            # Public headers are also found as users find them.
            for known in (place, f"include/{name}"):
                found.setdefault(known, []).append(file)
    return found


def first_commands(all_commands: list[Command]) -> Commands:
    """Return one way for each source, the first one."""
    return {command.source: command for command in reversed(all_commands)}


def included_by_commands(all_commands: list[Command], root: Path) -> dict[str, list[Path]]:
    """Return which sources are compiled behind a header that the command names."""
    found: dict[str, list[Path]] = {}
    for command in all_commands:
        for option, name in itertools.pairwise(command.words):
            if option == "-include" and Path(name).is_relative_to(root):
                header = Path(name).relative_to(root).as_posix()
                found.setdefault(header, []).append(command.source)
    return found


def first_include(source: Path) -> str:
    """Return the header that a source begins with, "" if it begins with something else."""
    match = FIRST.match(COMMENTS.sub("", source.read_text(encoding="utf-8")))
    return match[1] if match else ""


def nearest_source(
    header: str, includers: dict[str, list[Path]], commands: Commands, root: Path
) -> Path | None:
    """Return a source that includes a header over as few others as possible."""
    seen = {header}
    row = [header]
    while row:
        files = [file for name in row for file in includers.get(name, [])]
        for file in files:
            if file in commands:
                return file
        above = {file.relative_to(root).as_posix() for file in files} - seen
        seen |= above
        row = sorted(above)
    return None


def headers_of(root: Path) -> list[str]:
    """Return the headers of a repository."""
    folders = [root / folder for folder in (*check_layering.FOLDERS, "include")]
    files = (file for folder in folders for file in folder.rglob("*") if file.suffix in HEADERS)
    return sorted(file.relative_to(root).as_posix() for file in files)


def compile_alone(header: str, command: Command, root: Path) -> str:
    """Compile nothing but a header; return what the compiler complains of first."""
    words = list(command.words)
    for option in ("-o", "-c"):
        place = words.index(option)
        del words[place : place + 2]
    language = "c" if command.source.suffix == ".c" else "c++"
    words += [f"-I{root}", "-fsyntax-only", "-include", header, "-x", language, os.devnull]
    done = subprocess.run(words, cwd=command.folder, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "error:" in line] or [done.stderr.strip()]
    return f"{header}: does not compile alone\n  {lines[0]}" if done.returncode else ""


def check(builds: list[Path], root: Path) -> list[str]:
    """Return a line for each header of a repository that does not compile alone."""
    all_commands = [command for build in builds for command in commands_of(build, root)]
    commands = first_commands(all_commands)
    headers = headers_of(root)
    alone = {command.source for command in all_commands if command.is_alone}
    proved = {first_include(source) for source in alone}
    unproved = [header for header in headers if header not in proved]
    includers = includers_of([*commands, *(root / header for header in headers)], root)
    for header, sources in included_by_commands(all_commands, root).items():
        includers.setdefault(header, []).extend(sources)

    def problem_of(header: str) -> str:
        source = nearest_source(header, includers, commands, root)
        if source is None:
            return f"{header}: expected a source that includes it, directly or not, found none"
        return compile_alone(header, commands[source], root)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return [problem for problem in threads.map(problem_of, unproved) if problem]


def main() -> int:
    """Check the headers of the repository this script is in, by the builds given as arguments."""
    if len(sys.argv) < 2:
        print("usage: check_headers.py BUILD..., such as build/release build/asan", file=sys.stderr)
        return 2
    builds = [Path(word).resolve() for word in sys.argv[1:]]
    problems = check(builds, Path(__file__).resolve().parents[1])
    print("\n".join(problems) or "headers: each compiles alone")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
