# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

import mpi_matrix
from mpi_members import BUILD


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("", "nothing printed"),
        ("-----\n", "nothing printed"),
        ("first\nlast\n=====\n", "last"),
        ("=  an application ended\n", "an application ended"),
        ("begins\nFatal error in MPI_Init\nends\n", "Fatal error in MPI_Init"),
        (f"{BUILD}/bin/program: symbol lookup error", "bin/program: symbol lookup error"),
    ],
)
def test_the_line_with_the_reason_is_found(output: str, line: str) -> None:
    assert mpi_matrix.telling_line(output) == line


def test_a_long_line_ends_after_a_word() -> None:
    line = mpi_matrix.telling_line("word " * 100)
    assert line.endswith("word ...")
    assert len(line) <= 115
