# SPDX-License-Identifier: Apache-2.0
"""Files with round-trip times: they come back, and what is wrong with them is said."""

from __future__ import annotations

import json

import numpy as np
import pytest

from espalier.errors import FileError, FormatError
from espalier.probing import matrix_file

_HEAD = '{"schema": "espalier-rtt-matrix", "version": 1, "bytes": 1'
_NAN = float("nan")
_TIMES = [[0.0, 32.74, _NAN], [32.37, 0.0, 1 / 3], [30.6, 33.5, 0.0]]
_NAMES = ("0 a,b", '1 "x"', "2")


@pytest.mark.parametrize("name", ["rtt.csv", "rtt.json", "rtt"])
@pytest.mark.parametrize(
    ("labels", "num_bytes"), [(_NAMES, 16384), ((), None), (("7", "8", "9"), 1)]
)
def test_what_is_written_comes_back(tmp_path, name, labels, num_bytes):
    matrix = matrix_file.make(_TIMES, labels, num_bytes)
    matrix_file.write(matrix, tmp_path / name)
    found = matrix_file.read(tmp_path / name)
    assert found.labels == (labels or ("0", "1", "2"))
    assert found.num_bytes == num_bytes
    np.testing.assert_array_equal(found.rtt_us, np.array(_TIMES))
    assert found.holes() == [(0, 2)]


@pytest.mark.parametrize(
    "text",
    [
        "0,2,3\n4,0,5\n6,7,0\n",
        ",2,3\n4,,5\n6,7,\n",
        "# a comment\n\n ,a,b,c\na,0,2,3\nb,4,0,5\nc,6,7,0\n",
        ",0,1,2\n0,,2,3\n1,4,,5\n2,6,7,\n",
        _HEAD + ', "rtt_us": [[null,2,3],[4,0,5],[6,7,0]]}',
    ],
)
def test_other_spellings(tmp_path, text):
    (tmp_path / "m").write_text(text)
    found = matrix_file.read(tmp_path / "m", allow_holes=False)
    np.testing.assert_array_equal(found.rtt_us, [[0, 2, 3], [4, 0, 5], [6, 7, 0]])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "expected rows of one length, got none"),
        ("0,1\n2\n", "expected rows of one length, got 1, 2"),
        ("0,1,2\n3,0,4\n", "expected as many rows as columns, got 2 x 3"),
        ("0,0\n1,0\n", "got 0 from 0 to 1 (1 such)"),
        ("0,-2\n-1,0\n", "got -2 from 0 to 1 (2 such)"),
        ("0,inf\n1,0\n", "got inf from 0 to 1"),
        ("0,nan\n1,0\n", "row 0, got 'nan'; leave the cell empty"),
        ("3,1\n1,0\n", "rank 0 has 3"),
        (",a,b\na,0,x\nb,1,0\n", "expected a time in us in row 0, got 'x'"),
        (",a,b\nb,0,1\na,1,0\n", "expected the same labels"),
        (",a,a\na,0,1\na,1,0\n", "got 'a' for several"),
        ("# espalier-rtt-matrix 2\n0,1\n1,0\n", "expected version 1 at most, got 2"),
        ("0,\n1,0\n", "1 of 2 are missing, the first from 0 to 1"),
        ("{", "expected JSON"),
        ('{"schema": "espalier-rtt-matrix", "version": 1, "rtt_us": [[0]]}', "bytes"),
        ('{"schema": "espalier-rtt-matrix", "version": 1, "bytes": 1, "rtt_us": [["a"]]}', "'a'"),
        (
            _HEAD + ', "labels": ["a", "b"], "rtt_us": [[0]]}',
            "expected 1 labels, got 2",
        ),
    ],
)
def test_one_clear_line_for_what_is_wrong(tmp_path, text, expected):
    (tmp_path / "m").write_text(text)
    with pytest.raises(FormatError) as error:
        matrix_file.read(tmp_path / "m", allow_holes=False)
    assert expected in str(error.value)
    assert "\n" not in str(error.value)


def test_a_json_file_says_what_it_is(tmp_path):
    matrix_file.write(matrix_file.make(_TIMES, _NAMES, 16384), tmp_path / "m.json")
    value = json.loads((tmp_path / "m.json").read_text())
    assert (value["schema"], value["version"]) == ("espalier-rtt-matrix", 1)
    assert value["rtt_us"][0] == [0.0, 32.74, None]


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(FileError, match="expected to write the matrix"):
        matrix_file.write(matrix_file.make([[0]]), tmp_path / "none" / "m.csv")
