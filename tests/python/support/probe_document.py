# SPDX-License-Identifier: Apache-2.0
"""A document of `espalier probe`: 8 ranks, two nodes of two packages, with two channels."""

from __future__ import annotations

from typing import Any

_ALPHA_US = {"node": 20.0, "package": 4.0, "core": 1.0}
_MB_PER_S = {"node": 100.0, "package": 1000.0, "core": 4000.0}
_OBJECTS = {
    "node": [0, 0, 0, 0, 1, 1, 1, 1],
    "package": [0, 0, 1, 1, 2, 2, 3, 3],
    "core": list(range(8)),
}
_BETWEEN = {
    "node": "between nodes",
    "package": "between packages of a node",
    "core": "between cores of a package",
}


def _estimate(value: float) -> dict[str, float]:
    return {"value": value, "low": 0.98 * value, "high": 1.03 * value}


def rtt_us(level: str, num_bytes: int, crowd: float = 1.0) -> float:
    return 2 * (_ALPHA_US[level] + crowd * num_bytes / _MB_PER_S[level])


def _row(level: str, num_bytes: int) -> dict[str, Any]:
    time = rtt_us(level, num_bytes)
    return {
        "bytes": num_bytes,
        "rtt_us": time,
        "low_us": 0.98 * time,
        "high_us": 1.02 * time,
        "megabytes_per_s": 2 * num_bytes / time,
    }


def _multi(label: str, pairs: int, num_bytes: int, messages: int) -> dict[str, Any]:
    level = label.partition("/")[0]
    crowd = max(1.0, pairs / 2) if level == "node" else 1.0
    time = rtt_us(level, num_bytes * messages, crowd)
    bytes_per_s = 1e6 * pairs * 2 * num_bytes * messages / time
    return {
        "label": label,
        "pairs": pairs,
        "bytes": num_bytes,
        "messages": messages,
        "rtt_us": time,
        "slowest_us": 1.1 * time,
        "total_bytes_per_s": bytes_per_s,
        "message_rate": bytes_per_s / num_bytes,
    }


def _channels(level: str) -> dict[str, Any]:
    return {
        "count": 2 if level == "node" else None,
        "capacity": 2.0,
        "has_knee": level == "node",
        "max_pairs": 4,
        "label": f"{level}/across",
        "bytes": 1 << 20,
        "evidence": "total bandwidth grows up to 2 pairs",
    }


def _level(name: str) -> dict[str, Any]:
    configurations = ["across"] if name != "core" else ["disjoint", "disjoint 2"]
    counts = (1, 2, 3, 4) if name == "node" else (1, 2)
    latency = [
        _multi(f"{name}/{configuration}", count, 1 << 20, 1)
        for configuration in configurations
        for count in counts
    ]
    if name == "core":
        latency += [_multi("core/everywhere", count, 1 << 20, 1) for count in (2, 4)]
    return {
        "name": name,
        "between": _BETWEEN[name],
        "object_of_rank": _OBJECTS[name],
        "latency_table": [_row(name, 1 << power) for power in range(24)],
        "fit": {
            "alpha_us": _estimate(_ALPHA_US[name]),
            "bandwidth_megabytes_per_s": _estimate(_MB_PER_S[name]),
            "method": "A",
            "method_a": _estimate(_MB_PER_S[name]),
            "method_b": None,
            "residual": 0.013,
            "num_points": 24,
        },
        "multi_latency": latency,
        "multi_bandwidth": [
            _multi(f"{name}/{configurations[0]}", count, 1 << 20, 10) for count in counts
        ],
        "channels": _channels(name),
        "shared_channels": None,
        "duplex_factor": 1.9,
        "loggp": {"L_us": 17.0, "o_s_us": 1.0, "o_r_us": 2.0, "g_us": 3.0, "G_us_per_byte": 0.01},
        "eager_bytes": 4096 if name == "node" else None,
        "rendezvous_latency_us": 5.0 if name == "node" else None,
    }


def _crossing(rank: int, other: int) -> str:
    return next(name for name, objects in _OBJECTS.items() if objects[rank] != objects[other])


def _matrix() -> list[list[float | None]]:
    rows = [
        [None if i == j else rtt_us(_crossing(i, j), 16384) for j in range(8)] for i in range(8)
    ]
    rows[0][7] = None
    return rows


def _split() -> dict[str, Any]:
    test = {
        "inside": {"mean_us": 10.2, "sd_us": 0.2, "n": 2},
        "across": {"mean_us": 40.8, "sd_us": 0.9, "n": 8},
        "t": -40.0,
        "df": 8.0,
        "p": 2.4e-9,
    }
    return {
        "level": "package",
        "parts": [[0, 1], [2, 3]],
        "tests": [{"part": part, **test} for part in (0, 1)],
        "accepted": True,
    }


def make_document() -> dict[str, Any]:
    return {
        "schema": "espalier-probe",
        "version": 1,
        "mpi": {"vendor": "openmpi", "version": "Open MPI v9.8.7"},
        "num_ranks": 8,
        "ranks": [
            {
                "rank": rank,
                "host": f"n{rank // 4}",
                "node": rank // 4,
                "cpus": str(rank % 4),
                "bound": True,
                "online": 4,
            }
            for rank in range(8)
        ],
        "is_simulated": False,
        "complete": True,
        "matrix": {"bytes": 16384, "rtt_us": _matrix()},
        "levels": [_level(name) for name in _OBJECTS],
        "groups": [_split()],
        "evidence": ["nodes: the hosts' names and shared memory agree"],
        "warnings": [{"kind": "noise", "text": "times differ by 30 %", "advice": "bind the ranks"}],
        "machine": {
            "schema": "espalier-machine",
            "version": 1,
            "levels": [{"name": "node", "counts": [2]}],
        },
        "probing": {
            "machine": "2n[latency=20us,bandwidth=100MB/s] x 2s x 2c",
            "command": "espalier probe -- mpirun -n 8",
            "created": "2026-11-22T04:00:00Z",
            "espalier": "0.1.0",
            "host": {},
            "seconds": 12.3,
            "budget_seconds": 60.0,
            "num_results": 321,
            "cuts": ["messages above 4 MiB were left out to stay within 60.0 s"],
            "concurrency": {"ratio": 1.02, "num_pairs": 8, "disturbed": False},
            "machine_file": "espalier-machine.json",
            "matrix_file": None,
            "samples_file": "espalier-machine.json.samples.jsonl",
        },
    }
