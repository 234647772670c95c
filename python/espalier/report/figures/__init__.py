# SPDX-License-Identifier: Apache-2.0
"""Figures as SVG; `espalier.mplstyle` says how all of those that show measurements look."""
