# SPDX-License-Identifier: Apache-2.0
"""Measurements that are kept: every finished one, at once, with what is needed to trust it."""
