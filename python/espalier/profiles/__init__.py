# SPDX-License-Identifier: Apache-2.0
"""Profile files: reading them, and explaining what they choose for a call."""
