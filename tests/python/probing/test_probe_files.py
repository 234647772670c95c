# SPDX-License-Identifier: Apache-2.0
"""The files of a probe: what one measured is not lost to the next one, nor to a slip."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from espalier.probing.outcome import Files
from espalier.probing.samples import read

_LAUNCH = ("--", "mpirun", "-n", "8")
_SAMPLES = Path("espalier-machine.json.samples.jsonl")


@pytest.fixture
def kept(fake, cli):  # noqa: ARG001 - the launcher
    """Samples of a good probe."""
    assert cli("probe", "--matrix-only", *_LAUNCH).code == 0
    return _SAMPLES.read_text()


@pytest.mark.parametrize(
    ("num_ranks", "variables"),
    [
        (1, {"FAKE_RANKS": "1"}),
        (8, {"FAKE_STOPS_AFTER": "0", "FAKE_PROBE_EXIT": "9"}),
        (8, {"FAKE_LAUNCHER_FAILS": "1"}),
    ],
)
def test_a_probe_that_measures_nothing_leaves_earlier_samples(
    cli, told, kept, num_ranks, variables
):
    told(**variables)
    assert cli("probe", "--", "mpirun", "-n", num_ranks).code != 0
    assert _SAMPLES.read_text() == kept


def test_a_probe_that_measures_replaces_earlier_samples(cli, told, kept):
    told(FAKE_STOPS_AFTER="5", FAKE_PROBE_EXIT="9")
    assert cli("probe", *_LAUNCH).code == 1
    assert len(read(_SAMPLES).results) == 5
    assert json.loads(_SAMPLES.read_text().splitlines()[0])["kind"] == "header"
    assert _SAMPLES.read_text() != kept


def test_samples_are_not_replaced_by_what_they_say(cli, kept):
    Path("link").symlink_to(_SAMPLES)
    for option, path in (("-o", _SAMPLES), ("--matrix", _SAMPLES), ("-o", "link")):
        refused = cli("probe", "--from", f"./{_SAMPLES}", option, path)
        assert refused.code == 2
        assert f"got --from {_SAMPLES} and {option} {path}" in refused.err
        assert f"choose another with {option}" in refused.err
        assert _SAMPLES.read_text() == kept


@pytest.mark.parametrize("matrix", ["m.json", "./m.json", "m.json.samples.jsonl", "link"])
def test_a_file_is_for_one_option(cli, fake, told, matrix):  # noqa: ARG001 - the launcher
    told(FAKE_LAUNCHER_FAILS="1")
    Path("link").symlink_to("m.json")
    refused = cli("probe", "-o", "m.json", "--matrix", matrix, *_LAUNCH)
    assert refused.code == 2
    assert "expected another file for each option, got " in refused.err


def test_a_device_is_for_any_number_of_options():
    Files(Path("/dev/null"), Path("/dev/null")).check()


@pytest.mark.parametrize(
    "words",
    [
        ("--matrix-only",),
        ("--time-budget", "3s"),
        ("--all-pairs",),
        ("--sample", 2),
        ("--bytes", 8),
        ("--spread", 0.1),
        ("--seed", 2),
        ("--mpi", "mpich"),
    ],
)
def test_samples_that_are_kept_are_not_measured_again(cli, kept, words):
    refused = cli("probe", "--from", _SAMPLES, *words)
    assert refused.code == 2
    assert f"expected --from without {words[0]}, which says how to measure" in refused.err
    assert _SAMPLES.read_text() == kept


def test_no_machine_file_of_the_matrix_alone_is_said(cli, fake):  # noqa: ARG001 - the launcher
    result = cli("probe", "--matrix-only", "-o", "m.json", *_LAUNCH)
    assert result.code == 0
    assert "note: --matrix-only measures no links, so m.json is not written" in result.err
    assert "kept in m.json.samples.jsonl" in result.err
    assert not Path("m.json").exists()
    assert "note" not in cli("probe", "--matrix-only", *_LAUNCH).err
