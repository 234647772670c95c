# SPDX-License-Identifier: Apache-2.0
"""Rules for one placement of ranks on nodes are kept apart from those for another one."""

from __future__ import annotations

import json

import pytest
from profile_makers import profile, rule, trials, write

from espalier import _core
from espalier.errors import FormatError
from espalier.io import documents
from espalier.profiles import profiles
from espalier.profiles.profiles import Shape
from espalier.sampling.setting import Setting, class_of_placement

CYCLIC = {"placement": "cyclic"}


def placed(choice, placement="", **facts):
    more = {"placement": placement} if placement else {}
    return {**rule(choice, ranks=8, nodes=2, gain=(2, 1.5), **facts), **more}


def chosen(path, placement):
    found = profiles.read(path).decide("bcast", Shape(8, 2, placement), [100])
    return found[0]["algorithm"], found[0]["borrowed"]


def test_ranks_on_nodes_have_a_placement():
    assert _core.placement_of([0, 0, 1, 1]) == "block"
    assert _core.placement_of([0, 1, 0, 1]) == "cyclic"
    assert _core.placement_of([0, 1, 1, 0]) == "other"
    assert _core.placement_of([0, 1]) == _core.placement_of([0, 0]) == _core.placement_of([]) == ""
    assert class_of_placement(Setting("2n x 4c", "block", 8)) == "block"
    assert class_of_placement(Setting("2n x 4c", "cyclic", 8)) == "cyclic"
    assert class_of_placement(Setting("1n x 4c", "cyclic", 4)) == ""


def test_a_rule_serves_its_placement_and_old_ones_serve_all(tmp_path):
    path = write(
        tmp_path / "p.json", profile(placed("bcast/flat"), placed("bcast/chain", "cyclic"))
    )
    documents.parse(path.read_text(), "p", "espalier-profile", 1)
    assert chosen(path, "block") == ("bcast/flat", False)
    assert chosen(path, "cyclic") == ("bcast/chain", False)
    path = write(tmp_path / "p.json", profile(placed("bcast/chain", "cyclic")))
    assert chosen(path, "block") == ("native", False)
    assert chosen(path, "") == ("bcast/chain", False)


def test_merging_keeps_both(cli, tmp_path):
    paths = [
        write(tmp_path / "a.json", profile(placed("bcast/flat", "block"))),
        write(tmp_path / "b.json", profile(placed("bcast/chain", "cyclic"))),
    ]
    result = cli("profile", "merge", *paths, "-o", tmp_path / "out.json")
    assert result.code == 0, result.err
    assert "8 ranks on 2 nodes (block)" in result.out
    assert "8 ranks on 2 nodes (cyclic)" in result.out
    assert chosen(tmp_path / "out.json", "block") == ("bcast/flat", False)
    assert chosen(tmp_path / "out.json", "cyclic") == ("bcast/chain", False)


def test_show_diff_explain_and_check_name_the_placement(cli, tmp_path):
    cyclic = {**trials("reduce"), **CYCLIC, "num_ranks": 8, "num_nodes": 2}
    both = profile(placed("bcast/flat", "block"), placed("bcast/chain", "cyclic"), trials=[cyclic])
    first = write(tmp_path / "a.json", both)
    second = write(tmp_path / "b.json", profile(placed("bcast/flat", "block")))
    for words in (("show", first), ("diff", first, second)):
        result = cli("profile", *words, "--json")
        assert result.code == 0, result.err
        document = result.document()
        documents.parse(json.dumps(document), "d", document["schema"], 1)
        assert "8 ranks on 2 nodes (cyclic)" in cli("profile", *words).out
    (difference,) = cli("profile", "diff", first, second, "--json").document()["differences"]
    assert difference["placement"] == "cyclic"
    shown = cli("profile", "show", first, "--json").document()
    assert [one["placement"] for one in shown["rules"]] == ["block", "cyclic"]
    assert [one["placement"] for one in shown["undecided"]] == ["cyclic"]
    assert "8 ranks on 2 nodes (cyclic)" in cli("explain", first).out
    assert cli("profile", "check", first, "--elsewhere").code == 0


def test_the_same_placement_twice_is_a_mistake(tmp_path):
    path = write(
        tmp_path / "p.json", profile(placed("bcast/flat", "block"), placed("bcast/chain", "block"))
    )
    with pytest.raises(FormatError, match=r"rules\[1\]: min_bytes"):
        profiles.read(path)
    path = write(tmp_path / "p.json", profile(placed("bcast/flat", "round")))
    with pytest.raises(FormatError, match="expected block, cyclic or other"):
        profiles.read(path)


def test_libraries_that_know_no_placement_get_one_only(cli, tmp_path):
    path = write(
        tmp_path / "p.json",
        profile(placed("bcast/binomial", "block"), placed("bcast/chain", "cyclic")),
    )
    result = cli("profile", "export", path, "--for", "openmpi", "-o", tmp_path / "rules.conf")
    assert result.code != 0
    assert "in one placement" in result.err


def test_a_machine_may_be_a_text_or_the_contents_of_a_file():
    text = '{"schema": "espalier-machine", "version": 1, "levels": [%s]}'
    levels = '{"name": "node", "counts": [2]}, {"name": "core", "counts": [4]}'
    contents = text % levels
    assert class_of_placement(Setting(contents, "cyclic", 8)) == "cyclic"
