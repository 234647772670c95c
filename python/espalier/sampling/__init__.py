# SPDX-License-Identifier: Apache-2.0
"""Timing candidates of collectives: requests go in, points with samples come out.

What tuning, models and comparisons with other MPIs share, on the real machine and in simulation.
"""
