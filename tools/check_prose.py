# SPDX-License-Identifier: Apache-2.0
"""Check that lines of the Markdown files have at most 120 columns.

Rows of tables, blocks of code between fences, and lines that hold nothing but a link may be longer,
since Markdown cannot break them. Files that programs write are not checked: `.gitattributes` marks
them as `linguist-generated`. Neither are fragments of the changelog, where a line is an entry, nor
the templates that generated pages are filled from.

Usage: check_prose.py [root]. Prints one line per problem; exit code 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from repository import output_of, pages_of

MAX_COLUMNS = 120
FENCE = re.compile(r"^\s*```")
TABLE_ROW = re.compile(r"^\s*\|")
LINK_ONLY = re.compile(r"^\s*(?:[-*] )?(?:!?\[[^\]]*\]\(\S+\)|\[[^\]]+\]: \S+|<\S+>)[.,;]?$")
NOT_CHECKED = re.compile(r"^changelog\.d/|^benchmarks/(?:.*/)?page\.md$")


def generated(root: Path, pages: list[str]) -> set[str]:
    """Return the pages that `.gitattributes` marks as written by programs."""
    lines = output_of(root, "check-attr", "linguist-generated", "--", *pages).splitlines()
    marks = (line.rsplit(": ", maxsplit=2) for line in lines)
    return {page for page, _, value in marks if value in {"set", "true"}}


def is_unbreakable(line: str) -> bool:
    """Tell whether Markdown offers no way to break a line."""
    return bool(TABLE_ROW.match(line) or LINK_ONLY.match(line))


def long_lines(text: str) -> list[tuple[int, int]]:
    """Return the number and the columns of each line of a text that is too long."""
    found = []
    is_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if FENCE.match(line):
            is_code = not is_code
        elif len(line) > MAX_COLUMNS and not is_code and not is_unbreakable(line):
            found.append((number, len(line)))
    return found


def check(root: Path) -> list[str]:
    """Return a line for each problem below a root."""
    pages = [page for page in pages_of(root) if not NOT_CHECKED.match(page)]
    by_programs = generated(root, pages) if pages else set()
    return [
        f"{page}:{number}: expected at most {MAX_COLUMNS} columns, got {columns}; break the line"
        for page in pages
        if page not in by_programs
        for number, columns in long_lines((root / page).read_text(encoding="utf-8"))
    ]


def main() -> int:
    """Check the tree given as argument, by default the one this script is in."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    problems = check(root)
    print("\n".join(problems) or "prose: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
