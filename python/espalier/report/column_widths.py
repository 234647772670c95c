# SPDX-License-Identifier: Apache-2.0
"""How wide the columns of a table are where the terminal is too narrow for all of them.

Text breaks at blanks, and within long words such as names of algorithms; then numbers part from
what else is in their cells. If that is not enough the table is wider than the terminal: numbers are
never cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

# Words up to this length, as those of labels, are not broken.
_SHORT_WORD = 12


def fitted(columns: Sequence[Sequence[str]], is_number: Sequence[bool], width: int) -> list[int]:
    """Return the width of each column.

    Args:
        columns: The cells of each, its name as well.
        is_number: Of each column, whether it holds numbers.
        width: How much room there is for all of them together, without what is between them.
    """
    least = [
        _longest_word(cells) if is_whole else min(_longest_word(cells), _SHORT_WORD)
        for cells, is_whole in zip(columns, is_number, strict=True)
    ]
    widths = [max(map(len, cells)) for cells in columns]
    for wanted in (False, True):
        places = [place for place, is_whole in enumerate(is_number) if is_whole == wanted]
        _narrow(widths, places, least, width)
    return widths


def _longest_word(cells: Sequence[str]) -> int:
    return max((len(word) for cell in cells for word in cell.split()), default=0)


def _narrow(widths: list[int], places: Sequence[int], least: Sequence[int], width: int) -> None:
    """Make columns at these places narrower, the widest first, until all fit or none can be."""
    while sum(widths) > width:
        wide = [place for place in places if widths[place] > least[place]]
        if not wide:
            return
        widths[max(wide, key=lambda place: (widths[place], place))] -= 1
