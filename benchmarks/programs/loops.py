# SPDX-License-Identifier: Apache-2.0
"""How long calls take in a loop, where no rank waits for a late one: from what was measured."""

from __future__ import annotations

import contextlib
import json
import sqlite3
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

# The last stage of the search has the most repetitions.
_LAST_NATIVE = """
SELECT samples.times_us FROM samples
JOIN points ON points.id = samples.point
JOIN sessions ON sessions.id = points.session
WHERE samples.algorithm = 'native' AND points.collective = ? AND points.bytes = ?
AND json_extract(sessions.job, '$.num_ranks') = ? AND json_extract(sessions.job, '$.num_nodes') = ?
ORDER BY points.id DESC LIMIT 1
"""


def native_seconds(store: Path, call: Mapping[str, Any]) -> float | None:
    """Return the median of a native call that was measured; None for one that was not.

    Args:
        store: What `espalier improve --store` wrote.
        call: A row of `calls` of an `espalier-improvement` document.
    """
    tuned = call["tuned"]
    if not tuned or not tuned["at_its_size"]:
        return None
    wanted = (call["collective"], tuned["bytes"], call["num_ranks"], call["num_nodes"])
    with contextlib.closing(sqlite3.connect(store)) as connection:
        row = connection.execute(_LAST_NATIVE, wanted).fetchone()
    return 1e-6 * median(json.loads(row[0])) if row else None
