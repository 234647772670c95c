# SPDX-License-Identifier: Apache-2.0
"""A machine with known links comes out of its samples: document and machine file."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import probe_data as data
import pytest

from espalier.io import documents, schemas
from espalier.probing.findings import analyse
from espalier.probing.scan import scan


def _cluster(**changes: Any) -> data.FakeMachine:
    """Two nodes of two packages of four cores: three network channels, shared memory of 2.4."""
    core = tuple(range(16))
    return data.FakeMachine(
        [
            data.FakeLevel(
                "node",
                tuple(rank // 8 for rank in core),
                15.0,
                1200.0,
                channels=3,
                overhead_us=2.0,
                gap_us=3.0,
                eager_bytes=65536,
                rendezvous_us=25.0,
            ),
            data.FakeLevel(
                "package", tuple(rank // 4 for rank in core), 0.9, 5000.0, channels=1, duplex=1.1
            ),
            data.FakeLevel("core", core, 0.5, 9000.0, shared_channels=2.4),
        ],
        **changes,
    )


_GROWING = {
    "node/across": [(rank, rank + 8) for rank in range(8)],
    "package/across": [(rank, rank + 4) for rank in range(4)],
    "core/disjoint": [(0, 1), (2, 3)],
}


def _analysed(machine: data.FakeMachine) -> dict[str, Any]:
    document = analyse(scan(machine.scan()), machine.details(_GROWING))
    # What is not JSON does not survive.
    return documents.parse(json.dumps(document, allow_nan=False), "probe", "espalier-probe", 1)


def _check_machine(machine: dict[str, Any]) -> None:
    schemas.validator("espalier-machine", 1).validate(machine)


def test_exact_times_give_the_configured_machine() -> None:
    document = _analysed(_cluster())
    _check_machine(document["machine"])
    node, package, core = (level["link"] for level in document["machine"]["levels"])
    assert node == {
        "latency_us": pytest.approx(11.0),
        "overhead_send_us": 2.0,
        "overhead_receive_us": 2.0,
        "gap_us": pytest.approx(3.0),
        "bandwidth_bytes_per_s": pytest.approx(1.2e9, rel=0.02),
        "channels": 3,
        "shared_channels": None,
        "full_duplex": True,
        "eager_bytes": 65536,
        "rendezvous_latency_us": pytest.approx(25.0),
    }
    assert (package["channels"], package["full_duplex"]) == (1, False)
    assert package["eager_bytes"] is None
    assert core["latency_us"] + core["overhead_send_us"] + core["overhead_receive_us"] == (
        pytest.approx(0.5)
    )
    assert core["bandwidth_bytes_per_s"] == pytest.approx(9e9, rel=0.01)


@pytest.mark.parametrize("seed", range(3))
def test_noisy_times_give_bandwidths_within_ten_per_cent(seed: int) -> None:
    machine = _cluster(seed=seed, noise=0.03)
    document = _analysed(machine)
    for level, true in zip(document["levels"], machine.levels, strict=True):
        found = level["fit"]["bandwidth_megabytes_per_s"]
        assert found["value"] == pytest.approx(true.bandwidth, rel=0.1)
        assert level["fit"]["alpha_us"]["value"] == pytest.approx(true.alpha_us, rel=0.15)
        assert data.partition(level["object_of_rank"]) == data.partition(true.object_of_rank)
    assert document["levels"][0]["channels"]["count"] == 3
    assert document["levels"][0]["eager_bytes"] == 65536


def test_the_document_holds_what_was_measured() -> None:
    document = _analysed(_cluster())
    node, package, core = document["levels"]
    assert node["between"] == "between nodes"
    assert package["between"] == "between packages of a node"
    assert core["between"] == "between cores of a package"
    assert [row["bytes"] for row in node["latency_table"]] == [1 << power for power in range(25)]
    first = node["latency_table"][0]
    assert first["rtt_us"] == pytest.approx(30.0, rel=0.01)
    assert first["megabytes_per_s"] == pytest.approx(2 / first["rtt_us"])
    assert [row["pairs"] for row in node["multi_bandwidth"]] == list(range(1, 9))
    assert node["multi_bandwidth"][7]["total_bytes_per_s"] == pytest.approx(3.6e9, rel=0.01)
    assert [row["pairs"] for row in core["multi_latency"]] == [1, 2]
    assert package["duplex_factor"] == pytest.approx(1.1, rel=0.01)
    assert node["loggp"]["G_us_per_byte"] == pytest.approx(1 / 1200.0, rel=0.02)
    assert core["shared_channels"]["has_knee"] is False
    assert [group["level"] for group in document["groups"]] == ["package", "package"]
    assert document["matrix"]["rtt_us"][0][0] is None
    assert document["matrix"]["bytes"] == 16 * data.KIB


def test_pairs_between_objects_of_a_parent_show_what_the_parent_shares() -> None:
    core = tuple(range(16))
    machine = data.FakeMachine(
        [
            data.FakeLevel("node", (0,) * 16, 1.0, 1.0),
            data.FakeLevel("core", core, 0.5, 9000.0, shared_channels=2),
        ]
    )
    pairs = [(rank, rank + 8) for rank in range(8)]
    document = analyse(scan(machine.scan()), machine.details({"core/disjoint": pairs}))
    level = document["levels"][1]
    assert level["channels"] is None
    assert level["shared_channels"]["count"] == 2
    assert level["shared_channels"]["label"] == "core/disjoint"
    assert document["levels"][0]["fit"] is None


def test_pairs_of_several_levels_are_shown_but_show_no_channels() -> None:
    machine = _cluster()
    mixed = [(0, 5), (1, 2)]
    details = machine.details(_GROWING)
    both = machine.result("bandwidth", mixed, data.MIB, 16, "halves")
    document = analyse(
        scan(machine.scan()), dataclasses.replace(details, results=(*details.results, both))
    )
    labels = [row["label"] for row in document["levels"][1]["multi_bandwidth"]]
    assert labels[-1] == "halves"
    assert document["levels"][1]["channels"]["label"] == "package/across"


def test_overheads_above_alpha_are_scaled_to_it() -> None:
    document = _two_cores(overhead_us=0.4)
    link = document["machine"]["levels"][1]["link"]
    assert (link["latency_us"], link["overhead_send_us"]) == (0.0, pytest.approx(0.25))
    assert "late-receive" not in [warning["kind"] for warning in document["warnings"]]


def test_a_receiver_busy_for_the_whole_way_shows_no_overhead() -> None:
    document = _two_cores(overhead_us=0.48)
    link = document["machine"]["levels"][1]["link"]
    assert link["overhead_receive_us"] == 0.0
    assert link["latency_us"] == pytest.approx(0.02)
    assert document["levels"][1]["loggp"]["late_receive_us"] == 0.48
    assert "late-receive" in [warning["kind"] for warning in document["warnings"]]


def test_sizes_that_waited_for_something_else_are_left_out() -> None:
    core = data.FakeLevel("core", (0, 1), 0.5, 9000.0)
    machine = data.FakeMachine([data.FakeLevel("node", (0, 0), 1.0, 1.0), core])
    details = machine.details({"core/pair": [(0, 1)]})
    results = tuple(
        dataclasses.replace(result, median_us=(12000.0,))
        if result.test == "latency" and result.bytes in {1, 2, 4096}
        else result
        for result in details.results
    )
    document = analyse(scan(machine.scan()), dataclasses.replace(details, results=results))
    level = document["levels"][1]
    assert level["disturbed_bytes"] == [1, 2, 4096]
    assert level["fit"]["alpha_us"]["value"] == pytest.approx(0.5)
    (warning,) = [w for w in document["warnings"] if w["kind"] == "disturbed-sizes"]
    assert "3 of 25 sizes between cores of a node took longer" in warning["text"]


def test_disturbed_messages_both_ways_are_no_duplex_factor() -> None:
    core = data.FakeLevel("core", (0, 1), 0.5, 9000.0, duplex=1.8)
    machine = data.FakeMachine([data.FakeLevel("node", (0, 0), 1.0, 1.0), core])
    details = machine.details({"core/pair": [(0, 1)]})
    results = tuple(
        dataclasses.replace(result, median_us=(100 * result.median_us[0],))
        if result.test == "bidirectional" and result.bytes == 8 * data.MIB
        else result
        for result in details.results
    )
    document = analyse(scan(machine.scan()), dataclasses.replace(details, results=results))
    assert document["levels"][1]["duplex_factor"] == pytest.approx(1.8, rel=0.01)


def test_two_bandwidths_that_differ_are_told() -> None:
    core = data.FakeLevel("core", (0, 1), 0.5, 9000.0)
    machine = data.FakeMachine([data.FakeLevel("node", (0, 0), 1.0, 1.0), core])
    details = machine.details({"core/pair": [(0, 1)]})
    results = tuple(
        dataclasses.replace(result, median_us=(4 * result.median_us[0],))
        if result.test == "bandwidth"
        else result
        for result in details.results
    )
    document = analyse(scan(machine.scan()), dataclasses.replace(details, results=results))
    assert "bandwidth-differs" in [warning["kind"] for warning in document["warnings"]]
    assert document["levels"][1]["fit"]["method"] == "A"
    calm = analyse(scan(machine.scan()), details)
    assert calm["warnings"] == []


def _two_cores(**link: Any) -> dict[str, Any]:
    core = data.FakeLevel("core", (0, 1), 0.5, 9000.0, **link)
    machine = data.FakeMachine([data.FakeLevel("node", (0, 0), 1.0, 1.0), core])
    return analyse(scan(machine.scan()), machine.details({"core/pair": [(0, 1)]}))


def test_ranks_that_are_dealt_round_have_their_cores_in_order() -> None:
    node = (0, 1, 2, 0, 1, 2, 0, 0)
    machine = data.FakeMachine(
        [
            data.FakeLevel("node", node, 15.0, 1000.0),
            data.FakeLevel("core", tuple(range(8)), 0.5, 9000.0),
        ]
    )
    found = analyse(scan(machine.scan()))["machine"]
    _check_machine(found)
    assert [level["counts"] for level in found["levels"]] == [[3], [4, 2, 2]]
    assert found["core_of_rank"] == [0, 4, 6, 1, 5, 7, 2, 3]
    assert found["object_names"] == {"node": ["n0", "n1", "n2"]}


def test_hosts_without_names_have_none_in_the_file() -> None:
    machine = _cluster(facts={"host": [""] * 16})
    assert "object_names" not in analyse(scan(machine.scan()))["machine"]


def test_the_file_says_what_cores_do() -> None:
    found = _cluster().scan()
    assert "cores" not in analyse(scan(found))["machine"]
    speed = {"combine_bytes_per_s": 2.00001e9, "copy_bytes_per_s": 8e9}
    header = dataclasses.replace(found.header, cores=speed)
    machine = analyse(scan(dataclasses.replace(found, header=header)))["machine"]
    _check_machine(machine)
    assert machine["cores"] == {"combine_bytes_per_s": 2e9, "copy_bytes_per_s": 8e9}


def test_the_scan_alone_gives_latencies_of_its_size() -> None:
    machine = _cluster()
    document = analyse(scan(machine.scan()))
    documents.parse(json.dumps(document, allow_nan=False), "probe", "espalier-probe", 1)
    link = document["machine"]["levels"][0]["link"]
    assert link["latency_us"] == pytest.approx(15.0 + 16 * data.KIB / 1200.0, rel=1e-3)
    assert link["bandwidth_bytes_per_s"] is None


def test_one_rank_gives_a_document() -> None:
    machine = data.FakeMachine([data.FakeLevel("node", (0,), 1.0, 1.0)])
    document = analyse(scan(machine.scan()))
    documents.parse(json.dumps(document, allow_nan=False), "probe", "espalier-probe", 1)
    _check_machine(document["machine"])
    assert document["evidence"] == ["one rank only: there is nobody to exchange messages with"]
    assert document["matrix"] == {"bytes": None, "rtt_us": [[None]]}
    assert [level["fit"] for level in document["levels"]] == [None, None]
