# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site of the pages that tools/docs_site.py stages."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.config import Config

_ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(_ROOT / "python"))

project = "Espalier"
author = "The Espalier contributors"
copyright = "The Espalier contributors"  # noqa: A001 - Sphinx names it so
extensions = [
    "hawkmoth",
    "hawkmoth.ext.javadoc",
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
]
root_doc = "index"
html_theme = "alabaster"
html_theme_options = {
    "page_width": "1300px",
    "sidebar_width": "300px",
    "body_max_width": "none",
    "code_font_size": "0.8em",
}
html_show_sphinx = False
highlight_language = "text"
myst_heading_anchors = 6
# Examples of files have an ellipsis where something is left out.
suppress_warnings = ["misc.highlighting_failure"]
hawkmoth_compiler = "gcc"
hawkmoth_transform_default = "javadoc"
autodoc_typehints = "signature"


def _read_staged_headers(app: Sphinx, config: Config) -> None:
    """Let hawkmoth read the headers beside the pages, and the header of the standard ABI of MPI."""
    headers = Path(app.srcdir) / "include"
    config.hawkmoth_root = str(headers)
    config.hawkmoth_clang = [f"-I{headers}", f"-I{_ROOT / '.venv' / 'include'}"]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("config-inited", _read_staged_headers)
