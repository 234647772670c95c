# SPDX-License-Identifier: Apache-2.0
"""What MPI libraries say of themselves."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_SECONDS = 30
# Permitted before MPI_Init. In a process of its own: a library of MPI cannot be closed again.
_ASK = """
import ctypes, sys
text, size = ctypes.create_string_buffer(16384), ctypes.c_int()
ctypes.CDLL(sys.argv[1], ctypes.RTLD_GLOBAL).MPI_Get_library_version(text, ctypes.byref(size))
sys.stdout.write(text.value.decode(errors="replace"))
"""
_FAMILIES = {"Open MPI": "openmpi", "MPICH": "mpich", "Intel(R) MPI": "mpich"}


def ask_version(library: Path, python: str = sys.executable) -> str:
    """Return what MPI_Get_library_version says, empty if the library does not answer."""
    try:
        answer = subprocess.run(
            [python, "-S", "-I", "-c", _ASK, str(library)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout if answer.returncode == 0 else ""


def family_of(version: str) -> str | None:
    """Return the family whose launcher starts programs of a library, None if it is not known."""
    return next((name for begin, name in _FAMILIES.items() if version.startswith(begin)), None)
