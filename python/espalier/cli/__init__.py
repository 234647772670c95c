# SPDX-License-Identifier: Apache-2.0
"""The command line: one file a verb."""

from espalier.cli.app import main

__all__ = ["main"]
