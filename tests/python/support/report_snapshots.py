# SPDX-License-Identifier: Apache-2.0
"""Reports as text that is kept beside the tests.

ESPALIER_UPDATE_SNAPSHOTS=1 writes the snapshots anew; look at the difference before committing.
"""

from __future__ import annotations

import os
from pathlib import Path

from espalier.report.content import print_report

_SNAPSHOTS = Path(__file__).parent / "snapshots"
_UPDATE = os.environ.get("ESPALIER_UPDATE_SNAPSHOTS") == "1"


def check_snapshot(name: str, text: str) -> None:
    path = _SNAPSHOTS / name
    if _UPDATE:
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def shown(report, columns, monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", str(columns))
    print_report(report)
    # Trailing spaces fill table cells; nobody sees them.
    text = capsys.readouterr().out.replace("\u2500", "-")
    return "".join(f"{line.rstrip()}\n" for line in text.splitlines())
