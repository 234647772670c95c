# SPDX-License-Identifier: Apache-2.0
"""Check that numbers which texts quote are those that our commands print.

EXAMPLES is the table: a command, and the texts that quote it. A text has to stand in its file as it
is here, whatever its lines and marks of Markdown, and its numbers have to be among those of the
lines that the command prints, or of the command itself. A `mark` is a number that belongs to an
example: no other file may have it. The commands need the built module.

Usage: check_quotes.py. Prints one line per problem; exit code 1 if there is any.
"""

from __future__ import annotations

import dataclasses
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

FOLDERS = ("docs", "espalier", "examples", "include", "python", "shim")
SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".md", ".py"}
NUMBER = re.compile(r"\d+(?:[./]\d+)*")
# What C++ and Markdown add to the words of a text.
BOLD = re.compile(r"\*\*")
SLASHES = re.compile(r"^\s*///", re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Quote:
    """A text in a file, and what the lines have in which a command prints its numbers."""

    file: str
    text: str
    line: str = ""


@dataclasses.dataclass(frozen=True)
class Example:
    """A command of ours, without `espalier`, and the texts that quote what it prints."""

    command: str
    quotes: tuple[Quote, ...]
    mark: str = ""


_SUMMARY = "inter-node neighbours"
_WALKS = "docs/explanation/mapping/walks.md"
_PORTFOLIO = "docs/explanation/mapping/portfolio.md"
_EXAMPLE_LINE = "50x48 on 50 nodes: inter-node neighbours 4704 -> 1232, worst node 96 -> 28"
_DRAWING = (
    "0a 0a 0a 1a 1a 1a",
    "0b 0b 0b 1b 1b 1b",
    "2a 2a 2a 3a 3a 3a",
    "2b 2b 2b 3b 3b 3b",
)

EXAMPLES = (
    Example(
        "map --grid 50x48 --machine '50n x 48c'",
        (
            Quote(
                "README.md",
                "A 50 x 48 grid on 50 nodes of 48 cores sends 4704 messages between nodes as MPI "
                "numbers it, and 1232 when mapped; the worst node sends 96 and then 28.",
                _SUMMARY,
            ),
            Quote(
                "docs/explanation/mapping/README.md",
                "50 nodes of 48 cores in a grid of 50 x 48 send 4704 messages to other nodes "
                "before and 1232 after, and the worst node sends 28 instead of 96.",
                _SUMMARY,
            ),
            Quote("docs/explanation/mapping/transparent.md", _EXAMPLE_LINE, _SUMMARY),
            Quote("espalier/plan/topologies/mapping_report.hpp", _EXAMPLE_LINE, _SUMMARY),
            Quote("espalier/plan/topologies/cartesian.hpp", _EXAMPLE_LINE, _SUMMARY),
            Quote(
                "espalier/mapping/search/portfolio.hpp",
                "inter-node neighbours 4704 -> 1232, worst node 96 -> 28",
                _SUMMARY,
            ),
            Quote(_WALKS, "4704/96 | 2404/50 | 1236/32 | 1252/28 | 1732/46 | 1540/44 |"),
            Quote(
                _PORTFOLIO,
                "4704/96 | 2404/50 | - | 2404/50 | 1236/32 | 1252/28 | 1732/46 | 1540/44 | 3644/97 "
                "| 1290/38 | 1348/34 | 1320/34 | 1232/28 |",
            ),
        ),
        mark="4704",
    ),
    Example(
        "map --grid 64x64 --machine '128n x 32c'",
        (
            Quote(_WALKS, "8192/65 | 2816/24 | 2816/24 | 2824/26 | 2816/24 | 2816/24 |"),
            Quote(
                _PORTFOLIO,
                "8192/65 | 2816/24 | - | 2816/24 | 2816/24 | 2824/26 | 2816/24 | 2816/24 | 8192/65 "
                "| 3444/54 | 2944/28 | 2888/28 | 2816/24 |",
            ),
        ),
    ),
    Example(
        "map --grid 16x16x12 --machine '64n x 48c'",
        (
            Quote(_WALKS, "6912/120 | 3840/80 | 3840/80 | 3840/80 | 3840/80 | 4448/96 |"),
            Quote(
                _PORTFOLIO,
                "6912/120 | 3840/80 | - | 3840/80 | 3840/80 | 3840/80 | 3840/80 | 4448/96 "
                "| 6912/120 | 3840/80 | 4234/98 | 4460/102 | 3840/80 |",
            ),
        ),
    ),
    Example(
        "map --grid 8x6 --machine '4n x 2s x 6c'",
        (
            Quote(
                "README.md",
                "as MPI numbers it: 36 messages leave a node        mapped by Espalier: 28",
                _SUMMARY,
            ),
            Quote(
                "docs/explanation/mapping/README.md",
                "before: 36 messages between nodes      after: 28",
                _SUMMARY,
            ),
            *(
                Quote(file, row, row)
                for file in ("README.md", "docs/explanation/mapping/README.md")
                for row in _DRAWING
            ),
        ),
    ),
    Example(
        "show allgather/sparbit -p 5",
        tuple(
            Quote("README.md", row, row)
            for row in (
                "blocks held, p = 5     rank 0   rank 1   rank 2   rank 3   rank 4",
                "start                  0        1        2        3        4",
                "after round 0          01       12       23       34       04",
                "after round 1          013      124      023      134      024",
                "after round 2          01234    01234    01234    01234    01234",
            )
        ),
    ),
)


def words_of(text: str) -> str:
    """Return a text with single blanks, without marks."""
    return " ".join(SLASHES.sub(" ", BOLD.sub("", text)).split())


def numbers_in(text: str) -> set[str]:
    """Return the numbers of a text; a pair such as 96/28 is one."""
    return set(NUMBER.findall(words_of(text)))


def problems_of_quote(quote: Quote, example: Example, printed: str, root: Path) -> Iterable[str]:
    """Yield a line for each thing that is wrong with a quote."""
    file = root / quote.file
    if not file.is_file() or words_of(quote.text) not in words_of(file.read_text(encoding="utf-8")):
        yield f"{quote.file}: expected the text '{words_of(quote.text)}' of tools/check_quotes.py"
    wanted = words_of(quote.line)
    lines = [line for line in printed.splitlines() if wanted in words_of(line)]
    known = numbers_in("\n".join([example.command, *lines]))
    if not lines:
        yield f"{quote.file}: expected `espalier {example.command}` to print '{wanted}'"
    for number in sorted(numbers_in(quote.text) - known):
        yield f"{quote.file}: quotes {number}, which `espalier {example.command}` does not print"


def others_with_mark(example: Example, root: Path) -> Iterable[str]:
    """Yield a line for each file that has the mark of an example and is not in the table."""
    named = {quote.file for quote in example.quotes}
    mark = re.compile(rf"(?<![\w.]){example.mark}(?![\w.])")
    files = [file for folder in FOLDERS for file in (root / folder).rglob("*")]
    for file in sorted([*files, *root.glob("*.md")]):
        place = file.relative_to(root).as_posix()
        if file.suffix in SUFFIXES and place not in named and file.is_file():
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                if mark.search(line):
                    yield (
                        f"{place}:{number}: {example.mark} belongs to `espalier "
                        f"{example.command}`; expected a row in tools/check_quotes.py"
                    )


def check(
    root: Path, run: Callable[[str], str], examples: Iterable[Example] = EXAMPLES
) -> list[str]:
    """Return a line for each quote that is wrong; `run` returns what a command prints."""
    problems: list[str] = []
    for example in examples:
        printed = run(example.command)
        for quote in example.quotes:
            problems += problems_of_quote(quote, example, printed, root)
        if example.mark:
            problems += others_with_mark(example, root)
    return problems


def main() -> int:
    """Check the repository this script is in."""
    root = Path(__file__).resolve().parents[1]

    def run(command: str) -> str:
        words = [str(root / "bin" / "espalier"), *shlex.split(command)]
        return subprocess.run(words, stdout=subprocess.PIPE, text=True, check=True).stdout

    problems = check(root, run)
    print("\n".join(problems) or "quotes: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
