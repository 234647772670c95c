# SPDX-License-Identifier: Apache-2.0
"""Timing candidates of collectives, with real or simulated ranks: requests in, samples out.

What tuning, models and comparisons with other MPIs share, on the real machine and in simulation.
"""
