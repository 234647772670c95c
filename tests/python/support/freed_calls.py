# SPDX-License-Identifier: Apache-2.0
"""Which functions of C free what, as the program sees it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

from espalier.onesided.functions import _declared

if TYPE_CHECKING:
    from collections.abc import Callable


class FreedCalls:
    """Notes the calls that free requests and arrays, while it is entered."""

    def __init__(self) -> None:
        """Begin with none."""
        self.names: list[str] = []
        functions = _declared()
        self._patch = mock.patch.dict(
            functions,
            {name: self._noting(name, functions[name]) for name in ("request_free", "array_free")},
        )

    def __enter__(self) -> None:
        """Begin to note them."""
        self._patch.start()

    def __exit__(self, *_: object) -> None:
        """Note no more."""
        self._patch.stop()

    def _noting(self, name: str, function: Callable[..., int]) -> Callable[..., int]:
        """Return a function that is noted and calls the one of C."""

        def noted(*arguments: object) -> int:
            self.names.append(name)
            return function(*arguments)

        return noted
