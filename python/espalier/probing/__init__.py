# SPDX-License-Identifier: Apache-2.0
"""What a machine does with messages: from the times of the probe to levels, links and advice."""
