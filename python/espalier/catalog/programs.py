# SPDX-License-Identifier: Apache-2.0
"""The programs of all ranks of a choice, as a document that others can read and write."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from espalier import _core
from espalier.catalog import catalog, proofs
from espalier.errors import ArgumentError
from espalier.io import documents
from espalier.io.console import document

if TYPE_CHECKING:
    from pathlib import Path

schema = "espalier-programs"
version = 1


def generate(choice: str, num_ranks: int, root: int, ranks: list[int]) -> dict[str, Any]:
    """Return the programs of some ranks of a choice."""
    text = _core.canonical(choice)
    algorithm = catalog.algorithm_of(text)
    promises: dict[str, Any] = {}
    if algorithm["orders"]:
        promises["order"] = _core.order(text, num_ranks, root)
    if algorithm["equal_blocks_only"]:
        promises["equal_blocks"] = True
    return document(
        schema,
        version,
        collective=catalog.name_of(text).partition("/")[0],
        algorithm=text,
        num_ranks=num_ranks,
        root=root,
        **promises,
        programs=[json.loads(_core.program_json(text, num_ranks, root, rank)) for rank in ranks],
    )


def prove_file(path: Path) -> dict[str, Any]:
    """Prove the programs in a file; the same document as for algorithms of the catalog."""
    wanted = documents.read(path, schema, version)
    texts = [json.dumps(program) for program in wanted["programs"]]
    if len(texts) != wanted["num_ranks"]:
        raise ArgumentError(
            f"{path}: expected the programs of {wanted['num_ranks']} ranks, got {len(texts)}"
        )
    job = proofs.Job(wanted.get("algorithm", str(path)), wanted["num_ranks"], wanted["root"])
    start = time.perf_counter()
    verdict = _core.verify_programs(
        texts,
        wanted["collective"],
        wanted["root"],
        wanted.get("order", "any"),
        wanted.get("equal_blocks", False),
    )
    seconds = time.perf_counter() - start
    return proofs.report([job], [proofs.judged(job, verdict, seconds)], seconds)
