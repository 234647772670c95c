# SPDX-License-Identifier: Apache-2.0
"""What exchanges of halos take on Cartesian communicators made in several ways."""
