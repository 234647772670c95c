# SPDX-License-Identifier: Apache-2.0
"""`espalier profile merge`: nothing is lost, and the stronger evidence wins where rules meet."""

from __future__ import annotations

import json
import random

import pytest
from profile_makers import CPU, profile, rule, trials, write

from espalier import _core
from espalier.io import documents
from espalier.profiles import profiles

MODELLED = {"measured": False}
SIMULATED = {"is_simulated": True}


def merged(cli, tmp_path, *documents_, options=()):
    paths = [write(tmp_path / f"{i}.json", one) for i, one in enumerate(documents_)]
    output = tmp_path / "out.json"
    result = cli("profile", "merge", *paths, "-o", output, *options)
    assert result.code == 0, result.err
    found = json.loads(output.read_text())
    _core.check_profile(output.read_text(), "out")
    documents.parse(output.read_text(), "out", "espalier-profile", 1)
    return found


def rows(found):
    return [(one["min_bytes"], one["max_bytes"], one["algorithm"]) for one in found["rules"]]


def test_shapes_calls_and_sizes_are_united(cli, tmp_path):
    found = merged(
        cli,
        tmp_path,
        profile(rule("bcast/flat", 0, 99, gain=(2, 1.5)), created="2026-01-01"),
        profile(
            rule("bcast/chain", 100, None, gain=(2, 1.5)),
            rule("bcast/flat", ranks=8, gain=(2, 1.5)),
            created="2026-01-02",
        ),
    )
    assert rows(found) == [
        (0, 99, "bcast/flat"),
        (100, None, "bcast/chain"),
        (0, None, "bcast/flat"),
    ]
    created = [profiles.run_of(found, one)["created"] for one in found["rules"]]
    assert created == ["2026-01-01", "2026-01-02", "2026-01-02"]


@pytest.mark.parametrize(
    ("strong", "weak"),
    [
        (
            profile(rule("bcast/flat", gain=(1.1, 1.05)), created="2025"),
            profile(rule("bcast/chain"), method=MODELLED),
        ),
        (
            profile(rule("bcast/flat", gain=(1.1, 1.05)), created="2025"),
            profile(rule("bcast/chain", gain=(9, 8)), method=SIMULATED),
        ),
        (
            profile(rule("bcast/flat", gain=(9, 8)), method=SIMULATED),
            profile(rule("bcast/chain"), method=MODELLED),
        ),
        (
            profile(rule("bcast/flat"), method=MODELLED),
            profile(rule("native", call="bcast")),
        ),
        (
            profile(rule("bcast/flat", gain=(1.1, 1.05))),
            profile(rule("bcast/chain", gain=(9, 8)), method={"complete": False}),
        ),
        (
            profile(rule("bcast/flat", gain=(1.3, 1.2)), created="2025"),
            profile(rule("bcast/chain", gain=(1.5, 1.1))),
        ),
        (
            profile(rule("bcast/flat", gain=(1.3, 1.2)), created="2025"),
            profile(rule("native", call="bcast", timed=True)),
        ),
        (
            profile(rule("bcast/flat", gain=(1.3, 1.2)), created="2027"),
            profile(rule("bcast/chain", gain=(1.3, 1.2))),
        ),
    ],
)
def test_the_stronger_evidence_wins_in_either_order(cli, tmp_path, strong, weak):
    for pair in ((strong, weak), (weak, strong)):
        assert rows(merged(cli, tmp_path, *pair)) == [(0, None, "bcast/flat")]
        (tmp_path / "out.json").unlink()


def test_rules_are_divided_where_the_stronger_one_ends(cli, tmp_path):
    found = merged(
        cli,
        tmp_path,
        profile(rule("bcast/flat", 0, None, gain=(1.2, 1.1))),
        profile(rule("bcast/chain", 100, 199, gain=(2, 1.9))),
    )
    assert rows(found) == [
        (0, 99, "bcast/flat"),
        (100, 199, "bcast/chain"),
        (200, None, "bcast/flat"),
    ]


def some_profile(dice, number):
    """Return rules for three of five intervals, no two with the same gain."""
    edges = sorted(dice.sample(range(1, 50), 4))
    intervals = list(zip([0, *edges], [*(edge - 1 for edge in edges), None], strict=True))
    choices = ("bcast/flat", "bcast/chain", "bcast/binomial")
    gains = [1 + dice.random() for _ in range(3)]
    rules = [
        rule(dice.choice(choices), low, high, gain=(gain, gain))
        for (low, high), gain in zip(dice.sample(intervals, 3), gains, strict=True)
    ]
    return profile(*rules, created=f"2026-01-0{number}")


def gain_of(found):
    return found["evidence"][0]["candidates"][found["algorithm"]]["ratio"]


@pytest.mark.parametrize("seed", range(20))
def test_every_size_keeps_the_strongest_of_its_rules(cli, tmp_path, seed):
    dice = random.Random(seed)  # noqa: S311 - cases, not secrets
    several = [some_profile(dice, number) for number in (1, 2, 3)]
    found = merged(cli, tmp_path, *several)
    for size in range(60):
        able = [profiles.covering(one["rules"], size) for one in several]
        kept = profiles.covering(found["rules"], size)
        gains = [gain_of(one) for one in able if one]
        assert (gain_of(kept) if kept else None) == max(gains, default=None)


class TestRefusal:
    def fails(self, cli, tmp_path, first, second, *options):
        paths = [write(tmp_path / "a", first), write(tmp_path / "b", second)]
        result = cli("profile", "merge", *paths, "-o", tmp_path / "c", *options)
        assert result.code == 2
        assert not (tmp_path / "c").exists()
        assert result.err.count("\n") == 1
        return result.err

    def test_of_other_vendors(self, cli, tmp_path):
        other = profile(rule("bcast/flat"), mpi={"vendor": "mpich", "version": "4.0.2"})
        err = self.fails(cli, tmp_path, profile(rule("bcast/flat")), other, "--across-machines")
        assert "expected a profile for openmpi" in err
        assert "got one for mpich" in err

    def test_of_other_machines_unless_asked_for(self, cli, tmp_path):
        first = profile(rule("bcast/flat"))
        other = profile(rule("bcast/flat", ranks=8), machine={**CPU, "cpu": "another"})
        assert "--across-machines" in self.fails(cli, tmp_path, first, other)
        assert len(merged(cli, tmp_path, first, other, options=["--across-machines"])["rules"]) == 2

    def test_of_a_file_that_would_be_lost(self, cli, tmp_path):
        paths = [write(tmp_path / name, profile(rule("bcast/flat"))) for name in "ab"]
        (tmp_path / "c").write_text("precious")
        result = cli("profile", "merge", *paths, "-o", tmp_path / "c")
        assert (result.code, (tmp_path / "c").read_text()) == (2, "precious")

    def test_of_a_single_one(self, cli, profile_file, tmp_path):
        assert cli("profile", "merge", profile_file, "-o", tmp_path / "c").code == 2


def test_nodes_of_one_cluster_are_one_machine(cli, tmp_path):
    other = profile(rule("bcast/flat", ranks=8), machine={**CPU, "hostname": "n2"})
    assert len(merged(cli, tmp_path, profile(rule("bcast/flat")), other)["rules"]) == 2


def test_a_profile_can_take_up_others(cli, tmp_path):
    first = write(tmp_path / "a", profile(rule("bcast/flat")))
    second = write(tmp_path / "b", profile(rule("bcast/flat", ranks=8)))
    assert cli("profile", "merge", first, second, "-o", first).code == 0
    assert len(profiles.read(first).rules) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_trials_are_kept_those_with_more_rounds(cli, tmp_path):
    first = profile(rule("bcast/flat"), trials=[trials("bcast", rounds=3), trials("reduce")])
    second = profile(rule("bcast/flat"), trials=[trials("bcast", rounds=2, calls=99)])
    found = merged(cli, tmp_path, first, second)
    kept = [(one["collective"], one["num_rounds"]) for one in found["trials"]]
    assert kept == [("bcast", 3), ("reduce", 1)]
    assert len(found["rules"]) == 1


def test_a_full_disk_leaves_the_profiles_alone(process, tmp_path):
    first = write(tmp_path / "a", profile(rule("bcast/flat")))
    result = process("profile", "merge", first, first, "-o", "/proc/nowhere/c")
    assert result.code == 1
    assert result.err.count("\n") == 1
    assert len(profiles.read(first).rules) == 1
