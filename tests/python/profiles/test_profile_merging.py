# SPDX-License-Identifier: Apache-2.0
"""A profile that is written again keeps what the run did not decide."""

from __future__ import annotations

import copy
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from profile_makers import trials

from espalier import _core
from espalier.errors import FileError, FormatError
from espalier.io import documents
from espalier.profiles import merging, profiles
from espalier.profiles.profiles import Shape
from espalier.report.changes import changes_text, skipped_text

_REPOSITORY = Path(__file__).resolve().parents[3]
_MACHINE = (
    "2n[latency=2us,overhead=200ns,bandwidth=1GB/s,channels=1]"
    " x 4c[latency=300ns,overhead=200ns,bandwidth=4GB/s]"
)
_MODEL = ("model", "profile", "--machine", _MACHINE, "--sizes", "64,64KiB")
_ALGORITHMS = {"allgather": "allgather/ring", "bcast": "bcast/flat", "barrier": "native"}
_NO_ADVICE = ""


def run(parts, name="a", *, vendor="openmpi", complete=True):
    """Return the profile of a run that decided `parts`; each rule says which run it was."""
    return {
        "schema": "espalier-profile",
        "version": 1,
        "created": name,
        "command": f"run {name}",
        "machine": {"hostname": name},
        "mpi": {"vendor": vendor, "version": name},
        "method": {"complete": complete},
        "rules": [
            {
                "collective": collective,
                "num_ranks": shape.num_ranks,
                "num_nodes": shape.num_nodes,
                "min_bytes": first,
                "max_bytes": last,
                "algorithm": _ALGORITHMS[collective],
                "reason": name,
            }
            for collective, shape in sorted(parts, key=str)
            for first, last in ranges(collective)
        ],
    }


def ranges(collective):
    return [(0, 99), (100, None)] if _core.has_known_size(collective) else [(0, None)]


def merged(runs):
    found = None
    for one in runs:
        found = merging.merge(found, one).document
    return found


def check_whole(document):
    """Check that the profile can be read, by us and by a preloaded program."""
    text = json.dumps(document)
    _core.check_profile(text, "profile")
    documents.parse(text, "profile", "espalier-profile", 1)


def wins(document):
    """Return, by call and shape, the names of the runs that its rules and their runs tell."""
    found = {}
    for rule in document["rules"]:
        part = (rule["collective"], Shape(rule["num_ranks"], rule["num_nodes"]))
        about = profiles.run_of(document, rule)
        assert about["created"] == about["machine"]["hostname"] == rule["reason"]
        found.setdefault(part, []).append(about["created"])
    return found


@pytest.mark.parametrize("seed", range(200))
def test_the_last_writer_of_each_call_and_shape_wins_and_nothing_else_is_lost(seed):
    dice = random.Random(seed)  # noqa: S311 - cases, not secrets
    shapes = [Shape(ranks, nodes) for ranks in (2, 3, 8) for nodes in (1, 2)]
    parts = [(collective, shape) for collective in _ALGORITHMS for shape in shapes]
    runs = [run(dice.sample(parts, dice.randint(1, 6)), f"run{i}") for i in range(8)]
    expected = {}
    document = None
    for one in runs:
        before = {} if document is None else wins(document)
        result = merging.merge(document, one)
        document = result.document
        check_whole(document)
        decided = wins(one)
        expected |= decided
        assert wins(document) == expected
        check_changes(result.changes, before, decided)
    used = {name for names in expected.values() for name in names}
    assert {about["created"] for about in document.get("runs", [])} == used - {"run7"}


def check_changes(changes, before, decided):
    told = {
        (name, change.shape): action
        for change in changes
        for action in ("added", "replaced", "kept")
        for name in getattr(change, action)
    }
    assert told == {
        **dict.fromkeys(before, "kept"),
        **{part: "replaced" if part in before else "added" for part in decided},
    }


def test_a_run_repeated_leaves_the_same_bytes():
    one = run([("bcast", Shape(4, 1)), ("allgather", Shape(4, 1))])
    assert merged([one, copy.deepcopy(one)]) == merged([one])


def test_what_programs_go_on_with_is_kept():
    old = run({("bcast", Shape(4, 1))}, "old") | {"trials": [trials("bcast"), trials("reduce")]}
    merged = merging.merge(old, run({("bcast", Shape(8, 2))}, "new")).document
    assert merged["trials"] == old["trials"]
    assert all("trials" not in one for one in merged["runs"])


def test_what_others_wrote_into_the_file_is_kept():
    old = run([("bcast", Shape(4, 1))], "old") | {"note": "made by hand"}
    found = merged([old, run([("bcast", Shape(8, 1))], "new")])
    assert found["runs"][0]["note"] == "made by hand"


class TestInterrupted:
    def test_it_adds(self):
        old = run([("bcast", Shape(4, 1))], "old")
        part = ("bcast", Shape(8, 1))
        found = merging.merge(old, run([part], "new", complete=False))
        assert wins(found.document)[part] == ["new", "new"]

    def test_it_does_not_replace_what_a_complete_run_decided(self):
        old = run([("bcast", Shape(4, 1))], "old")
        new = run([("bcast", Shape(4, 1)), ("barrier", Shape(4, 1))], "new", complete=False)
        found = merging.merge(old, new)
        names = {part[0]: set(names) for part, names in wins(found.document).items()}
        assert names == {"bcast": {"old"}, "barrier": {"new"}}
        assert skipped_text([change.to_json() for change in found.changes]).endswith(": bcast")

    def test_it_changes_nothing_where_nothing_is_new(self):
        old = run([("bcast", Shape(4, 1))], "old")
        new = run([("bcast", Shape(4, 1))], "new", complete=False)
        assert merging.merge(old, new).document == old

    def test_it_replaces_what_another_interrupted_run_decided(self):
        part = ("bcast", Shape(4, 1))
        others = run([("bcast", Shape(2, 1))], "other")
        first, second = (run([part], name, complete=False) for name in ("first", "second"))
        assert set(wins(merged([first, others, second]))[part]) == {"second"}
        assert set(wins(merged([first, others, run([part], "whole")]))[part]) == {"whole"}


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ([], [("bcast", 8, 2)], "added 8 ranks on 2 nodes"),
        (
            [("bcast", 4, 1), ("bcast", 1, 1)],
            [("bcast", 8, 2)],
            "added 8 ranks on 2 nodes; kept 1 rank on 1 node, 4 ranks on 1 node",
        ),
        ([("bcast", 4, 1)], [("bcast", 4, 1)], "replaced 4 ranks on 1 node"),
        (
            [("bcast", 4, 1), ("barrier", 4, 1), ("bcast", 2, 1)],
            [("bcast", 4, 1), ("allgather", 4, 1)],
            (
                "for 4 ranks on 1 node: added allgather, replaced bcast, kept barrier;"
                " kept 2 ranks on 1 node"
            ),
        ),
    ],
)
def test_what_was_done_is_told(old, new, text):
    first, second = (
        run([(name, Shape(ranks, nodes)) for name, ranks, nodes in parts]) for parts in (old, new)
    )
    changes = merging.merge(first if old else None, second).changes
    assert changes_text([change.to_json() for change in changes]) == text


class TestFiles:
    def test_a_profile_from_before_runs_were_kept_is_read(self, profile_file, profile):
        new = run([("bcast", Shape(8, 2))], "new")
        merging.add(profile_file, new, _NO_ADVICE)
        found = profiles.read(profile_file).document
        about = profiles.run_of(found, found["rules"][0])
        assert (about["created"], about["machine"]) == (profile["created"], profile["machine"])
        assert [rule["evidence"] for rule in found["rules"][:2]] == [
            rule["evidence"] for rule in profile["rules"]
        ]

    def test_an_empty_file_is_filled(self, tmp_path):
        path = tmp_path / "profile.json"
        path.touch()
        merging.check(path, "openmpi")
        merging.add(path, run([("bcast", Shape(4, 1))]), _NO_ADVICE)
        assert profiles.read(path).rules

    def test_a_link_stays_a_link(self, tmp_path):
        path, target = tmp_path / "link.json", tmp_path / "folder" / "profile.json"
        target.parent.mkdir()
        path.symlink_to(target)
        for name, ranks in (("a", 4), ("b", 8)):
            merging.add(path, run([("bcast", Shape(ranks, 1))], name), _NO_ADVICE)
        assert path.is_symlink()
        assert len(wins(profiles.read(target).document)) == 2

    @pytest.mark.parametrize("is_there", [True, False])
    def test_a_check_leaves_a_link_and_makes_no_file(self, tmp_path, is_there):
        path, target = tmp_path / "link.json", tmp_path / "folder" / "profile.json"
        target.parent.mkdir()
        if is_there:
            merging.add(target, run([("bcast", Shape(4, 1))]), _NO_ADVICE)
        path.symlink_to(target)
        merging.check(path, "openmpi")
        assert (path.readlink(), target.exists()) == (target, is_there)

    def test_no_lock_is_left(self, tmp_path):
        path = tmp_path / "profile.json"
        merging.check(path, "openmpi")
        merging.add(path, run([("bcast", Shape(4, 1))]), _NO_ADVICE)
        assert [one.name for one in tmp_path.iterdir()] == ["profile.json"]

    def test_a_rule_of_a_run_that_is_not_there_is_refused(self, tmp_path):
        path = tmp_path / "profile.json"
        document = run([("bcast", Shape(4, 1))])
        document["rules"][0]["run"] = 0
        path.write_text(json.dumps(document))
        with pytest.raises(FormatError, match=r"rules\[0\].run: expected the position of one of 0"):
            profiles.read(path)

    @pytest.mark.parametrize(
        ("content", "text"),
        [
            ("not JSON", "expected JSON"),
            ('{"schema": "espalier-machine", "version": 1}', 'expected "espalier-profile"'),
            (json.dumps(run([("bcast", Shape(4, 1))]))[:-20], "JSON"),
            (
                json.dumps(run([("bcast", Shape(4, 1))], vendor="mpich")),
                "expected a profile for openmpi, to add rules to, got one for mpich",
            ),
        ],
    )
    def test_something_else_is_told_and_not_touched(self, tmp_path, content, text):
        path = tmp_path / "profile.json"
        path.write_text(content)
        for attempt in (
            lambda: merging.check(path, "openmpi"),
            lambda: merging.add(path, run([("bcast", Shape(4, 1))]), _NO_ADVICE),
        ):
            with pytest.raises(FormatError) as caught:
                attempt()
            assert text in caught.value.text
            assert "choose another file with -o" in caught.value.advice
            assert path.read_text() == content

    def test_a_folder_that_cannot_be_written_is_told(self):
        with pytest.raises(FileError, match="expected a file that can be written"):
            merging.check(Path("/nowhere/profile.json"), "openmpi")


_WRITER = """
import sys
from pathlib import Path
sys.path[:0] = [sys.argv[2], str(Path(sys.argv[2]).parent / "support")]
from test_profile_merging import run
from espalier.profiles import merging
from espalier.profiles.profiles import Shape
writer = int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for ranks in range(2, 42):
    shape = Shape(ranks, 1 + writer)
    name = f"{writer}.{ranks}"
    merging.check(Path(sys.argv[1]), "openmpi")
    merging.add(Path(sys.argv[1]), run([("bcast", shape)], name), "")
"""


def test_writers_at_the_same_time_lose_nothing(tmp_path):
    path = tmp_path / "profile.json"
    environment = {**os.environ, "PYTHONPATH": str(_REPOSITORY / "python")}
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _WRITER, str(path), str(Path(__file__).parent), str(number)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment,
            text=True,
        )
        for number in range(2)
    ]
    for writer in writers:
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        writer.stdin.write("go\n")
        writer.stdin.flush()
    assert [writer.communicate(timeout=120) and writer.returncode for writer in writers] == [0, 0]
    found = wins(profiles.read(path).document)
    expected = {(ranks, 1 + writer) for ranks in range(2, 42) for writer in range(2)}
    assert {(shape.num_ranks, shape.num_nodes) for _, shape in found} == expected


class TestCommands:
    def test_the_model_adds_a_shape(self, cli, tmp_path):
        path = tmp_path / "profile.json"
        words = (*_MODEL, "--collectives", "bcast,allgather", "-o", path)
        assert "added 4 ranks on 1 node" in cli(*words, "-p", 4).out
        added = cli(*words, "-p", 8)
        assert added.code == 0, added.err
        assert "added 8 ranks on 2 nodes (block); kept 4 ranks on 1 node" in " ".join(
            added.out.split()
        )
        found = profiles.read(path)
        assert found.shapes("bcast") == [Shape(4, 1), Shape(8, 2, "block")]
        again = cli(*words, "-p", 4, "--json")
        assert "replaced 4 ranks on 1 node; kept 8 ranks on 2 nodes (block)" in again.err
        told = cli("explain", path)
        assert told.code == 0, told.err
        assert "4 ranks: allgather, bcast" in told.out
        assert "8 ranks on 2 nodes (block): allgather, bcast" in told.out
        assert "--ranks 4" in told.out
        assert "--ranks 8" in told.out
        assert len(cli("explain", path, "--json").document()["runs"]) == 2

    @pytest.mark.usefixtures("fake")
    def test_tuning_adds_a_shape(self, cli, told, tmp_path):
        words = ("tune", "--collectives", "allgather", "--sizes", "64", "--algorithms", "bruck")
        told(FAKE_RATIOS=json.dumps({"allgather/bruck": 1.4}))
        for ranks in (4, 8):
            result = cli(*words, "--", "mpirun", "-n", ranks)
            assert result.code == 0, result.err
        assert "added 8 ranks on 1 node; kept 4 ranks on 1 node" in " ".join(result.out.split())
        path = tmp_path / "espalier-profile.json"
        assert profiles.read(path).shapes("allgather") == [Shape(4, 1), Shape(8, 1)]
        document = cli(*words, "--json", "--", "mpirun", "-n", 4).document()
        assert [change["replaced"] for change in document["changes"]] == [["allgather"], []]

    @pytest.mark.parametrize(
        "words",
        [
            (*_MODEL, "-p", 4),
            ("tune", "simulate", "--machine", _MACHINE, "-p", 4),
            ("tune", "--", "mpirun", "-n", 4),
        ],
    )
    @pytest.mark.usefixtures("fake")
    def test_a_profile_of_another_mpi_is_told_before_anything_runs(
        self, cli, tmp_path, monkeypatch, words
    ):
        path = tmp_path / "profile.json"
        path.write_text(json.dumps(run([("bcast", Shape(4, 1))], vendor="mpich")))
        before = path.read_text()

        def fail(*_args, **_kwargs):
            pytest.fail("something expensive began")

        monkeypatch.setattr("espalier.sampling.measurement.Measurer.run", fail)
        monkeypatch.setattr("espalier.tuning.simulators.Simulators.run", fail)
        monkeypatch.setattr("espalier.tuning.modelled.predict", fail)
        split = words.index("--") if "--" in words else len(words)
        result = cli(*words[:split], "-o", path, *words[split:])
        assert result.code == 2
        assert "got one for mpich" in result.err
        assert "choose another file with -o" in result.err
        assert path.read_text() == before
