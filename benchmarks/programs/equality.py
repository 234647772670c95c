# SPDX-License-Identifier: Apache-2.0
"""Whether a program computed the same in two runs."""

from __future__ import annotations

import hashlib
import math
import re
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d*)?(?:[eEdD][-+]?\d+)?")
_LEAST = 1e-12


def result_of(program: Mapping[str, Any], folder: Path, output: str) -> list[str]:
    """Return what a run computed: lines with figures, or what stands for a whole file.

    Args:
        program: As experiments.toml declares it: `same`, or `figures` and maybe `file`.
        folder: Where it ran.
        output: What it printed.
    """
    if "same" in program:
        return [hashlib.sha256((folder / program["same"]).read_bytes()).hexdigest()]
    if "file" in program:
        output = (folder / program["file"]).read_text(encoding="utf-8")
    wanted = re.compile(program["figures"])
    return [line for line in output.splitlines() if wanted.search(line)]


def compared(
    program: Mapping[str, Any], plain: Sequence[str], ours: Sequence[str]
) -> dict[str, Any]:
    """Return whether two results are equal, and which file or how many numbers were compared.

    An operator that is applied in another order rounds differently, so numbers may differ by
    `tolerance`. No lines at all are not equal: the program showed no result.
    """
    if "same" in program:
        return {"equal": plain == ours, "compared": program["same"], "differs": 0.0}
    pairs = list(zip(numbers_of(plain), numbers_of(ours), strict=False))
    has_all = len(numbers_of(plain)) == len(numbers_of(ours)) > 0
    difference = max((_difference(*pair) for pair in pairs), default=math.inf)
    return {
        "equal": has_all and difference <= program.get("tolerance", 0.0),
        "compared": len(pairs),
        "differs": difference if math.isfinite(difference) else None,
    }


def numbers_of(lines: Sequence[str]) -> list[float]:
    """Return all numbers of some lines."""
    texts = chain.from_iterable(_NUMBER.findall(line) for line in lines)
    return [float(re.sub("[dD]", "e", text)) for text in texts]


def _difference(one: float, other: float) -> float:
    return abs(one - other) / max(abs(one), abs(other), _LEAST)
