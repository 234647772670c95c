# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site of the pages that tools/docs_site.py stages."""

project = "Espalier"
author = "The Espalier contributors"
copyright = "The Espalier contributors"  # noqa: A001 - Sphinx names it so
extensions = ["myst_parser"]
root_doc = "index"
html_theme = "alabaster"
html_theme_options = {"page_width": "1200px", "sidebar_width": "300px"}
html_show_sphinx = False
myst_heading_anchors = 6
# Examples of files have an ellipsis where something is left out.
suppress_warnings = ["misc.highlighting_failure"]
