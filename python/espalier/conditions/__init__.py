# SPDX-License-Identifier: Apache-2.0
"""What this host is, what disturbs times on it, and what documents say of both."""
