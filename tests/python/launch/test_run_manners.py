# SPDX-License-Identifier: Apache-2.0
"""How calls were made, from files of all ranks that made them."""

from __future__ import annotations

import pytest

from espalier.launch.manners import main_root, manner_of, text_of


def rows(function, *of_ranks, ranks="0-1"):
    """Return rows of two ranks that count 10 calls each; `of_ranks` is what differs."""
    head = {"function": f"MPI_{function}", "num_ranks": 2, "ranks": ranks, "count": 10}
    return [{**head, "rank": rank, **one} for rank, one in enumerate(of_ranks)]


def manners(*found):
    return {"manners": [{"seconds": 1.0, **one} for one in found]}


def parts(call, *sizes, **more):
    return {"parts": {"call": call, "bytes": list(sizes), **more}}


class TestManners:
    def test_roots_are_those_of_most_calls_first(self):
        one = manners({"root": 0, "count": 1}, {"root": 1, "count": 9})
        found = manner_of(rows("Bcast", one, one))
        assert found["roots"] == [{"root": 1, "count": 18}, {"root": 0, "count": 2}]
        assert main_root(found["roots"]) == 1
        assert text_of(found) == "root 1"

    def test_roots_that_take_turns_are_counted(self):
        one = manners({"root": 0, "count": 6}, {"root": 1, "count": 4})
        found = manner_of(rows("Bcast", one, one))
        assert main_root(found["roots"]) is None
        assert text_of(found) == "2 roots, most often 0 (60 %)"

    def test_roots_beyond_the_limit_are_told(self):
        one = manners({"root": 0, "count": 4}, {"others": True, "count": 6})
        found = manner_of(rows("Bcast", one, one))
        assert found["roots"][0] == {"root": None, "count": 12}
        assert main_root(found["roots"]) is None
        assert text_of(found) == "more than 1 roots, most often 0 (40 %)"

    def test_only_the_root_of_a_call_can_be_in_place(self):
        root = manners({"root": 0, "operator": "max", "in_place": True, "count": 10})
        other = manners({"root": 0, "operator": "max", "count": 10})
        found = manner_of(rows("Reduce", root, other))
        assert found["in_place"] == 1.0
        assert found["operators"] == [{"operator": "max", "count": 20}]
        assert text_of(found) == "root 0, max, in place"

    def test_calls_that_are_sometimes_in_place(self):
        one = manners({"operator": "sum", "count": 6}, {"in_place": True, "count": 4})
        found = manner_of(rows("Allreduce", one, one))
        assert found["in_place"] == pytest.approx(0.4)
        assert text_of(found) == "sum, 40 % in place"

    def test_work_beside_nonblocking_calls_is_that_of_one(self):
        one = {
            "completed": {"count": 10, "tests": 15, "waiting_seconds": 1.0, "work_seconds": 0.05}
        }
        found = manner_of(rows("Iallreduce", one, {}))
        assert found["work"] == {"seconds": pytest.approx(0.005), "tests": 1.5}
        assert text_of(found) == "beside 5.00 ms of work, 1.5 tests"
        one["completed"] = dict.fromkeys(one["completed"], 0)
        assert "work" not in manner_of(rows("Iallreduce", one))

    def test_operators_that_are_rare_are_not_named(self):
        counts = {"sum": 50, "max": 30, "min": 15, "land": 5}
        one = manners(*({"operator": name, "count": count} for name, count in counts.items()))
        assert text_of(manner_of(rows("Allreduce", one, one))) == "sum, max and min"

    def test_files_of_older_versions_say_nothing(self):
        found = manner_of(rows("Bcast", {}, {}))
        assert found == {"roots": [], "operators": [], "in_place": 0.0}
        assert text_of(found) == ""


class TestParts:
    def test_parts_stand_in_the_order_of_the_communicator(self):
        found = manner_of(rows("Allgatherv", parts(2, 70), parts(2, 0), ranks="1,0"))
        assert found["part_bytes"] == [0, 70]
        assert text_of(found) == "uneven, 1 of 2 parts"

    def test_what_ranks_send_is_a_matrix(self):
        sent = parts(4, 1, 20, received_bytes=31), parts(4, 30, 4, received_bytes=24)
        assert manner_of(rows("Alltoallv", *sent))["pair_bytes"] == [[1, 20], [30, 4]]

    def test_of_started_calls_too(self):
        sent = parts(1, 1, 2, received_bytes=4), parts(1, 3, 4, received_bytes=6)
        assert manner_of(rows("Ialltoallw", *sent))["pair_bytes"] == [[1, 2], [3, 4]]

    @pytest.mark.parametrize(
        "found",
        [
            rows("Allgatherv", parts(2, 70), parts(4, 70)),
            rows("Allgatherv", parts(2, 70), {}),
            rows("Allgatherv", parts(2, 70)),
            rows("Allgatherv", parts(2, 70), parts(2, 0), ranks=""),
            rows("Allgatherv", parts(2, 70), parts(2, 0), ranks="0-2"),
            rows(
                "Alltoallv",
                parts(2, 1, 20, received_bytes=31),
                parts(2, 30, 4, received_bytes=25),
            ),
        ],
        ids=["other call", "no parts", "no file", "no ranks", "more ranks", "not received"],
    )
    def test_ranks_that_do_not_speak_of_one_call_make_no_parts(self, found):
        known = manner_of(found)
        assert "part_bytes" not in known
        assert "pair_bytes" not in known
