# SPDX-License-Identifier: Apache-2.0
"""Run clang-tidy over what changed, or over all of the core.

Usage: check_tidy.py BUILD [--all | --since COMMIT] [--seconds N]

BUILD is a folder with compile_commands.json. What changed are the lines that are not as in the
commit where the branch left COMMIT, origin/main by default; on COMMIT itself they are those of the
last commit. Only findings in these lines count, so that nobody has to repair what others wrote, and
files that only moved are left out. A changed header stands for the source that begins with it.
After N seconds no more files are begun, and those that are left are named. Exit code 1 if there is
any finding.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import check_headers
from repository import output_of

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDERS = ("espalier/", "shim/")
HUNK = re.compile(r"@@ -\S+ \+(?P<first>\d+)(?:,(?P<count>\d+))? @@")
END = 1_000_000

# First and last of each run of lines, by file.
Lines = dict[str, list[tuple[int, int]]]


def changed_since(commit: str, root: Path) -> Lines:
    """Return the lines that are not as they were where this branch left a commit.

    Raises:
        subprocess.CalledProcessError: git does not know the commit, or it has none before it.
    """
    base = output_of(root, "merge-base", commit, "HEAD").strip()
    if base == output_of(root, "rev-parse", "HEAD").strip():
        base = output_of(root, "rev-parse", "HEAD~1").strip()
    new = output_of(root, "ls-files", "--others", "--exclude-standard").splitlines()
    changed: Lines = {file: [(1, END)] for file in new}
    file = ""
    for line in output_of(root, "diff", "--no-ext-diff", "-U0", "-M", base).splitlines():
        if line.startswith("+++ "):
            file = line.removeprefix("+++ ").removeprefix("b/")
        elif (hunk := HUNK.match(line)) and hunk["count"] != "0":
            first = int(hunk["first"])
            changed.setdefault(file, []).append((first, first + int(hunk["count"] or 1) - 1))
    return changed


def can_compare(root: Path) -> bool:
    """Tell whether git knows origin/main and the last commit but one; shallow clones do not."""
    try:
        for commit in ("origin/main", "HEAD~1"):
            output_of(root, "rev-parse", "-q", "--verify", commit)
    except subprocess.CalledProcessError:
        return False
    return True


def sources_of(build: Path, root: Path) -> dict[str, str]:
    """Return the sources of the core that are compiled, each with the header it begins with."""
    sources = {
        command.source.relative_to(root).as_posix(): check_headers.first_include(command.source)
        for command in check_headers.commands_of(build, root)
    }
    return {source: sources[source] for source in sorted(sources) if source.startswith(FOLDERS)}


def concerned(sources: dict[str, str], changed: Lines) -> list[str]:
    """Return the sources that changed, or whose header did."""
    return [source for source, header in sources.items() if {source, header} & changed.keys()]


def findings_in(source: str, commands: Path, root: Path, changed: Lines | None = None) -> str:
    """Return what clang-tidy finds in a source, and in its headers; in changed lines if given.

    Arguments:
        source: Its path from the root.
        commands: A folder with compile_commands.json, in which each source stands for itself.
        root: That of the repository.
        changed: Lines in which findings count; all if there is none.
    """
    command = ["clang-tidy", "-p", str(commands), "--quiet", source]
    command.append("--extra-arg=-Wno-unknown-warning-option")
    if changed is not None:
        lines = [{"name": file, "lines": runs} for file, runs in changed.items()]
        command.append(f"--line-filter={json.dumps(lines)}")
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)
    text = done.stdout.strip()
    return text or (done.stderr.strip() if done.returncode else "")


def check(
    sources: list[str], seconds: float, find: Callable[[str], str]
) -> tuple[list[str], list[str]]:
    """Return the findings in sources, and the sources that were not begun in time."""
    end = time.monotonic() + seconds
    left: list[str] = []

    def find_in_time(source: str) -> str:
        if time.monotonic() > end:
            left.append(source)
            return ""
        return find(source)

    with ThreadPoolExecutor(os.cpu_count()) as threads:
        return [text for text in threads.map(find_in_time, sources) if text], sorted(left)


def main(words: list[str] | None = None) -> int:
    """Check the repository this script is in."""
    parser = argparse.ArgumentParser(description="Run clang-tidy over what changed, or over all.")
    parser.add_argument("build", type=Path)
    parser.add_argument("--all", action="store_true", help="also what did not change")
    parser.add_argument("--since", help="commit to compare with")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no file later")
    options = parser.parse_args(words)
    root = Path(__file__).resolve().parents[1]
    build = options.build.resolve()
    sources = sources_of(build, root)
    if not options.all and not options.since and not can_compare(root):
        print("tidy: nothing to compare with, neither origin/main nor a commit before this one")
        return 0
    changed = None if options.all else changed_since(options.since or "origin/main", root)
    chosen = list(sources) if changed is None else concerned(sources, changed)
    with tempfile.TemporaryDirectory() as name:
        commands = Path(name)
        check_headers.write_commands(check_headers.commands_of(build, root), commands)
        findings, left = check(
            chosen, options.seconds, lambda source: findings_in(source, commands, root, changed)
        )
    print("\n".join(findings) or f"tidy: {len(chosen) - len(left)} files ok")
    if left:
        print(f"tidy: no time for {len(left)} files: {' '.join(left)}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
