# SPDX-License-Identifier: Apache-2.0
"""The generated page has the numbers of the module that was built."""

from __future__ import annotations

from conftest import repository

import catalog_page
from espalier import _core


def test_numbers_of_the_page_are_those_of_the_catalog() -> None:
    assert catalog_page.check(repository, _core) == ""
