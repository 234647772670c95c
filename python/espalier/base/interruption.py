# SPDX-License-Identifier: Apache-2.0
"""Work that ended before its time and has a result all the same."""

from __future__ import annotations

from typing import Any


class Interrupted(Exception):  # noqa: N818 - not an error: there is a result
    """Work was interrupted; `document` is what is known, `cause` what ended it."""

    def __init__(self, document: dict[str, Any], cause: BaseException) -> None:
        """Keep both."""
        super().__init__(str(cause))
        self.document = document
        self.cause = cause
