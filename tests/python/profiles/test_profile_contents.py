# SPDX-License-Identifier: Apache-2.0
"""`espalier profile show` and `diff`."""

from __future__ import annotations

from profile_makers import profile, rule, trials, write


def test_show_has_every_shape_with_sizes_choice_gain_and_origin(cli, tmp_path):
    path = write(
        tmp_path / "a.json",
        profile(
            rule("bcast/flat", 0, 4095, gain=(1.5, 1.2)),
            rule("native", 4096, None, call="bcast", timed=True),
            rule("allgather/ring", ranks=8, nodes=2, gain=(1.3, 1.1)),
        ),
    )
    out = cli("profile", "show", path).out
    assert "\n4 ranks on 1 node\n" in out
    assert "\n8 ranks on 2 nodes\n" in out
    row = next(line for line in out.splitlines() if "bcast/flat" in line)
    assert "0 B .. <4 KiB" in row
    assert "1.50x, at least 1.20" in row
    assert "measured at 1 size" in row
    for text in ("openmpi (Open MPI v4.1.4)", "n1, a processor", "espalier tune -- mpirun -n 4"):
        assert text in out
    rules = cli("profile", "show", path, "--json").document()["rules"]
    assert [(one["rule"], one["algorithm"]) for one in rules] == [
        (2, "allgather/ring"),
        (0, "bcast/flat"),
        (1, "native"),
    ]


def test_show_says_what_nobody_measured(cli, tmp_path):
    modelled = profile(rule("bcast/flat"), method={"measured": False})
    assert "modelled" in cli("profile", "show", write(tmp_path / "a.json", modelled)).out
    bare = profile(rule("native", call="bcast"))
    assert "nothing near was measured" in cli("profile", "show", write(tmp_path / "b", bare)).out
    empty = write(tmp_path / "c.json", profile())
    assert "there are none: every call runs natively" in cli("profile", "show", empty).out


def test_show_says_what_programs_learned_and_what_they_go_on_with(cli, tmp_path):
    learned = {"native_seconds": 3e-3, "seconds": 1e-3, "num_pairs": 7}
    found = profile(
        {**rule("bcast/flat", 64, 127), "learned": learned},
        trials=[trials("bcast", 64, 127), trials("bcast", 128, 255, calls=5), trials("reduce")],
    )
    path = write(tmp_path / "a.json", found)
    result = cli("profile", "show", path)
    row = next(line for line in result.out.splitlines() if "bcast/flat" in line)
    assert "3.00x, at least 1.00" in row
    assert "learned from 7 pairs of calls" in row
    rows = [line.split() for line in result.out.splitlines() if " ms " in line]
    assert [row[0] for row in rows] == ["reduce", "bcast"], "most time first, none with a rule"
    document = cli("profile", "show", path, "--json").document()
    assert [one["min_bytes"] for one in document["undecided"]] == [0, 128]
    assert document["undecided"][1]["seconds_in_run"] == 5 * 0.002


def differences(cli, tmp_path, first, second):
    paths = [write(tmp_path / name, one) for name, one in (("a", first), ("b", second))]
    return cli("profile", "diff", *paths, "--json").document()


def test_diff_finds_exactly_the_sizes_that_differ(cli, tmp_path):
    first = profile(rule("bcast/flat", 0, 999, gain=(1.5, 1.2)), rule("native", 1000, call="bcast"))
    second = profile(
        rule("bcast/flat", 0, 99, gain=(1.5, 1.2)), rule("bcast/chain", 100, 4999, gain=(1.4, 1.3))
    )
    found = differences(cli, tmp_path, first, second)
    rows = [
        (one["min_bytes"], one["max_bytes"], *(side["algorithm"] for side in one["choices"]))
        for one in found["differences"]
    ]
    # Above 4999 neither has a rule, so that both are native.
    assert rows == [
        (100, 999, "bcast/flat", "bcast/chain"),
        (1000, 4999, "native", "bcast/chain"),
    ]
    assert [one["larger_gain"] for one in found["differences"]] == [1, 1]
    assert not found["is_same"]


def test_diff_tells_shapes_that_one_has_not(cli, tmp_path):
    first, second = profile(rule("bcast/flat")), profile(rule("bcast/flat", ranks=8))
    found = differences(cli, tmp_path, first, second)["differences"]
    assert [
        (one["num_ranks"], [side["algorithm"] for side in one["choices"]]) for one in found
    ] == [
        (4, ["bcast/flat", None]),
        (8, [None, "bcast/flat"]),
    ]
    assert "(no rules)" in cli("profile", "diff", tmp_path / "a", tmp_path / "b").out


def test_diff_of_equals_says_so(cli, tmp_path):
    one = profile(rule("bcast/flat", 0, 99), rule("bcast/flat", 100, None))
    other = profile(rule("bcast/flat"), created="2027-01-01T00:00:00Z")
    assert differences(cli, tmp_path, one, other)["is_same"]
    out = cli("profile", "diff", tmp_path / "a", tmp_path / "b").out
    assert "none: both choose the same everywhere" in out
