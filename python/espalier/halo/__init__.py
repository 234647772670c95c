# SPDX-License-Identifier: Apache-2.0
"""Timing exchanges of halos on Cartesian communicators made in several ways."""
