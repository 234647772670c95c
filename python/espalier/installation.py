# SPDX-License-Identifier: Apache-2.0
"""Where the compiled parts of this installation are."""

from __future__ import annotations

import os
from pathlib import Path

package = Path(__file__).resolve().parent
vendors = ("openmpi", "mpich")
MOVE = "move the installation to a folder without them"


def build_folder() -> Path | None:
    """Return the build folder: $ESPALIER_BUILD_DIR, or build/release of the checkout."""
    named = os.environ.get("ESPALIER_BUILD_DIR")
    if named:
        return Path(named).resolve()
    root = package.parent.parent
    return root / "build" / "release" if (root / "CMakePresets.json").exists() else None


def module_folders() -> list[Path]:
    """Return folders beside the package that may hold its compiled module."""
    folder = build_folder()
    return [] if folder is None else [folder / "python" / "espalier"]


def _find(names: list[str], subfolders: list[str]) -> Path | None:
    # In a prefix, `lib` and `libexec` of the package are links; users see where they lead to.
    roots = [root for root in (build_folder(), package) if root is not None]
    candidates = (
        (root / subfolder).resolve() / name
        for root in roots
        for subfolder in subfolders
        for name in names
    )
    return next((path for path in candidates if path.is_file()), None)


def shim_library(vendor: str) -> Path | None:
    """Return the library to preload under programs of an MPI, None if it is not built."""
    return _find([f"libespalier-{vendor}.so"], ["lib", "shim", "."])


def preload_obstacle(library: Path) -> str:
    """Return why LD_PRELOAD cannot name a library, empty if it can."""
    if not any(separator in str(library) for separator in " :"):
        return ""
    return (
        "expected a path without spaces and colons, which LD_PRELOAD cannot hold, found"
        f" '{library}'"
    )


def traffic_library(vendor: str) -> Path | None:
    """Return the library that counts what programs of an MPI send, None if it is not built."""
    return _find([f"libespalier-traffic-{vendor}.so"], ["lib", "."])


def site_folder(vendor: str) -> Path | None:
    """Return the folder of rules that all users share, beside the library to preload."""
    library = shim_library(vendor)
    return None if library is None else library.resolve().parent / "espalier" / "site"


def api_library(vendor: str) -> Path | None:
    """Return the library of the C interface for an MPI, None if it is not built."""
    name = f"libespalier-api-{vendor}.so"
    return _find([name, f"{name}.0"], ["lib", "."])


def measurement_program(vendor: str) -> Path | None:
    """Return the program that times candidates under an MPI, None if it is not built."""
    return _find([f"espalier-measure-{vendor}"], ["bin", "libexec", "."])


def probe_program(vendor: str) -> Path | None:
    """Return the program that times messages under an MPI, None if it is not built."""
    return _find([f"espalier-probe-{vendor}"], ["bin", "libexec", "."])


def order_program(vendor: str) -> Path | None:
    """Return the program that times orders of ranks under an MPI, None if it is not built."""
    return _find([f"espalier-order-{vendor}"], ["bin", "libexec", "."])


def team_program(vendor: str) -> Path | None:
    """Return the program that tunes teams under an MPI, None if it is not built."""
    return _find([f"espalier-team-{vendor}"], ["bin", "libexec", "."])


def halo_program(vendor: str) -> Path | None:
    """Return the program that times halo exchanges under an MPI, None if it is not built."""
    return _find([f"espalier-halo-{vendor}"], ["bin", "libexec", "."])


def yielding_library() -> Path | None:
    """Return the library with which MPICH gives up processors, None if it is not built."""
    return _find(["libespalier_yield_ucx.so"], ["lib", "libexec"])
