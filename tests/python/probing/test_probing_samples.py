# SPDX-License-Identifier: Apache-2.0
"""Files of samples are read whole, in part, or refused with a reason."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from espalier.errors import FileError, FormatError
from espalier.probing import samples

if TYPE_CHECKING:
    from pathlib import Path


def _header(**changes: Any) -> dict[str, Any]:
    return {
        "kind": "header",
        "schema": "espalier-probe-samples",
        "version": 1,
        "num_ranks": 2,
        "mpi": {"vendor": "mpich", "version": "MPICH 4.0.2"},
        "clock_resolution_us": 0.02,
        "is_simulated": False,
        "ranks": [
            {
                "rank": rank,
                "host": "a",
                "node": 0,
                "cpus": "0-1",
                "bound": False,
                "online": 2,
                "environment": {"PMI_RANK": str(rank)},
            }
            for rank in range(2)
        ],
        **changes,
    }


def _result(**changes: Any) -> dict[str, Any]:
    times = {name: [1.0] for name in ("mean_us", "sd_us", "median_us", "low_us", "high_us")}
    return {
        "kind": "result",
        "test_index": 3,
        "set_index": 4,
        "test": "latency",
        "label": "scan",
        "pairs": [[0, 1]],
        "bytes": 8,
        "messages": 1,
        "repetitions": 10,
        "converged": True,
        "min_us": [0.5],
        "max_us": [2.0],
        "slowest": {"mean_us": 1.5, "sd_us": 0.1, "median_us": 1.4},
        **times,
        **changes,
    }


_END = {"kind": "end", "complete": False, "sets_left": 7}


def _text(*values: dict[str, Any]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def test_a_whole_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "samples.jsonl"
    path.write_text(_text(_header(), _result(), {**_END, "complete": True, "sets_left": 0}))
    found = samples.read(path)
    assert (found.header.vendor, found.header.num_ranks, found.complete) == ("mpich", 2, True)
    assert found.header.ranks[1].environment == {"PMI_RANK": "1"}
    (result,) = found.of_test("latency")
    assert (result.pairs, result.slowest_median_us, result.set_index) == (((0, 1),), 1.4, 4)
    assert not list(found.of_test("bandwidth"))


def test_what_cores_do_is_read_where_it_is_said() -> None:
    speed = {"combine_bytes_per_s": 2e9, "copy_bytes_per_s": 8e9}
    assert samples.parse(_text(_header(cores=speed)), "f").header.cores == speed
    assert samples.parse(_text(_header(cores=None)), "f").header.cores is None
    assert samples.parse(_text(_header()), "f").header.cores is None


def test_time_that_ran_out_is_told() -> None:
    found = samples.parse(_text(_header(), _result(), _END), "f")
    assert (found.complete, found.sets_left) == (False, 7)


def test_an_interrupted_file_keeps_its_whole_lines() -> None:
    text = _text(_header(), _result()) + json.dumps(_result())[:40]
    found = samples.parse(text, "f")
    assert len(found.results) == 1
    assert not found.complete


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "expected a header of espalier-probe-samples, got none"),
        ([_result()], "in line 1.*a result before the header"),
        ([_header(version=2)], "version 1 at most, got espalier-probe-samples 2"),
        ([_header(schema="espalier-samples")], "got espalier-samples 1"),
        ([_header(num_ranks=3)], "num_ranks is 3, ranks has 2 entries"),
        ([_header(), _result(pairs=[[0, 2]])], "in line 2.*rank 2 of 2"),
        ([_header(), _result(mean_us=[1.0, 2.0])], "one time for each of its pairs"),
        ([_header(), _result(slowest=3)], "expected a line of espalier-probe-samples in line 2"),
        ([{"kind": "header"}], "in line 1"),
    ],
)
def test_wrong_files_are_refused(values: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(FormatError, match=message):
        samples.parse(_text(*values), "f")


def test_a_line_that_is_not_json_is_shown() -> None:
    with pytest.raises(FormatError, match="in line 2, got 'mpirun: lost connection'"):
        samples.parse(_text(_header()) + "mpirun: lost connection\n", "f")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="expected a readable file"):
        samples.read(tmp_path / "none")
