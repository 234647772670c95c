# SPDX-License-Identifier: Apache-2.0
"""Check the subjects of commits: `layer: imperative, what changes`.

Usage: check_subjects.py RANGE, as `git log` takes it, such as origin/main..HEAD. Prints one line
per problem; exit code 1 if there is any. Merges have the subjects that git gives them.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from repository import output_of

MOST_COLUMNS = 72
FORM = re.compile(r"[a-z][a-z_/-]*(, [a-z][a-z_/-]*)*: [a-z]\S*( .*)?[^.\s]")
# A subject says what applying the commit does: add, not added or adds.
INFLECTED = re.compile(r": (\w+ed|\w+ing|\w+[^s]s) ")


def problem_of(subject: str) -> str:
    """Return what is wrong with a subject, "" if nothing is."""
    if not FORM.fullmatch(subject):
        return "expected 'layer: imperative, what changes' in small letters without a full stop"
    if len(subject) > MOST_COLUMNS:
        return f"expected at most {MOST_COLUMNS} columns, got {len(subject)}"
    match = INFLECTED.search(subject)
    return f"expected an imperative such as 'add', got '{match[1]}'" if match else ""


def check(subjects: list[str]) -> list[str]:
    """Return a line for each subject that is wrong."""
    problems = ((subject, problem_of(subject)) for subject in subjects)
    return [f"'{subject}': {problem}" for subject, problem in problems if problem]


def subjects_of(commits: str, root: Path) -> list[str]:
    """Return the subjects of a range of commits, without merges.

    Raises:
        subprocess.CalledProcessError: git does not know the range.
    """
    return output_of(root, "log", "--no-merges", "--format=%s", commits).splitlines()


def main() -> int:
    """Check the range given as argument."""
    if len(sys.argv) != 2:
        print("usage: check_subjects.py RANGE, such as origin/main..HEAD", file=sys.stderr)
        return 2
    subjects = subjects_of(sys.argv[1], Path(__file__).parents[1])
    problems = check(subjects)
    print("\n".join(problems) or f"subjects: {len(subjects)} ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
