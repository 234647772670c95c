# SPDX-License-Identifier: Apache-2.0
"""What a `with` block makes and ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class EndedByBlock:
    """Something whose end is collective: a block that an exception ends leaves it as it is."""

    def __enter__(self) -> Self:
        """Return the object itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End it, unless the block ended by an exception."""
        if kind is None:
            self._end_block()

    def _end_block(self) -> None:
        raise NotImplementedError
