# SPDX-License-Identifier: Apache-2.0
"""What a preloaded program did: the files that its ranks left in ESPALIER_STATISTICS."""

from __future__ import annotations

import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

from espalier.errors import FormatError
from espalier.io import documents
from espalier.io.console import document
from espalier.launch.manners import manner_of, text_of
from espalier.launch.run_folder import ADVICE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

schema = "espalier-statistics"
version = 1

_MAPPING = ("function", "num_ranks", "algorithm", "report")
_KEY = ("function", "num_ranks", "min_bytes", "max_bytes", "algorithm", "reason")


def read(folder: Path) -> list[dict[str, Any]]:
    """Return the files of all ranks of a run in a folder, by rank.

    Seconds of nonblocking calls are those of their start and those of waiting for them.

    Raises:
        FormatError: if there is none, or one is not what it should be.
    """
    return _of_one_run(_read_all(folder))


def _of_one_run(files: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the files, sorted by rank, without those that another run left beside them.

    All are of the run of the first one; files of older versions do not name theirs.
    """
    first = files[0]
    num_ranks = first["num_ranks"]
    return [
        file
        for file in files
        if file["num_ranks"] == num_ranks
        and file["rank"] < num_ranks
        and file.get("run") == first.get("run")
    ]


def _read_all(folder: Path) -> list[dict[str, Any]]:
    """Return all files of ranks in a folder, by rank; see read()."""
    paths = sorted(folder.glob("rank-*.json"))
    if not paths:
        raise FormatError(
            f"{folder}: expected files rank-0.json, rank-1.json, ..., found none",
            "run the program with ESPALIER_STATISTICS set to this folder",
        )
    ranks = [documents.read(path, schema, version) for path in paths]
    for rank in ranks:
        for call in rank["calls"]:
            call["seconds"] += call.get("completed", {}).get("waiting_seconds", 0.0)
    return sorted(ranks, key=lambda rank: int(rank["rank"]))


def _classes(ranks: Iterable[dict[str, Any]]) -> dict[tuple[Any, ...], list[dict[str, Any]]]:
    """Return the rows of all ranks by class, each with the rank that reports it."""
    classes: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for rank in ranks:
        for call in rank["calls"]:
            row = {**call, "rank": rank["rank"]}
            classes.setdefault(tuple(call[key] for key in _KEY), []).append(row)
    return classes


def _communicators(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return on which communicators calls were made, the costliest first."""
    alike: dict[tuple[int, str], list[dict[str, Any]]] = {}
    for call in calls:
        alike.setdefault((call.get("num_nodes", 0), call.get("ranks", "")), []).append(call)
    found = [
        {
            "num_nodes": num_nodes,
            "ranks": ranks,
            **{name: sum(row[name] for row in rows) for name in ("count", "bytes", "seconds")},
            "manner": manner_of(rows),
        }
        for (num_nodes, ranks), rows in alike.items()
    ]
    return sorted(found, key=lambda one: one["seconds"], reverse=True)


def _call(key: tuple[Any, ...], calls: list[dict[str, Any]], all_seconds: float) -> dict[str, Any]:
    count = sum(call["count"] for call in calls)
    seconds = sum(call["seconds"] for call in calls)
    by_rank: dict[int, float] = {}
    for call in calls:
        by_rank[call["rank"]] = by_rank.get(call["rank"], 0.0) + call["seconds"]
    communicators = _communicators(calls)
    return {
        **dict(zip(_KEY, key, strict=True)),
        "native": key[_KEY.index("algorithm")] == "native",
        "borrowed": "borrowed from" in key[_KEY.index("reason")],
        "reporting_ranks": len(by_rank),
        "count": count,
        "bytes": sum(call["bytes"] for call in calls),
        "seconds": seconds,
        "share": seconds / all_seconds if all_seconds else 0.0,
        "seconds_per_call": seconds / count if count else 0.0,
        "longest_rank_seconds": max(by_rank.values()),
        "manner": text_of(communicators[0]["manner"]),
        "communicators": communicators,
    }


def seconds_in_calls(run: Mapping[str, Any]) -> float:
    """Return the time of all calls of an explained run, in the mean over its ranks."""
    return float(sum(call["seconds"] for call in run["calls"]) / max(1, run["num_files"]))


def has_calls_at_once(run: Mapping[str, Any]) -> bool:
    """Return whether several threads made calls at once, so that these took longer than the run."""
    return seconds_in_calls(run) > float(run["seconds"])


def whole_seconds(run: Mapping[str, Any]) -> float:
    """Return the time of a rank that shares of an explained run refer to.

    It is the time between MPI_Init and MPI_Finalize. Times of calls that threads make at once add
    up to more; then it is the time of all calls.
    """
    return max(float(run["seconds"]), seconds_in_calls(run))


def _mappings(ranks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the communicators that were made in another order, equal ones once."""
    counts = Counter(
        tuple(mapping[key] for key in _MAPPING)
        for rank in ranks
        for mapping in rank.get("mappings", [])
    )
    return [dict(zip(_MAPPING, key, strict=True)) | {"count": counts[key]} for key in counts]


def lacking(num_files: int, num_ranks: int) -> str:
    """Return what it means that some ranks of a run left no file, and what to do."""
    return (
        f"expected files of {num_ranks} ranks, found {num_files}; the sums lack the others, which"
        f" were killed, or do not see the folder: {ADVICE}, or name one with --statistics"
    )


def _doubts(ranks: list[dict[str, Any]], num_left_out: int) -> list[str]:
    doubts = []
    if num_left_out:
        doubts.append(
            f"expected files of one run, found {num_left_out} of another one, which are left out;"
            " empty the folder first when you run again"
        )
    wanted = ranks[0]["num_ranks"]
    if len(ranks) != wanted:
        doubts.append(lacking(len(ranks), wanted))
    open_ranks = [str(rank["rank"]) for rank in ranks if not rank["finalized"]]
    if open_ranks:
        doubts.append(f"ranks {', '.join(open_ranks)} ended without MPI_Finalize")
    for rank in ranks:
        doubts += [f"rank {rank['rank']}: {text}" for text in rank["warnings"]]
    return list(dict.fromkeys(doubts))


def explain_run(folder: Path) -> dict[str, Any]:
    """Return what ran, class of calls by class of calls, as a document; the costliest first."""
    files = _read_all(folder)
    ranks = _of_one_run(files)
    in_calls = sum(call["seconds"] for rank in ranks for call in rank["calls"])
    all_seconds = max(in_calls, sum(rank["seconds"] for rank in ranks))
    calls = [_call(key, calls, all_seconds) for key, calls in _classes(ranks).items()]
    return document(
        "espalier-run-explanation",
        1,
        folder=str(folder),
        mpi=ranks[0]["mpi"],
        num_ranks=ranks[0]["num_ranks"],
        num_files=len(ranks),
        seconds=statistics.median(rank["seconds"] for rank in ranks),
        memory_bytes=max(rank["memory_bytes"] for rank in ranks),
        calls=sorted(calls, key=lambda call: call["seconds"], reverse=True),
        mappings=_mappings(ranks),
        warnings=_doubts(ranks, len(files) - len(ranks)),
    )
