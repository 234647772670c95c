# SPDX-License-Identifier: Apache-2.0
"""Names of files and words of the user, which may have bytes that are not UTF-8."""

from __future__ import annotations


def printable(name: object) -> str:
    """Return a name as text that everybody takes; what is not UTF-8 becomes a question mark.

    Python keeps such bytes as halves of characters, which the compiled module does not take.
    """
    return str(name).encode("utf-8", "replace").decode("utf-8")
