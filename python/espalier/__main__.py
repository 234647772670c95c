# SPDX-License-Identifier: Apache-2.0
"""Run the command line: `python -m espalier`."""

import sys

try:
    from espalier.cli import main

    code = main()
except KeyboardInterrupt:  # while modules were loading
    code = 130
sys.exit(code)
