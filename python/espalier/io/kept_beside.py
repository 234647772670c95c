# SPDX-License-Identifier: Apache-2.0
"""What else stands in the folder of what programs learned: the interfaces for C keep it there."""

from __future__ import annotations

# By schema: of which version, and what an entry is.
MEASUREMENTS = {
    "espalier-teams": (1, "choices measured for one-sided teams"),
    "espalier-distances": (1, "times measured between groups of ranks"),
}
