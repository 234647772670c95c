# SPDX-License-Identifier: Apache-2.0
"""The compiled parts of Espalier itself."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from espalier import __version__, installation
from espalier.base.units import bytes_text
from espalier.conditions.finding import Finding
from espalier.launch import programs

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def core() -> Finding:
    """Look at the compiled module."""
    try:
        _core = importlib.import_module("espalier._core")
    except ImportError as error:
        return Finding("espalier", "core", "problem", f"not importable ({error})", "run make build")
    num_algorithms = len(_core.catalog())
    facts = {"path": _core.__file__, "version": _core.__version__, "algorithms": num_algorithms}
    if _core.__version__ != __version__:
        text = f"compiled module is of version {_core.__version__}, the rest of {__version__}"
        return Finding("espalier", "core", "warning", text, "run make build", facts)
    text = f"Espalier {__version__}, {num_algorithms} algorithms"
    return Finding("espalier", "core", "ok", text, "", facts)


def _complaint(library: Path) -> str:
    """Return what the dynamic linker says against preloading a library; empty if nothing."""
    result = subprocess.run(
        [sys.executable, "-S", "-E", "-c", "pass"],
        env={**os.environ, "LD_PRELOAD": str(library), "ESPALIER_OFF": "1"},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    if result.returncode != 0 or result.stderr:
        return result.stderr.strip().partition("\n")[0] or f"exit code {result.returncode}"
    return ""


def _shim(vendor: str, advice_if_missing: str) -> Finding:
    name = f"shim {vendor}"
    library = installation.shim_library(vendor)
    if library is None:
        return Finding(
            "espalier",
            name,
            "warning",
            f"libespalier-{vendor}.so is not built: programs of this MPI run unchanged",
            advice_if_missing,
            {"path": None},
        )
    num_bytes = library.stat().st_size
    facts = {"path": str(library), "bytes": num_bytes}
    if obstacle := installation.preload_obstacle(library):
        return Finding("espalier", name, "problem", obstacle, installation.MOVE, facts)
    if complaint := _complaint(library):
        advice = "run make build again with the MPI that is installed now"
        return Finding("espalier", name, "problem", f"not loadable ({complaint})", advice, facts)
    text = f"loads, {library} ({bytes_text(num_bytes)})"
    return Finding("espalier", name, "ok", text, "", facts)


def _measurement(vendor: str) -> Finding:
    name = f"measure {vendor}"
    program = installation.measurement_program(vendor)
    if program is None or not os.access(program, os.X_OK):
        text = f"espalier-measure-{vendor} is not built: 'espalier tune' cannot work with this MPI"
        return Finding("espalier", name, "warning", text, "run make build", {"path": None})
    return Finding("espalier", name, "ok", str(program), "", {"path": str(program)})


def parts() -> Iterator[Finding]:
    """Look at the compiled module, and at shim and measurement program of each MPI.

    The library of the standard ABI is made on demand, and few need it.
    """
    yield core()
    for vendor in installation.vendors:
        yield _shim(vendor, f"install {vendor} with its headers, then run make build")
        yield _measurement(vendor)
    if installation.shim_library(programs.STANDARD) is not None:
        yield _shim(programs.STANDARD, "run make standard-abi")
