# SPDX-License-Identifier: Apache-2.0
"""`espalier order`: published orders, a measuring program with known times, and real MPIs."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest
from places import repository

from espalier import _core, installation
from espalier.clusters import SimulatedCluster
from espalier.errors import ArgumentError
from espalier.io import documents
from espalier.orders import candidates, comparison, distances
from espalier.orders.measurement import Measured
from espalier.sampling.samples import Point

# One node of RA: 8 cores on two chips, 16 kB, us [karlsson2012, table 4.1].
RA = """
 0.00 32.74 30.69 30.62 32.42 30.63 32.25 32.79
32.37  0.00 32.97 32.90 30.35 32.56 30.59 30.41
30.60 33.50  0.00 30.67 32.68 30.58 32.52 32.81
30.34 33.37 30.75  0.00 32.73 30.46 32.78 33.01
32.67 30.56 32.81 32.62  0.00 32.91 30.53 30.50
30.61 33.24 30.97 30.67 32.87  0.00 32.76 32.83
32.70 30.51 32.65 32.86 30.62 32.85  0.00 30.49
32.91 30.63 32.87 32.72 30.50 32.97 30.67  0.00
"""
HEAD = "# espalier-rtt-matrix 1: round-trip times in us of 16384 bytes, from row to column\n"

# Every way takes 100 us, orders named in FAKE_RATIOS that much less. After FAKE_STOP points it
# fails, or hangs if FAKE_HANG names a file to say so in.
_PROGRAM = """
import json, os, random, sys, time
plan = json.load(open(sys.argv[sys.argv.index("--plan") + 1]))
json.dump(plan, open(os.environ["FAKE_PLAN"], "w"))
ratios = json.loads(os.environ.get("FAKE_RATIOS", "{}"))
generator = random.Random(1)
names = [order["name"] for order in plan["orders"]]
with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
    def write(line):
        print(json.dumps(line), file=file, flush=True)
    write({"kind": "header", "schema": "espalier-samples", "version": 1, "num_ranks": 8,
           "num_nodes": 1, "max_ranks_per_node": 8, "min_cpus_per_node": 8,
           "mpi": {"vendor": "openmpi", "version": "Open MPI v9.8.7"}})
    for index, point in enumerate(plan["measurement"]["points"]):
        if index == int(os.environ.get("FAKE_STOP", "99")):
            if "FAKE_HANG" not in os.environ:
                sys.exit(3)
            open(os.environ["FAKE_HANG"], "w").close()
            time.sleep(1000)
        place = {"index": index, "collective": point["collective"], "bytes": point["bytes"]}
        if point["collective"] == os.environ.get("FAKE_WRONG"):
            write({"kind": "error", **place, "algorithm": "native@fef", "reason": "wrong",
                   "text": "rank 1: expected byte 7"})
            continue
        samples = {}
        for _ in range(40):
            drift = generator.uniform(90, 110)
            for way in ["native", *point["algorithms"]]:
                for name in names:
                    key = way if name == names[0] else f"{way}@{name}"
                    ratio = ratios.get(name, 1.0) * generator.lognormvariate(0, 0.02)
                    samples.setdefault(key, []).append(drift / ratio)
        write({"kind": "point", **place, "calls_per_sample": 1, "samples_us": samples})
    for name in names[1:]:
        write({"kind": "creation", "order": name, "split_us": [900.0] * 7, "group_us": [800.0] * 7})
    write({"kind": "end", "points_left": 0})
"""


@pytest.fixture
def matrix(tmp_path):
    path = tmp_path / "rtt.csv"
    rows = [",".join(line.split()) for line in RA.strip().splitlines()]
    path.write_text(HEAD + "\n".join(rows) + "\n")
    return path


@pytest.fixture
def fake(fake, tmp_path, monkeypatch):
    program = fake.build / "bin" / "espalier-order-openmpi"
    program.write_text(f"#!{sys.executable}\n{_PROGRAM}")
    program.chmod(0o755)
    monkeypatch.setenv("FAKE_PLAN", str(tmp_path / "plan.json"))
    return fake


def ranks_of(result, name):
    return next(order["ranks"] for order in result["orders"] if order["name"] == name)


class TestOrders:
    def test_published_ones_come_from_the_published_matrix(self, cli, matrix):
        arguments = ("--orders", "fef,cao_published,cao", "--channels", "2", "--json")
        result = cli("order", "--matrix", matrix, *arguments)
        assert result.code == 0, result.err
        document = result.document()
        assert ranks_of(document, "standard") == list(range(8))
        assert ranks_of(document, "fef") == [0, 6, 5, 7, 3, 4, 2, 1]
        assert ranks_of(document, "cao_published") == [0, 5, 7, 4, 3, 2, 1, 6]
        assert ranks_of(document, "cao") == [0, 5, 6, 7, 3, 2, 4, 1]
        assert document["groups"] == [[0, 2, 3, 5], [1, 4, 6, 7]]
        assert document["groups_origin"] == "found"

    def test_they_come_from_a_machine_too(self, cli):
        places = "list:0,4,1,2,5,3,6,7"
        arguments = ("--machine", "2s x 4c", "--placement", places, "--orders")
        document = cli("order", *arguments, "fef,cao_published", "--json").document()
        assert ranks_of(document, "fef") == [0, 1, 3, 4, 2, 6, 5, 7]
        assert ranks_of(document, "cao_published") == [0, 3, 1, 6, 2, 5, 4, 7]
        assert document["groups_origin"] == "machine: package"
        assert document["model"][0]["unit"] == "levels"

    @pytest.mark.parametrize("root", range(8))
    def test_the_root_stands_first_in_all(self, cli, matrix, root):
        names = ",".join(candidates.NAMES)
        arguments = ("--orders", names, "--root", root, "--json")
        document = cli("order", "--matrix", matrix, *arguments).document()
        assert [order["name"] for order in document["orders"]] == list(candidates.NAMES)
        for order in document["orders"]:
            assert order["ranks"][0] == root
            assert sorted(order["ranks"]) == list(range(8))

    def test_a_file_that_cannot_be_written_is_told_first(self, cli, matrix):
        result = cli("order", "--matrix", matrix, "-o", "missing/order.json")
        assert result.code == 1
        assert "missing/order.json: expected a file that can be written" in result.err
        assert result.out == ""

    def test_an_order_of_the_user_is_compared(self, cli, matrix, tmp_path):
        given = tmp_path / "mine.txt"
        given.write_text("[0, 2, 3, 5,\n 1 4 6 7]")
        document = cli("order", "--matrix", matrix, "--custom", given, "--json").document()
        assert ranks_of(document, "custom") == [0, 2, 3, 5, 1, 4, 6, 7]

    def test_a_written_document_is_an_order_again(self, cli, matrix, tmp_path):
        path = tmp_path / "order.json"
        first = cli("order", "--matrix", matrix, "-o", path, "--json").document()
        assert documents.read(path, "espalier-order", 1) == first
        assert first["best"]["order"] == "cao"
        again = cli("order", "--matrix", matrix, "--custom", path, "--json").document()
        assert ranks_of(again, "custom") == ranks_of(first, "cao")

    def test_placements_are_those_of_other_verbs(self, cli, tmp_path):
        cores = [0, 4, 1, 5]
        (tmp_path / "cores").write_text("# cores\n" + "\n".join(map(str, cores)) + "\n")
        words = ("order", "--machine", "2s x 4c", "--json", "--placement")
        listed = cli(*words, "list:0,4,1,5").document()
        assert listed["num_ranks"] == 4
        assert listed["groups"] == [[0, 2], [1, 3]]
        filed = cli(*words, tmp_path / "cores").document()
        assert [filed[key] for key in ("groups", "orders")] == [
            listed[key] for key in ("groups", "orders")
        ]

    def test_ranks_lie_where_the_machine_file_says(self, cli, tmp_path):
        path = tmp_path / "machine.json"
        assert cli("machine", "2s x 4c", "-o", path).code == 0
        machine = json.loads(path.read_text())
        path.write_text(json.dumps({**machine, "core_of_rank": [0, 4, 1, 5]}))
        document = cli("order", "--machine", path, "--json").document()
        assert document["groups"] == [[0, 2], [1, 3]]
        assert document["source"]["placement"] == "as the machine says"

    def test_times_of_messages_without_data_are_taken_as_they_are(self, cli, matrix):
        matrix.write_text(matrix.read_text().replace("16384 bytes", "0 bytes"))
        arguments = ("--bytes", "16KiB,64KiB", "--json")
        one, four = cli("order", "--matrix", matrix, *arguments).document()["model"]
        assert one["times"] == four["times"]

    def test_one_rank_has_one_order(self, cli, tmp_path):
        path = tmp_path / "one.csv"
        path.write_text("0\n")
        document = cli("order", "--matrix", path, "--json").document()
        assert {tuple(order["ranks"]) for order in document["orders"]} == {(0,)}
        assert document["best"]["order"] == "standard"


class TestModel:
    @pytest.mark.parametrize("far", [1.25, 1.75])
    def test_table_4_6(self, far):
        near_far = [[2.0 if (i < 4) == (j < 4) else 2.0 * far for j in range(8)] for i in range(8)]
        found = distances.Distances(
            near_far,
            "us",
            1,
            (0, 0, 0, 0, 1, 1, 1, 1),
            "given",
            distances.Channels(2, 2, "given"),
            {"kind": "matrix", "text": "table"},
        )
        orders = candidates.make(["fef", "cao"], found, 0, 1)
        model = candidates.model(orders, found, "scatter", 3)
        steps = {entry["order"]: entry["steps"] for entry in model["times"]}
        assert steps["standard"] == pytest.approx([12 * far, 6, 3])
        assert steps["fef"] == pytest.approx([12, 6, 6 * far])
        assert steps["cao"] == pytest.approx([12, 6 * far, 3])
        assert model["best"] == "cao"
        # Fastest edge first helps where far > 1.5 near.
        assert (model["times"][1]["ratio"] > 1) == (far > 1.5)

    def test_gather_goes_backwards_and_bcast_carries_one_block(self, cli, matrix):
        arguments = ("--collective", "all", "--json")
        document = cli("order", "--matrix", matrix, *arguments).document()
        scatter, gather, bcast = document["model"]
        assert [m["collective"] for m in document["model"]] == ["scatter", "gather", "bcast"]
        for down, up in zip(scatter["times"], gather["times"], strict=True):
            assert down["steps"] == up["steps"][::-1]
        assert bcast["times"][0]["steps"] == pytest.approx([32.42 / 2, 30.69 / 2, 33.01 / 2], 1e-2)

    def test_times_grow_with_the_part(self, cli, matrix):
        arguments = ("--bytes", "16KiB,64KiB", "--json")
        one, four = cli("order", "--matrix", matrix, *arguments).document()["model"]
        assert (one["bytes"], four["bytes"]) == (16384, 65536)
        for first, second in zip(one["times"], four["times"], strict=True):
            assert second["total"] == pytest.approx(4 * first["total"])

    def test_channels_of_the_machine_count(self, cli):
        node = "[latency=5us,bandwidth=1GB/s,channels=4]"
        machine = f"2n{node} x 8c[latency=1us,bandwidth=8GB/s]"
        document = cli("order", "--machine", machine, "--json").document()
        assert document["channels"] == {"across": 4, "inside": None, "origin": "machine"}
        assert document["model"][0]["unit"] == "us"
        given = cli("order", "--machine", machine, "--channels", "1", "--json").document()
        assert given["channels"]["origin"] == "given"
        assert ranks_of(given, "cao") != ranks_of(document, "cao")

    def test_what_is_not_known_is_said(self, cli):
        result = cli("order", "--machine", "8c")
        text = " ".join(result.out.split())
        assert "orders of trees cannot help where all ranks are equally far apart" in text
        assert "2 channels between groups were assumed" in text
        assert "does not say how fast its links are" in text


class TestReport:
    def test_steps_stand_beside_each_other_as_in_the_published_tables(self, cli, matrix):
        lines = cli("order", "--matrix", matrix, "--channels", "2").out.splitlines()
        start = lines.index("Model: binomial scatter, 16 KiB the part of a rank")
        table = [line.split() for line in lines[start + 1 : start + 9]]
        assert table[0] == ["step", "standard", "random", "fef", "cao"]
        assert table[2] == ["1", "64.8", "us", "64.5", "us", "61.2", "us", "61.2", "us"]
        assert [row[0] for row in table[2:]] == ["1", "2", "3", "sum", "total", "ratio"]
        assert "  groups (found): 0 2-3 5 | 1 4 6-7" in lines
        assert "  channels (given): 2 between groups, any number of inside one" in lines

    def test_large_machines_are_told_in_short(self, cli):
        result = cli("order", "--machine", "32n x 4c")
        assert "0-3 | 4-7 |" in result.out
        assert "... (32 groups)" in result.out
        assert "... (128 ranks)" in result.out


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "text"),
        [
            ((), "expected either --matrix or --machine, got neither"),
            (("--machine", "4c", "--matrix", "rtt.csv"), "got both"),
            (("--matrix", "missing.csv"), "missing.csv: expected a readable file"),
            (("--machine", "4c", "--root", "4"), "expected a root among 4 ranks, got 4"),
            (("--machine", "4c", "--orders", "best"), "expected orders among standard"),
            (("--machine", "4c", "--collective", "alltoall"), "among scatter, gather, bcast"),
            (("--machine", "4c", "--channels", "0.5"), "expected at least 1 channel, got 0.5"),
            (("--machine", "4c", "--groups", "0-1/3"), "got rank 2 in none"),
            (("--machine", "4c", "--groups", "0-2/2-3"), "in one group, got 2"),
            (("--machine", "4c", "--groups", "0-4"), "in one group, got 4"),
            (("--machine", "4c", "-p", "5"), "5 ranks"),
            (("--machine", "four"), "four"),
            (("--machine", "nofile.json"), "nofile.json: expected a readable file"),
            (("--machine", "4c", "--bytes", "0"), "expected sizes from 1 B up, got 0 B"),
            (("--machine", "4c", "--bytes", "8,0"), "expected sizes from 1 B up, got 0 B"),
            (("--machine", "4c", "--placement", "list:0,9"), "9"),
        ],
    )
    def test_is_refused_in_one_line(self, cli, tmp_path, monkeypatch, arguments, text):
        monkeypatch.chdir(tmp_path)
        result = cli("order", *arguments)
        assert result.code in (1, 2)
        assert text in result.err
        assert result.err.count("\n") == 1

    @pytest.mark.parametrize("hole", ["", "0", "-3", "nan"])
    def test_a_matrix_with_holes_is_no_source(self, cli, matrix, hole):
        matrix.write_text(matrix.read_text().replace("32.74", hole))
        result = cli("order", "--matrix", matrix)
        assert result.code == 2
        assert str(matrix) in result.err

    @pytest.mark.parametrize("order", ["0 1 2", "0 1 2 3 4 5 6 6", "1 0 2 3 4 5 6 7", "a b"])
    def test_an_order_that_is_none_is_refused(self, cli, matrix, tmp_path, order):
        path = tmp_path / "order.txt"
        path.write_text(order)
        result = cli("order", "--matrix", matrix, "--custom", path)
        assert result.code == 2
        assert f"{path}: expected" in result.err

    @pytest.mark.parametrize(
        "text",
        [
            "{",
            "{}",
            '{"best": []}',
            '{"best": {"ranks": "abc"}}',
            '{"schema": "espalier-order", "version": 1, "best": []}',
            '{"schema": "espalier-machine", "version": 1}',
            "0 1 2 3 4 5 6 99999999999999999999",
        ],
    )
    def test_a_document_that_is_no_order_is_refused(self, cli, matrix, tmp_path, text):
        path = tmp_path / "order.json"
        path.write_text(text)
        result = cli("order", "--matrix", matrix, "--custom", path)
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert str(path) in result.err

    @pytest.mark.parametrize("ranks", ["abc", [], [0, 1, 2, 3, 4, 5, 6, 10**20], [0, 1.5]])
    def test_ranks_of_a_document_that_are_none_are_refused(self, cli, matrix, tmp_path, ranks):
        path = tmp_path / "order.json"
        found = cli("order", "--matrix", matrix, "--json").document()
        found["best"]["ranks"] = ranks
        path.write_text(json.dumps(found))
        result = cli("order", "--matrix", matrix, "--custom", path)
        assert (result.code, result.err.count("\n")) == (2, 1)
        assert str(path) in result.err

    def test_another_number_of_ranks_is_refused(self, cli, matrix, fake):
        result = cli("order", "--matrix", matrix, "--", fake.mpirun, "-n", "4")
        assert result.code == 2
        assert "expected a command that starts 8 ranks" in result.err
        assert cli("order", "--matrix", matrix, "-p", "4").code == 2

    def test_a_missing_program_is_told(self, cli, matrix, fake):
        (fake.build / "bin" / "espalier-order-openmpi").unlink()
        result = cli("order", "--matrix", matrix, "--", fake.mpirun, "-n", "8")
        assert result.code == 1
        assert "expected the program espalier-order-openmpi" in result.err


class TestWithKnownTimes:
    def measure(self, cli, matrix, monkeypatch, *options, **ratios):
        monkeypatch.setenv("FAKE_RATIOS", json.dumps(ratios))
        arguments = ("--matrix", matrix, "--time-budget", "2s", *options)
        return cli("order", *arguments, "--", "mpirun", "-n", "8")

    @pytest.mark.usefixtures("fake")
    def test_the_fastest_is_found(self, cli, matrix, monkeypatch, tmp_path):
        options = ("--collective", "all", "--bytes", "1KiB", "--json")
        result = self.measure(cli, matrix, monkeypatch, *options, cao=1.3, fef=1.1, random=0.8)
        assert result.code == 0, result.err
        document = result.document()
        assert document["best"]["order"] == "cao"
        assert document["best"]["by"] == "measurement"
        assert document["best"]["ranks"] == ranks_of(document, "cao")
        measurement = document["measurement"]
        assert measurement["points_left"] == 0
        for point in measurement["points"]:
            assert point["fastest"] == "cao"
            assert [way["way"] for way in point["ways"]] == [
                "native",
                f"{point['collective']}/binomial",
            ]
            verdicts = {t["order"]: t.get("verdict") for t in point["ways"][0]["times"]}
            assert verdicts == {
                "standard": None,
                "random": "slower",
                "fef": "faster",
                "cao": "faster",
                "control": "no significant difference",
            }
            ratio = point["ways"][0]["times"][3]
            assert ratio["ratio_low"] < 1.3 < ratio["ratio_high"]
        plan = documents.read(tmp_path / "plan.json", "espalier-order-plan", 1)
        sizes = {p["collective"]: p["bytes"] for p in plan["measurement"]["points"]}
        assert sizes == {"scatter": 8192, "gather": 8192, "bcast": 1024}
        assert plan["orders"][-1] == {"name": "control", "ranks": list(range(8))}

    @pytest.mark.usefixtures("fake")
    def test_the_price_of_the_communicator_is_counted(self, cli, matrix, monkeypatch):
        document = self.measure(cli, matrix, monkeypatch, "--json", cao=2.0).document()
        creation = {one["order"]: one for one in document["measurement"]["creation"]}
        assert set(creation) == {"random", "fef", "cao"}
        assert creation["cao"]["split"]["median_us"] == 900
        # A call takes 100 us, 50 of which are saved.
        assert [case["calls"] for case in creation["cao"]["calls_to_pay"]] == pytest.approx(
            [18], abs=2
        )
        assert creation["fef"]["calls_to_pay"] == []

    @pytest.mark.usefixtures("fake")
    def test_no_difference_is_a_result(self, cli, matrix, monkeypatch):
        result = self.measure(cli, matrix, monkeypatch)
        assert "standard: no other order is faster without being slower elsewhere" in result.out
        assert "fastest order of native calls: no significant difference" in result.out

    @pytest.mark.usefixtures("fake")
    def test_what_the_control_gains_too_is_no_gain(self, cli, matrix, monkeypatch):
        faster = {"control": 1.2, "cao": 1.2, "fef": 1.2, "random": 1.2}
        document = self.measure(cli, matrix, monkeypatch, "--json", **faster).document()
        assert document["measurement"]["points"][0]["fastest"] is None
        assert document["best"]["order"] == "standard"
        more = faster | {"cao": 1.5}
        document = self.measure(cli, matrix, monkeypatch, "--json", **more).document()
        assert document["best"]["order"] == "cao"

    @pytest.mark.usefixtures("fake")
    def test_a_wrong_result_is_told_and_not_timed(self, cli, matrix, monkeypatch):
        monkeypatch.setenv("FAKE_WRONG", "gather")
        result = self.measure(cli, matrix, monkeypatch, "--collective", "scatter,gather")
        assert result.code == 0
        assert "gather native@fef is wrong: rank 1: expected byte 7" in result.out
        assert "Measured: gather" not in result.out
        assert "Measured: scatter" in result.out

    @pytest.mark.usefixtures("fake")
    def test_what_was_measured_before_a_failure_is_kept(self, cli, matrix, monkeypatch, tmp_path):
        monkeypatch.setenv("FAKE_STOP", "1")
        path = tmp_path / "order.json"
        result = self.measure(cli, matrix, monkeypatch, "--collective", "all", "-o", path, cao=1.3)
        assert result.code == 1
        document = documents.read(path, "espalier-order", 1)
        assert [p["collective"] for p in document["measurement"]["points"]] == ["scatter"]
        assert document["measurement"]["points_left"] == 2
        assert document["best"]["order"] == "cao"
        assert "2 cases are left" in result.out

    @pytest.mark.usefixtures("fake")
    def test_a_full_disk_does_not_lose_the_report(self, cli, matrix, monkeypatch, tmp_path):
        path = tmp_path / "full.json"
        path.symlink_to("/dev/full")
        result = self.measure(cli, matrix, monkeypatch, "-o", path)
        assert result.code == 1
        assert "fastest order of native calls" in result.out
        assert "full.json: expected a file that can be written" in result.err

    @pytest.mark.usefixtures("fake")
    def test_a_failure_before_any_point_is_an_error(self, cli, matrix, monkeypatch):
        monkeypatch.setenv("FAKE_STOP", "0")
        result = self.measure(cli, matrix, monkeypatch)
        assert result.code == 1
        assert result.out == ""


@pytest.mark.usefixtures("fake")
def test_ctrl_c_keeps_what_was_measured(matrix, monkeypatch, tmp_path):
    path, hangs = tmp_path / "order.json", tmp_path / "hangs"
    monkeypatch.setenv("FAKE_STOP", "2")
    monkeypatch.setenv("FAKE_HANG", str(hangs))
    words = ["order", "--matrix", str(matrix), "--collective", "all", "-o", str(path)]
    process = subprocess.Popen(
        [sys.executable, "-m", "espalier", *words, "--", "mpirun", "-n", "8"],
        env={**os.environ, "PYTHONPATH": str(repository / "python")},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while not hangs.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 130
    measurement = documents.read(path, "espalier-order", 1)["measurement"]
    assert [p["collective"] for p in measurement["points"]] == ["scatter", "gather"]
    assert measurement["points_left"] == 1


class TestComparison:
    def judged(self, **samples):
        names = list(dict.fromkeys(name.partition("@")[2] for name in samples))
        point = Point("scatter", 8, 8, 1, {"native": (1.0,) * 40, **samples})
        orders = ["standard", *(name for name in names if name != "control")]
        return comparison.judge(Measured(points=[point], part_bytes=[1]), orders)[0]

    def test_few_samples_decide_nothing(self):
        point = Point("scatter", 8, 8, 1, dict.fromkeys(["native", "native@control"], (2.0,) * 3))
        point.samples_us["native@cao"] = (1.0,) * 3  # type: ignore[index]
        measured = Measured(points=[point], part_bytes=[1])
        judged = comparison.judge(measured, ["standard", "cao"])[0]
        assert judged["ways"][0]["times"][1]["verdict"] == "no significant difference"
        assert judged["ways"][0]["times"][1]["ratio"] == 2

    def test_an_order_that_is_slower_somewhere_is_not_chosen(self):
        good = self.judged(**{"native@cao": (0.5,) * 40, "native@control": (1.0,) * 40})
        bad = self.judged(**{"native@cao": (1.5,) * 40, "native@control": (1.0,) * 40})
        assert comparison.best_order([good], ["standard", "cao"])["order"] == "cao"
        assert comparison.best_order([good, bad], ["standard", "cao"])["order"] == "standard"


def test_bindings_say_what_is_wrong():
    with pytest.raises(ArgumentError, match="square matrix"):
        _core.fastest_edge_first([[0, 1], [1]])
    with pytest.raises(ArgumentError, match="expected smp, round_robin or folded"):
        _core.node_order("best", [0, 1])
    assert _core.order_refuses([1, 1], 2) != ""
    assert _core.order_refuses([1, 0], 2) == ""
    assert _core.node_order("folded", [0, 0, 1, 1]) == [0, 2, 3, 1]
    assert _core.binomial_steps([2, 0, 1]) == [[(2, 1, 1)], [(2, 0, 1)]]


def _real(launcher: str) -> list[object]:
    vendor = launcher.split(".")[1].split(maxsplit=1)[0]
    is_there = shutil.which(launcher.split(maxsplit=1)[0]) and installation.order_program(vendor)
    return [pytest.mark.skipif(not is_there, reason=f"{launcher} or our program for it is missing")]


@pytest.mark.mpi
@pytest.mark.skipif(
    not (shutil.which("smpirun") and installation.order_program("smpi")),
    reason="SimGrid or our program for it is missing",
)
def test_a_gather_on_a_simulated_node_takes_what_the_model_says(cli):
    """Two chips of four cores with two channels between them, as in the published example."""
    link = "[latency=1us,bandwidth=2GB/s,channels=2]"
    machine = f"2s{link} x 4c[latency=1us,bandwidth=6GB/s]"
    options = ("--collective", "gather", "--bytes", "1MiB", "--time-budget", "5s", "--json")
    with SimulatedCluster(machine, 8) as cluster:
        words = [*cluster.launcher_words(), "--cfg=smpi/coll-selector:mpich"]
        result = cli("order", "--machine", machine, *options, "--", *words)
    assert result.code == 0, result.err
    document = result.document()
    modelled = {entry["order"]: entry["total"] for entry in document["model"][0]["times"]}
    for way in document["measurement"]["points"][0]["ways"]:
        measured = {entry["order"]: entry["median_us"] for entry in way["times"]}
        del measured["control"]
        assert measured == pytest.approx(modelled, rel=0.01), way["way"]
    assert document["best"]["order"] == "cao"
    verdicts = [entry.get("verdict") for entry in way["times"]]
    same = "no significant difference"
    assert verdicts == [None, same, "faster", "faster", same]


@pytest.mark.mpi
@pytest.mark.parametrize(
    "launch",
    [
        pytest.param("mpirun.openmpi -n 4 --oversubscribe", marks=_real("mpirun.openmpi")),
        pytest.param("mpiexec.mpich -n 2", marks=_real("mpiexec.mpich")),
    ],
)
def test_real_ranks_are_measured(cli, monkeypatch, tmp_path, launch):
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    ranks = launch.split("-n ")[1].split()[0]
    options = ("--collective", "all", "--bytes", "100", "--root", "1", "--time-budget", "9s")
    path = tmp_path / "order.json"
    machine = ("--machine", "2s x 2c", "-p", ranks, "-o", path, "--json")
    result = cli("order", *machine, *options, "--", *launch.split())
    assert result.code == 0, result.err
    measurement = result.document()["measurement"]
    assert [p["collective"] for p in measurement["points"]] == ["scatter", "gather", "bcast"]
    assert measurement["problems"] == []
    for point in measurement["points"]:
        assert len(point["ways"]) == 2
        assert point["num_samples"] >= 3
    assert all(one["split"]["median_us"] > 0 for one in measurement["creation"])
    assert len(measurement["creation"]) == 3
