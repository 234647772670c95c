# SPDX-License-Identifier: Apache-2.0
"""The host that measures: what it is, what disturbs times on it, what to caution about."""
