# SPDX-License-Identifier: Apache-2.0
"""Tests repeat launches whose launcher has crashed, and no others."""

from __future__ import annotations

import pytest
from crashing_launcher import repeat_crashed

_DUMP = "[ 1] libpmix.so.2(PMIx_server_finalize+0x1c1)[0x7f]"


@pytest.mark.parametrize(
    ("ends", "number"),
    [
        ([(1, _DUMP)], 1),
        ([(-11, "something else")], 1),
        ([(139, _DUMP)], 1),
        ([(-11, _DUMP), (1, "said")], 2),
        ([(-11, _DUMP)] * 4, 3),
    ],
)
def test_only_crashes_are_repeated_and_not_for_ever(ends, number):
    left = list(ends)
    assert repeat_crashed(lambda: left.pop(0)) == ends[number - 1]
    assert len(left) == len(ends) - number
