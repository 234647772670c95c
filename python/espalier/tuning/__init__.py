# SPDX-License-Identifier: Apache-2.0
"""Finding the fastest algorithm for each call and size: measured, simulated or modelled."""
