# SPDX-License-Identifier: Apache-2.0
"""What git knows of the repository, for the scripts that check it."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def output_of(root: Path, *words: str) -> str:
    """Return what a git command prints.

    Raises:
        subprocess.CalledProcessError: the command failed; git said why on standard error.
    """
    command = ["git", *words]
    return subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True).stdout


def pages_of(root: Path) -> list[str]:
    """Return the Markdown files of a repository, new ones included, that are there."""
    listed = output_of(root, "ls-files", "--cached", "--others", "--exclude-standard", "*.md")
    return [name for name in listed.splitlines() if (root / name).is_file()]
