# SPDX-License-Identifier: Apache-2.0
"""Programs and the machine that tests of `espalier simulate` share."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from places import repository

from espalier import installation

_LINK_FILE = (installation.build_folder() or Path()) / "lib" / "espalier-smpi.link"
simulated = pytest.mark.skipif(
    shutil.which("smpirun") is None or not _LINK_FILE.is_file(),
    reason="no SimGrid, or espalier_smpi_program is not built",
)

PROGRAMS = repository / "tests" / "data" / "simulated"
EXCHANGE = PROGRAMS / "exchange.c"
AHEAD = PROGRAMS / "ahead.c"
PARTS = PROGRAMS / "parts.c"
SHORT_LIVED = PROGRAMS / "short_lived.c"
TROUBLE = PROGRAMS / "trouble.c"
MACHINE = (
    "4n[latency=1500ns,overhead=200ns,bandwidth=10GB/s,channels=1,eager=16KiB]"
    " x 4c[latency=300ns,overhead=200ns,bandwidth=8GB/s,shared_channels=2,eager=16KiB]"
)


def gather(*options: object, count: int = 64) -> list[object]:
    return [*options, "--", EXCHANGE, "gather", count]
