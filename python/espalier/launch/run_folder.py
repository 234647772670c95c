# SPDX-License-Identifier: Apache-2.0
"""Where the ranks of a program leave files for us: in a folder that all hosts see."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

ADVICE = "set TMPDIR to a folder that all hosts see"


def run_folder(beside: Path | None = None) -> tempfile.TemporaryDirectory[str]:
    """Return a folder for files of ranks that is removed after use.

    Each host has a /tmp of its own, so the folder is in $TMPDIR only if the user set it. Otherwise
    it is hidden in a folder that all hosts are expected to see, as programs are started there.

    Args:
        beside: The folder of a file that is written in the end; None: the working directory.
    """
    wanted = os.environ.get("TMPDIR") or beside or "."
    try:
        return _folder(".espalier-", str(Path(wanted).resolve()))
    except OSError:
        return _folder("espalier-", None)


def _folder(prefix: str, place: str | None) -> tempfile.TemporaryDirectory[str]:
    # File systems of several hosts may show late what others wrote: a run is worth more.
    return tempfile.TemporaryDirectory(prefix=prefix, dir=place, ignore_cleanup_errors=True)
