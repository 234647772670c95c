# SPDX-License-Identifier: Apache-2.0
"""Collectives along the dimensions of process grids, with the ranks in several orders."""
