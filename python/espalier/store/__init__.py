# SPDX-License-Identifier: Apache-2.0
"""The database of measurements: each is kept at once, with what is needed to trust it."""
