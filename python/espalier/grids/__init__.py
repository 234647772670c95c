# SPDX-License-Identifier: Apache-2.0
"""Timing collectives along the dimensions of process grids, with ranks in several orders."""
