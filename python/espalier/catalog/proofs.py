# SPDX-License-Identifier: Apache-2.0
"""Proving many choices, in parallel, and what came out."""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import os
import time
from typing import TYPE_CHECKING, Any, TypedDict

from espalier import _core
from espalier.base.units import bytes_text
from espalier.catalog import catalog
from espalier.errors import InputError, UnsupportedError
from espalier.io.console import document

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

    from espalier._core import Facts, Verdict, Violation

# Of the prover, measured with 1024 ranks.
_BYTES_PER_MESSAGE = 150
_BYTES_PER_BLOCK = 8
_MANY_RANKS = 1024
# A block that is a sum takes so much longer than one that moves.
_REDUCING = 5


@functools.cache
def facts_of(choice: str, num_ranks: int) -> Facts:
    """Return the facts with root 0: other roots are much the same amount of work."""
    return _core.facts(choice, num_ranks)


@dataclasses.dataclass(frozen=True)
class Job:
    """One choice to prove for one number of ranks and one root."""

    choice: str
    num_ranks: int
    root: int

    def weight(self) -> float:
        """Return roughly how long the proof takes, in no unit."""
        facts = facts_of(self.choice, self.num_ranks)
        # The root of a flat tree sends more than all others; nobody sends its blocks much oftener
        # than a forwarding alltoall.
        own = max(1, facts["output_blocks"])
        messages, blocks = min(facts["messages"], own), min(facts["blocks"], 16 * own)
        factor = _REDUCING if catalog.algorithm_of(self.choice)["orders"] else 1
        return self.num_ranks * factor * (10 + own + 4 * messages + blocks)

    def memory_bytes(self) -> float:
        """Return roughly how much memory the proof takes."""
        facts = facts_of(self.choice, self.num_ranks)
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


def report(
    jobs: Sequence[Job], proofs: Sequence[Proof], seconds: float, **more: Any
) -> dict[str, Any]:
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
        **more,
        proofs=ordered,
    )
