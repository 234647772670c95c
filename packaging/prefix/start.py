# SPDX-License-Identifier: Apache-2.0
"""Start the command line of this prefix, with no module of the folder that it was called in.

Interpreters that are too old read this file, too: it is what tells them so.
"""

import sys
from pathlib import Path

PACKAGES = Path(__file__).resolve().parent / "python"


def check_version() -> None:
    """End the process if the interpreter is too old."""
    if sys.version_info < (3, 10):  # noqa: UP036 - users choose the interpreter
        found = f"{sys.version_info[0]}.{sys.version_info[1]} ({sys.executable})"
        sys.exit(f"espalier: expected Python 3.10 or later, found {found}; set ESPALIER_PYTHON")


def run() -> int:
    """Return the exit code of the command line; end the process if a package is missing."""
    try:
        from espalier.cli import main  # noqa: PLC0415 - from the folder that was added
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("espalier"):
            raise
        sys.exit(
            f"espalier: expected the Python package '{error.name}' for {sys.executable}, found"
            f" none; install what {PACKAGES}/requirements.txt lists into an environment"
            f" {PACKAGES.parent}/venv, or set ESPALIER_PYTHON to a Python that has it"
        )
    except KeyboardInterrupt:
        return 130
    return main()


check_version()
sys.path[0] = str(PACKAGES)
sys.exit(run())
