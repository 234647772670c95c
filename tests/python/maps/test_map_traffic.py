# SPDX-License-Identifier: Apache-2.0
"""`espalier map --traffic`: the best placement for what a run sent, on the hosts that it had."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from espalier.launch import traffic as counted
from espalier.maps import traffic

_NOTHING = {"messages": 0, "bytes": 0}


def write(folder, hosts, sent, fetched=None):
    """Write the files of a run: hosts by rank, and bytes by pair of ranks."""
    folder.mkdir(exist_ok=True)
    for rank, host in enumerate(hosts):
        rows = [[other, 1, size] for (own, other), size in sent.items() if own == rank]
        got = [[other, 1, size] for (own, other), size in (fetched or {}).items() if own == rank]
        document = {
            "schema": "espalier-traffic",
            "version": 1,
            "rank": rank,
            "num_ranks": len(hosts),
            "host": host,
            "mpi": {"vendor": "openmpi", "version": "Open MPI v4.1.4"},
            "seconds": 1.0,
            "finalized": True,
            "sent": rows,
            "fetched": got,
            "outside": _NOTHING,
            "kinds": dict.fromkeys(
                ("point_to_point", "one_sided", "alltoall", "neighborhood"), _NOTHING
            ),
        }
        (folder / f"traffic-{rank}.json").write_text(json.dumps(document))
    return folder


# Ranks 0 2 4 and 1 3 5 talk among themselves, on two hosts of three ranks each.
HOSTS = ("a", "a", "a", "b", "b", "b")
SENT = {(rank, (rank + 2) % 6): 1000 for rank in range(6)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return write(tmp_path / "counted", HOSTS, SENT)


class TestFiles:
    def test_what_is_fetched_counts_from_the_other_rank(self, tmp_path):
        read = counted.read(write(tmp_path / "t", ("a", "b"), {(0, 0): 9}, {(0, 1): 7}))
        assert read.sent == {(1, 0): 7}
        assert read.num_messages == 1
        assert read.bytes_between(read.node_of_rank) == 7

    def test_a_missing_rank_is_told(self, folder):
        (folder / "traffic-3.json").unlink()
        with pytest.raises(counted.FormatError, match=r"of each of 6 ranks, found none of 3"):
            counted.read(folder)

    def test_hosts_are_numbered_in_the_order_of_their_ranks(self, tmp_path):
        read = counted.read(write(tmp_path / "t", ("b", "a", "b"), {}))
        assert read.nodes == ["b", "a"]
        assert read.node_of_rank == [0, 1, 0]


class TestSite:
    @pytest.mark.parametrize("hosts", [HOSTS, ("a", "b", "a", "b"), ("a", "a", "a", "b"), ("a",)])
    def test_ranks_are_on_the_hosts_they_had(self, tmp_path, hosts):
        read = counted.read(write(tmp_path / "t", hosts, {}))
        site = traffic.site_of(read)
        (nodes,) = [place["group_of_rank"] for place in site.places] or [[0] * len(hosts)]
        assert len(set(nodes)) == len(set(hosts))
        assert all(
            (nodes[i] == nodes[j]) == (hosts[i] == hosts[j])
            for i in range(len(hosts))
            for j in range(len(hosts))
        )


class TestMap:
    def test_groups_that_talk_come_to_one_host_each(self, cli, folder):
        result = cli("map", "--traffic", folder, "--for", "openmpi", "-o", "hosts", "--json")
        found = result.document()
        saving = found["graph"]["saving"]
        # Of 6 messages, 4 go between the hosts: 0-2-4-0 and 1-3-5-1 cross twice each.
        assert saving["before"]["total"] == 4000
        assert saving["after"]["total"] == 0
        assert saving["helps"]
        lines = Path("hosts").read_text().split()
        assert len({lines[rank] for rank in (0, 2, 4)}) == 1
        assert sorted(lines) == sorted(HOSTS)
        assert "--hostfile hosts --map-by seq" in found["launch"]["command"]

    def test_what_it_says_is_what_the_core_says(self, cli, folder):
        found = cli("map", "--traffic", folder, "--json").document()
        (level,) = found["metrics"]
        saving = found["graph"]["saving"]
        for when in ("before", "after"):
            assert level[when]["total"] == saving[when]["total"]
            assert level[when]["worst"] == saving[when]["worst"]

    def test_the_report_has_bytes(self, cli, folder):
        result = cli("map", "--traffic", folder)
        assert "3.91 KiB" in result.out or "3.9 KiB" in result.out, result.out
        assert "--for openmpi|mpich|slurm" in result.out

    @pytest.mark.parametrize("launcher", ["openmpi", "mpich", "slurm"])
    def test_nothing_is_written_where_nothing_is_saved(self, cli, tmp_path, folder, launcher):  # noqa: ARG002 - changes the folder
        good = write(tmp_path / "good", ("a", "a", "b", "b"), {(0, 1): 500, (2, 3): 500, (1, 2): 1})
        result = cli("map", "--traffic", good, "--for", launcher, "-o", "file")
        assert result.code == 0
        assert "no file was written" in result.out
        assert not Path("file").exists()

    def test_less_than_the_margin_is_not_worth_a_file(self, cli, tmp_path, folder):  # noqa: ARG002
        # Everybody talks to everybody, and 0 with 3 a little more than with 1.
        sent = {(i, j): 1000 for i in range(4) for j in range(4) if i != j}
        sent[0, 3] += 60
        even = write(tmp_path / "even", ("a", "a", "b", "b"), sent)
        result = cli("map", "--traffic", even, "--for", "openmpi", "-o", "file", "--json")
        found = result.document()
        assert not found["is_identity"]
        assert 0 < found["graph"]["saving"]["saved"] < 0.05
        assert "too_little" in [one["name"] for one in found["warnings"]]
        assert found["launch"] is None
        assert not Path("file").exists()

    def test_a_machine_gives_cores(self, cli, folder):
        result = cli(
            *("map", "--traffic", folder, "--machine", "2n x 3c", "--hosts", "x,y"),
            *("--for", "openmpi", "-o", "ranks"),
        )
        assert result.code == 0, result.err
        lines = Path("ranks").read_text().splitlines()
        assert len(lines) == 6
        assert lines[0].startswith("rank 0=")
        assert "slot=" in lines[0]

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            (("--grid", "2x3"), "expected --traffic alone, got --grid too"),
            (("--edges", "file"), "expected --traffic alone, got --edges too"),
            (("--for", "openmpi", "--bind"), "expected --machine with --bind"),
            (("--placement", "cyclic"), "expected --machine with --placement"),
            (("--ranks", "8"), "expected --machine with --placement or -p"),
        ],
    )
    def test_what_contradicts_it_is_told(self, cli, folder, options, text):
        result = cli("map", "--traffic", folder, *options)
        assert result.code != 0
        assert text in result.err

    def test_hosts_with_fewer_ranks_have_no_free_cores(self, cli, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        folder = write(tmp_path / "uneven", ("a", "b", "a", "b", "a"), {(0, 1): 9, (2, 3): 9})
        document = cli("map", "--traffic", folder, "--json").document()
        assert "cores_left" not in [warning["name"] for warning in document["warnings"]]

    @pytest.mark.parametrize("domain", ["", ".cluster.example.org"])
    def test_many_hosts_are_named(self, cli, tmp_path, monkeypatch, domain):
        monkeypatch.chdir(tmp_path)
        hosts = [f"node{rank // 2:03d}{domain}" for rank in range(80)]
        sent = {(rank, (rank + 40) % 80): 1000 for rank in range(80)}
        folder = write(tmp_path / "many", hosts, sent)
        result = cli("map", "--traffic", folder, "--for", "openmpi", "-o", "hosts")
        assert result.code == 0, result.err
        assert sorted(Path("hosts").read_text().split()) == sorted(hosts)

    def test_a_run_without_counted_messages_is_told(self, cli, tmp_path):
        empty = write(tmp_path / "empty", ("a", "b"), {(0, 0): 5})
        result = cli("map", "--traffic", empty)
        assert result.code != 0
        assert "expected messages between ranks" in result.err

    def test_an_empty_folder_is_told(self, cli, tmp_path):
        result = cli("map", "--traffic", tmp_path)
        assert result.code != 0
        assert "expected files traffic-0.json" in result.err


def test_the_judgement_follows_the_definition():
    before = traffic.Leaving(1000, 300, 0)
    cases = {
        (1000, 300): False,
        (960, 290): False,  # 4 % and 3 %
        (940, 300): True,
        (1000, 240): True,
        (500, 310): False,  # the worst node is worse
    }
    for (total, worst), helps in cases.items():
        judged = traffic.Judgement(before, traffic.Leaving(total, worst, 0))
        assert judged.helps is helps, (total, worst)
