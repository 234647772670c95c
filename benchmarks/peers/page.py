# SPDX-License-Identifier: Apache-2.0
"""The page about peers, from the document of the last comparison that is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.io import documents
from espalier.report.content import to_markdown
from espalier.report.peers import peers_report

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def text(declared: Mapping[str, Any], data: Path) -> str:  # noqa: ARG001 - as in other studies
    """Return the page."""
    return to_markdown(peers_report(documents.read(data / "peers.json", "espalier-peers", 1)))
