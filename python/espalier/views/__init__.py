# SPDX-License-Identifier: Apache-2.0
"""Renderings of documents for people, one file a verb."""
