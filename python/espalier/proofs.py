# SPDX-License-Identifier: Apache-2.0
"""Proving many choices: which ones, in parallel, and what came out."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import time
from typing import TYPE_CHECKING, Any, TypedDict

from espalier import _core, catalog
from espalier.console import document
from espalier.errors import ArgumentError, InputError, UnsupportedError
from espalier.units import bytes_text

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Sequence

    from espalier._core import Algorithm, Verdict, Violation

usual_ranks = tuple(range(1, 34))
awkward_ranks = (36, 37, 48, 61, 64, 100, 127, 128)

# Of the prover, measured with 1024 ranks.
_BYTES_PER_MESSAGE = 150
_BYTES_PER_BLOCK = 8
_MANY_RANKS = 1024


@dataclasses.dataclass(frozen=True)
class Job:
    """One choice to prove for one number of ranks and one root."""

    choice: str
    num_ranks: int
    root: int

    def weight(self) -> float:
        """Return roughly how long the proof takes, in no unit."""
        facts = _core.facts(self.choice, self.num_ranks, self.root)
        # Every block arrives once at every rank, so messages cannot be more than blocks.
        messages = min(facts["messages"], facts["output_blocks"])
        return self.num_ranks * (10 + facts["output_blocks"] + 4 * messages)

    def memory_bytes(self) -> float:
        """Return roughly how much memory the proof takes."""
        facts = _core.facts(self.choice, self.num_ranks, self.root)
        per_rank = (
            _BYTES_PER_MESSAGE * facts["messages"] + _BYTES_PER_BLOCK * facts["output_blocks"]
        )
        return self.num_ranks * per_rank


class Proof(TypedDict):
    """What came out of a job; counts are the prover's own, null if refuted."""

    algorithm: str
    choice: str
    num_ranks: int
    root: int
    verdict: str  # proved or refuted
    rounds: int | None
    messages: int | None
    blocks: int | None
    violation: Violation | None
    seconds: float


def roots_of(algorithm: Algorithm, num_ranks: int, *, every: bool) -> list[int]:
    """Return the roots to try; without `every` the first, second, middle and last rank."""
    if not algorithm["rooted"]:
        return [0]
    if every:
        return list(range(num_ranks))
    return sorted({0, min(1, num_ranks - 1), num_ranks // 2, num_ranks - 1})


def _choices(pattern: str | None, algorithms: Sequence[Algorithm], num_ranks: int) -> Iterator[str]:
    if pattern is not None and "[" in pattern:
        choice = _core.canonical(pattern)
        if not _core.refuses(choice, num_ranks):
            yield choice
        return
    names = {catalog.full_name(algorithm) for algorithm in algorithms}
    for collective in dict.fromkeys(algorithm["collective"] for algorithm in algorithms):
        for choice in _core.variants(collective, num_ranks):
            if catalog.name_of(choice) in names:
                yield choice


def plan(pattern: str | None, ranks: Sequence[int], *, every_root: bool) -> list[Job]:
    """Return what to prove: every variant of what matches, or one choice with arguments.

    Raises:
        ArgumentError: if there is nothing to prove.
    """
    name = catalog.name_of(_core.canonical(pattern)) if pattern and "[" in pattern else pattern
    algorithms = {catalog.full_name(entry): entry for entry in catalog.find(name)}
    jobs = [
        Job(choice, num_ranks, root)
        for num_ranks in ranks
        for choice in _choices(pattern, list(algorithms.values()), num_ranks)
        for root in roots_of(algorithms[catalog.name_of(choice)], num_ranks, every=every_root)
    ]
    if not jobs:
        valid = ", ".join(sorted({entry["valid"] for entry in algorithms.values()}))
        got = ", ".join(map(str, ranks[:10]))
        raise ArgumentError(
            f"expected a number of ranks that '{pattern}' accepts ({valid}), got {got}"
        )
    return jobs


def check_memory(jobs: Sequence[Job], available_bytes: int) -> None:
    """Raise UnsupportedError if a proof would need more than half of the memory.

    Proofs run side by side, so half must be left for others.
    """
    for job in jobs:
        wanted = int(job.memory_bytes()) if job.num_ranks > _MANY_RANKS else 0
        if wanted > available_bytes / 2:
            raise UnsupportedError(
                f"a proof of {job.choice} with {job.num_ranks} ranks takes about"
                f" {bytes_text(wanted)}, of {bytes_text(available_bytes)} of memory",
                "take fewer ranks",
            )


def _proof(job: Job, verdict: str, **found: Any) -> Proof:
    return {
        "algorithm": catalog.name_of(job.choice),
        "choice": job.choice,
        "num_ranks": job.num_ranks,
        "root": job.root,
        "verdict": verdict,
        "rounds": found.get("rounds"),
        "messages": found.get("messages"),
        "blocks": found.get("blocks"),
        "violation": found.get("violation"),
        "seconds": found.get("seconds", 0.0),
    }


def judged(job: Job, verdict: Verdict, seconds: float) -> Proof:
    """Return a verdict of the prover as a proof."""
    if not verdict["holds"]:
        return _proof(job, "refuted", violation=verdict["violation"], seconds=seconds)
    return _proof(
        job,
        "proved",
        rounds=verdict["rounds"],
        messages=verdict["messages"],
        blocks=verdict["blocks"],
        seconds=seconds,
    )


def prove(job: Job) -> Proof:
    """Prove one choice."""
    start = time.perf_counter()
    try:
        verdict = _core.prove(job.choice, job.num_ranks, job.root)
    except InputError as error:
        # An algorithm that cannot make its own program is refuted as well; the prover saw nothing.
        violation: Violation = {
            "rule": "generate",
            "rank": None,
            "operation": None,
            "text": str(error),
        }
        return _proof(job, "refuted", violation=violation)
    return judged(job, verdict, time.perf_counter() - start)


def prove_all(jobs: Sequence[Job]) -> Generator[tuple[Job, Proof]]:
    """Prove jobs on all cores, yield them as they are done; closing drops what has not begun."""
    pool = concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0)))
    try:
        running = {pool.submit(prove, job): job for job in jobs}
        for future in concurrent.futures.as_completed(running):
            yield running[future], future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def report(jobs: Sequence[Job], proofs: Sequence[Proof], seconds: float) -> dict[str, Any]:
    """Return the proofs as a document, in the order of the jobs."""
    order = {job: position for position, job in enumerate(jobs)}
    ordered = sorted(
        proofs, key=lambda proof: order[Job(proof["choice"], proof["num_ranks"], proof["root"])]
    )
    num_refuted = sum(proof["verdict"] == "refuted" for proof in proofs)
    return document(
        "espalier-check",
        1,
        complete=len(proofs) == len(jobs),
        num_wanted=len(jobs),
        num_proved=len(proofs) - num_refuted,
        num_refuted=num_refuted,
        seconds=seconds,
        proofs=ordered,
    )
