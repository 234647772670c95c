# SPDX-License-Identifier: Apache-2.0
"""Run the command line: `python -m espalier`."""

import sys

try:
    from espalier.cli import main

    code = main()
except KeyboardInterrupt:  # while modules were loading
    code = 130
except ModuleNotFoundError as error:
    if (error.name or "").startswith("espalier"):
        raise
    sys.stderr.write(
        f"espalier: expected the Python package '{error.name}' for {sys.executable}, found none;"
        " install the packages that Espalier needs, or use another Python\n"
    )
    code = 1
sys.exit(code)
