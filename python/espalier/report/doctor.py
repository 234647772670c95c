# SPDX-License-Identifier: Apache-2.0
"""What `espalier doctor` prints."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.text import Text

from espalier.io.console import make_console

if TYPE_CHECKING:
    from collections.abc import Mapping

_STYLES = {"ok": "green", "warning": "yellow", "problem": "bold red"}


def _line(finding: Mapping[str, Any]) -> Text:
    line = Text(f"  {finding['status']:<8} ", style=_STYLES[finding["status"]])
    line.append(f"{finding['name']}: {finding['text']}", style="default")
    return line


def print_examination(examination: Mapping[str, Any]) -> None:
    """Print the findings by topic, advice under each, and the sum at the end."""
    console = make_console()
    topic = None
    for finding in examination["findings"]:
        if finding["topic"] != topic:
            topic = finding["topic"]
            console.print(Text(topic, style="bold"))
        console.print(_line(finding), soft_wrap=True)
        if finding["advice"]:
            console.print(f"{'':11}{finding['advice']}", soft_wrap=True)
    counts = [finding["status"] for finding in examination["findings"]]
    console.print(
        f"{counts.count('ok')} ok, {counts.count('warning')} warnings,"
        f" {counts.count('problem')} problems"
    )
