# SPDX-License-Identifier: Apache-2.0
"""In which order ranks should stand in trees: distances, candidates, models, measurements."""
