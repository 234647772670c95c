# SPDX-License-Identifier: Apache-2.0
"""Summarise the tests of all stages.

Usage: summarise_tests.py FOLDER with the results of each stage as `<stage>.xml`, in the format of
JUnit, as ctest and pytest write them. Prints which tests failed, after how long, and the end of
what they printed, on stderr; the counts on stdout.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

MOST_LINES = 30


@dataclass(frozen=True)
class FailedTest:
    """A test that failed or could not run."""

    stage: str
    name: str
    seconds: float
    output: str

    def report(self) -> str:
        """Return its name and time, and the last lines of its output below."""
        lines = [line for line in self.output.splitlines() if line.strip()]
        head = f"FAILED {self.stage}: {self.name} after {self.seconds:.0f} s"
        return "\n".join([head, *(f"    {line}" for line in lines[-MOST_LINES:])])


@dataclass(frozen=True)
class Summary:
    """What the tests of all stages came to."""

    num_passed: int
    num_skipped: int
    failed: list[FailedTest]

    def counts(self) -> str:
        """Return one line."""
        return f"{self.num_passed} passed, {len(self.failed)} failed, {self.num_skipped} skipped"


def output_of(case: ElementTree.Element) -> str:
    """Return what a test printed: ctest has it in system-out, pytest in the failure."""
    elements = [case.find(tag) for tag in ("failure", "error", "system-out", "system-err")]
    return "\n".join(
        element.text for element in elements if element is not None and element.text is not None
    )


def full_name(case: ElementTree.Element) -> str:
    """Return the name of a test, behind that of its file where there is one."""
    name = case.get("name", "")
    file = case.get("classname", name)
    return name if file == name else f"{file}.{name}"


def failed_test(stage: str, case: ElementTree.Element) -> FailedTest | None:
    """Return the test if it failed."""
    if case.find("failure") is None and case.find("error") is None:
        return None
    return FailedTest(stage, full_name(case), float(case.get("time", 0)), output_of(case))


def is_skipped(case: ElementTree.Element) -> bool:
    """Return whether a test was left out; ctest disables some, too."""
    return case.find("skipped") is not None or case.get("status") == "disabled"


def summarise(folder: Path) -> Summary:
    """Return what all results in a folder come to. A file that is not complete counts as failed."""
    failed = []
    num_passed = num_skipped = 0
    for path in sorted(folder.glob("*.xml")):
        try:
            cases = ElementTree.parse(path).iter("testcase")  # noqa: S314, our own tests wrote it
        except ElementTree.ParseError as error:
            failed.append(FailedTest(path.stem, path.name, 0, f"not complete: {error}"))
            continue
        for case in cases:
            failure = failed_test(path.stem, case)
            if failure is not None:
                failed.append(failure)
            elif is_skipped(case):
                num_skipped += 1
            else:
                num_passed += 1
    return Summary(num_passed, num_skipped, failed)


def main() -> int:
    """Summarise the folder given as argument."""
    if len(sys.argv) != 2:
        print("usage: summarise_tests.py FOLDER", file=sys.stderr)
        return 2
    summary = summarise(Path(sys.argv[1]))
    for test in summary.failed:
        print(test.report(), file=sys.stderr)
    print(summary.counts())
    return 0


if __name__ == "__main__":
    sys.exit(main())
