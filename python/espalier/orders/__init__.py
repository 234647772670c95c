# SPDX-License-Identifier: Apache-2.0
"""Orders of ranks in which trees are faster: distances, candidates, models, measurements."""
