# SPDX-License-Identifier: Apache-2.0
"""Profiles: what they choose for a call, and why."""
