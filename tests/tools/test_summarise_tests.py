# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import summarise_tests

OF_CTEST = """<?xml version="1.0"?>
<testsuite name="Linux" tests="4" failures="1" disabled="1" skipped="1">
  <testcase name="unit.sorts" classname="unit.sorts" time="0.1" status="run">
    <system-out>fine</system-out>
  </testcase>
  <testcase name="mpi.hangs" classname="mpi.hangs" time="300.02" status="fail">
    <failure message=""/>
    <system-out>
first line
last line
</system-out>
  </testcase>
  <testcase name="unit.left" classname="unit.left" time="0" status="notrun">
    <skipped message="SKIP_RETURN_CODE=77"/>
  </testcase>
  <testcase name="unit.off" classname="unit.off" time="0" status="disabled"/>
</testsuite>
"""

OF_PYTEST = """<?xml version="1.0"?>
<testsuites><testsuite name="pytest" tests="2" failures="0" errors="1">
  <testcase classname="tests.tools.test_a" name="test_b" time="0.5"/>
  <testcase classname="tests.tools.test_a" name="test_c" time="0.5">
    <error message="no fixture">fixture 'd' not found</error>
  </testcase>
</testsuite></testsuites>
"""


def results(folder: Path) -> Path:
    (folder / "release.xml").write_text(OF_CTEST)
    (folder / "python.xml").write_text(OF_PYTEST)
    (folder / "release-configure.log").write_text("no results")
    return folder


def test_all_stages_are_counted(tmp_path: Path) -> None:
    summary = summarise_tests.summarise(results(tmp_path))
    assert summary.counts() == "2 passed, 2 failed, 2 skipped"


def test_a_failed_test_says_when_and_what_it_printed_last(tmp_path: Path) -> None:
    summary = summarise_tests.summarise(results(tmp_path))
    assert [test.report() for test in summary.failed] == [
        "FAILED python: tests.tools.test_a.test_c after 0 s\n    fixture 'd' not found",
        "FAILED release: mpi.hangs after 300 s\n    first line\n    last line",
    ]


def test_a_long_output_is_cut_to_its_end() -> None:
    output = "\n".join(str(i) for i in range(1000))
    lines = summarise_tests.FailedTest("asan", "talks", 1, output).report().splitlines()
    assert len(lines) == 1 + summarise_tests.MOST_LINES
    assert lines[-1].strip() == "999"


def test_results_of_an_ended_stage_count_as_failed(tmp_path: Path) -> None:
    (tmp_path / "asan.xml").write_text(OF_CTEST[:200])
    summary = summarise_tests.summarise(tmp_path)
    assert summary.counts() == "0 passed, 1 failed, 0 skipped"
    assert "asan.xml" in summary.failed[0].report()


def test_only_the_counts_are_on_stdout(tmp_path: Path) -> None:
    tool = Path(summarise_tests.__file__)
    command = [sys.executable, str(tool), str(results(tmp_path))]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout == "2 passed, 2 failed, 2 skipped\n"
    assert "mpi.hangs after 300 s" in run.stderr
