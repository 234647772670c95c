# SPDX-License-Identifier: Apache-2.0
"""Where the files of this repository are."""

from __future__ import annotations

from pathlib import Path

repository = Path(__file__).resolve().parents[3]
