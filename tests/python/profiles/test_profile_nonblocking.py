# SPDX-License-Identifier: Apache-2.0
"""Rules for nonblocking calls: beside those for blocking calls, and before them."""

from __future__ import annotations

import json

import pytest
from profile_makers import profile, rule, write

from espalier.errors import ArgumentError, FormatError
from espalier.io import documents
from espalier.launch import preload
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape


def started(choice, low=0, high=None, **facts):
    call = f"i{facts.pop('call', choice.partition('/')[0])}"
    return rule(choice, low, high, call=call, gain=(2, 1.5), **facts)


def chosen(path, call, size=100):
    (found,) = profiles.read(path).decide(call, Shape(4, 1), [size])
    return found["algorithm"]


@pytest.fixture
def both(tmp_path):
    """A profile with rules for both forms of a bcast; the native one is for nonblocking calls."""
    return write(
        tmp_path / "both.json",
        profile(
            rule("bcast/flat", gain=(2, 1.5)),
            started("bcast/chain", 100, 199),
            started("native", 200, 299, call="bcast"),
        ),
    )


def test_a_rule_of_its_own_comes_first_and_those_of_blocking_calls_after_it(both):
    documents.parse(both.read_text(), "p", "espalier-profile", 1)
    assert chosen(both, "ibcast", 99) == "bcast/flat"
    assert chosen(both, "ibcast", 100) == "bcast/chain"
    assert chosen(both, "ibcast", 200) == "native"
    assert chosen(both, "ibcast", 300) == "bcast/flat"
    assert chosen(both, "bcast", 100) == "bcast/flat"


def test_blocking_calls_do_not_follow_rules_for_nonblocking_ones(tmp_path):
    path = write(tmp_path / "p.json", profile(started("bcast/chain")))
    assert chosen(path, "ibcast") == "bcast/chain"
    assert chosen(path, "bcast") == "native"
    assert profiles.read(path).shapes("bcast") == []


@pytest.mark.parametrize("choice", ["bcast/native[algorithm=chain]", "bcast/binomial[k=0]"])
def test_what_the_library_runs_alone_cannot_be_started(tmp_path, choice):
    with pytest.raises(FormatError, match=r"rules\[0\]: algorithm: expected"):
        profiles.read(write(tmp_path / "p.json", profile(started(choice))))


def test_show_diff_and_check_know_them(cli, both, tmp_path):
    other = write(tmp_path / "other.json", profile(rule("bcast/flat", gain=(2, 1.5))))
    for words in (("show", both), ("diff", both, other)):
        result = cli("profile", *words, "--json")
        assert result.code == 0, result.err
        document = result.document()
        documents.parse(json.dumps(document), "d", document["schema"], 1)
        assert "ibcast" in cli("profile", *words).out
    differences = cli("profile", "diff", both, other, "--json").document()["differences"]
    assert {one["collective"] for one in differences} == {"ibcast"}
    assert cli("profile", "check", both, "--elsewhere").code == 0


def test_merging_keeps_both_forms(cli, tmp_path):
    paths = [
        write(tmp_path / "a.json", profile(rule("bcast/flat", gain=(2, 1.5)))),
        write(tmp_path / "b.json", profile(started("bcast/chain"))),
    ]
    result = cli("profile", "merge", *paths, "-o", tmp_path / "out.json", "--json")
    assert result.code == 0, result.err
    documents.parse(json.dumps(result.document()), "d", "espalier-profile-merge", 1)
    assert chosen(tmp_path / "out.json", "bcast") == "bcast/flat"
    assert chosen(tmp_path / "out.json", "ibcast") == "bcast/chain"


def test_explain_tells_what_a_nonblocking_call_follows(cli, both):
    result = cli("explain", both, "--json")
    assert result.code == 0, result.err
    documents.parse(result.out, "d", "espalier-profile-explanation", 1)
    rows = [
        (one["collective"], one["min_bytes"], one["algorithm"])
        for one in result.document()["decisions"]
    ]
    assert rows == [
        ("bcast", 0, "bcast/flat"),
        ("ibcast", 0, "bcast/flat"),
        ("ibcast", 100, "bcast/chain"),
        ("ibcast", 200, "native"),
        ("ibcast", 300, "bcast/flat"),
    ]
    asked = cli("explain", both, "--collective", "ibcast", "--bytes", "150", "--json").document()
    assert [one["rule"] for one in asked["decisions"]] == [1]
    assert [one["model"] for one in asked["evidence"]] == [None]


def test_an_export_leaves_them_out_and_says_why(cli, both, tmp_path):
    command = ("profile", "export", both, "--for", "openmpi", "-o", tmp_path / "rules", "--json")
    result = cli(*command)
    assert result.code == 0, result.err
    document = result.document()
    documents.parse(json.dumps(document), "d", "espalier-profile-export", 1)
    assert [one["collective"] for one in document["exported"]] == ["bcast"]
    (left,) = document["left_out"]
    assert (left["collective"], left["algorithm"]) == ("ibcast", "bcast/chain")
    assert "are for blocking calls" in left["reason"]


def test_they_can_be_forced():
    assert preload.parse_force(["iallgather=ring", "ibcast=native"]) == (
        "iallgather=ring;ibcast=native"
    )
    with pytest.raises(ArgumentError, match="'jallgather=ring'"):
        preload.parse_force(["jallgather=ring"])
