# SPDX-License-Identifier: Apache-2.0
"""Rules for persistent calls: before those for nonblocking ones, and with agreed sizes."""

from __future__ import annotations

import json

import pytest
from profile_makers import profile, rule, write

from espalier.base import calls
from espalier.errors import ArgumentError, FormatError
from espalier.io import documents
from espalier.launch import preload
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape


def made(call, choice, low=0, high=None):
    return rule(choice, low, high, call=call, gain=(2, 1.5))


def chosen(path, call, size=100):
    (found,) = profiles.read(path).decide(call, Shape(4, 1), [size])
    return found["algorithm"]


@pytest.fixture
def all_forms(tmp_path):
    """A profile with rules for all forms of an alltoallv, of which one has sizes."""
    return write(
        tmp_path / "all.json",
        profile(
            made("alltoallv", "alltoall/linear"),
            made("ialltoallv", "alltoall/pairwise"),
            made("alltoallv_init", "alltoall/bruck", 100, 199),
            made("alltoallv_init", "native", 200, 299),
        ),
    )


def test_a_call_follows_rules_for_the_forms_before_its_own(all_forms):
    documents.parse(all_forms.read_text(), "p", "espalier-profile", 1)
    assert chosen(all_forms, "alltoallv_init", 99) == "alltoall/pairwise"
    assert chosen(all_forms, "alltoallv_init", 100) == "alltoall/bruck"
    assert chosen(all_forms, "alltoallv_init", 200) == "native"
    assert chosen(all_forms, "ialltoallv", 100) == "alltoall/pairwise"
    assert chosen(all_forms, "alltoallv", 100) == "alltoall/linear"
    assert calls.followed("scan_init") == ("scan_init", "iscan", "scan")
    assert calls.followed("iscan") == ("iscan", "scan")
    assert calls.followed("scan") == ("scan",)


@pytest.mark.parametrize("call", ["alltoallv", "ialltoallv"])
def test_only_persistent_calls_have_sizes_and_forward_blocks(tmp_path, call):
    for one in (made(call, "alltoall/bruck"), made(call, "alltoall/linear", 0, 10)):
        with pytest.raises(FormatError):
            profiles.read(write(tmp_path / "p.json", profile(one)))


def test_show_explain_and_merge_know_them(cli, all_forms, tmp_path):
    other = write(tmp_path / "other.json", profile(rule("bcast/flat", gain=(2, 1.5))))
    merged = tmp_path / "merged.json"
    for words in (
        ("profile", "show", all_forms),
        ("profile", "diff", all_forms, other),
        ("profile", "merge", all_forms, other, "-o", merged),
        ("explain", all_forms),
    ):
        result = cli(*words, "--json")
        assert result.code == 0, result.err
        document = result.document()
        documents.parse(json.dumps(document), "d", document["schema"], 1)
        assert "alltoallv_init" in result.out
    assert chosen(merged, "alltoallv_init") == "alltoall/bruck"
    words = ("--collective", "alltoallv_init", "--bytes", "150", "--json")
    asked = cli("explain", all_forms, *words).document()
    assert [one["rule"] for one in asked["decisions"]] == [2]


def test_an_export_leaves_them_out(cli, all_forms, tmp_path):
    result = cli(
        *("profile", "export", all_forms, "--for", "openmpi", "-o", tmp_path / "rules", "--json")
    )
    assert result.code == 0, result.err
    left = {one["collective"]: one["reason"] for one in result.document()["left_out"]}
    assert "are for blocking calls" in left["alltoallv_init"]


def test_they_can_be_forced_and_not_tuned(cli):
    assert preload.parse_force(["alltoallv_init=bruck"]) == "alltoallv_init=bruck"
    with pytest.raises(ArgumentError, match="'neighbor_alltoall_init=direct'"):
        preload.parse_force(["neighbor_alltoall_init=direct"])
    result = cli("tune", "--collectives", "alltoallv_init", "--", "mpirun", "-n", "2")
    assert result.code != 0
    assert "alltoallv_init" in result.err
