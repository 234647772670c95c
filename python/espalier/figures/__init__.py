# SPDX-License-Identifier: Apache-2.0
"""Figures of measurements, as SVG; `espalier.mplstyle` says how all of them look."""
