# SPDX-License-Identifier: Apache-2.0
"""What a library says of itself is asked in a process of its own."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

from espalier.launch import versions

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

_SOURCE = """
#include <string.h>

int MPI_Get_library_version(char* text, int* size) {
  strcpy(text, "Open MPI v4.1.4, of a test");
  *size = strlen(text);
  return 0;
}
"""


def test_modules_of_the_working_folder_are_not_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source, library = tmp_path / "told.c", tmp_path / "libtold.so"
    source.write_text(_SOURCE)
    compiler = shutil.which("cc") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True, timeout=60)
    (tmp_path / "ctypes.py").write_text("raise SystemExit(99)\n")
    monkeypatch.chdir(tmp_path)
    assert versions.ask_version(library) == "Open MPI v4.1.4, of a test"
