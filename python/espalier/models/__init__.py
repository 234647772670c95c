# SPDX-License-Identifier: Apache-2.0
"""What models of a machine predict for a schedule, and how right they are."""
