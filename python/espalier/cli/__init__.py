# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a verb; the work is done in the library."""

from espalier.cli.app import main

__all__ = ["main"]
