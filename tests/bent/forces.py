# SPDX-License-Identifier: Apache-2.0
"""Sets of algorithms: each names one for every blocking collective.

Where a choice does not accept a number of ranks, or a call, the MPI library serves it.
"""

from __future__ import annotations

SETS: dict[str, dict[str, str]] = {
    # One message after the other, nothing forwarded where that is possible.
    "simple": {
        "allgather": "ring",
        "allgatherv": "ring",
        "allreduce": "recursive_doubling",
        "alltoall": "pairwise",
        "alltoallv": "pairwise",
        "alltoallw": "pairwise",
        "barrier": "dissemination",
        "bcast": "binomial",
        "exscan": "linear",
        "gather": "flat",
        "gatherv": "flat",
        "reduce": "flat",
        "reduce_scatter": "pairwise",
        "reduce_scatter_block": "pairwise",
        "scan": "linear",
        "scatter": "flat",
        "scatterv": "flat",
    },
    # Few rounds: blocks travel through others.
    "forwarding": {
        "allgather": "bruck",
        "allgatherv": "sparbit",
        "allreduce": "rabenseifner",
        "alltoall": "bruck",
        "alltoallv": "linear",
        "alltoallw": "linear",
        "barrier": "k_nomial[k=3]",
        "bcast": "k_nomial[k=3,segments=4]",
        "exscan": "recursive_doubling",
        "gather": "binomial",
        "gatherv": "binomial",
        "reduce": "binomial",
        "reduce_scatter": "recursive_halving",
        "reduce_scatter_block": "recursive_halving",
        "scan": "recursive_doubling",
        "scatter": "binomial",
        "scatterv": "binomial",
    },
    # Operands in the order of ranks, and messages cut into pieces.
    "ordered": {
        "allgather": "sparbit",
        "allgatherv": "bruck",
        "allreduce": "in_order",
        "alltoall": "linear",
        "alltoallv": "bruck",
        "alltoallw": "pairwise",
        "barrier": "recursive_doubling",
        "bcast": "scatter_allgather",
        "exscan": "in_order_binary",
        "gather": "k_nomial[k=3]",
        "gatherv": "flat",
        "reduce": "chain",
        "reduce_scatter": "in_order",
        "reduce_scatter_block": "ordered_halving",
        "scan": "in_order_binary",
        "scatter": "k_nomial[k=3]",
        "scatterv": "flat",
    },
}


def force(name: str) -> str:
    """Value of ESPALIER_FORCE for a set."""
    return ";".join(f"{call}={choice}" for call, choice in SETS[name].items())
