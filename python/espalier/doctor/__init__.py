# SPDX-License-Identifier: Apache-2.0
"""Examining this installation: what works, what does not, and what to do about it."""

from espalier.doctor.examination import examine

__all__ = ["examine"]
