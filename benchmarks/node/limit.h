/* SPDX-License-Identifier: Apache-2.0 */

#ifndef ESPALIER_BENCHMARKS_NODE_LIMIT_H
#define ESPALIER_BENCHMARKS_NODE_LIMIT_H

/* What ranks 0 and 1 need at least: the time of a cache line from one to the other, and of copies
 * of these sizes out of the memory of rank 0 by rank 1. Rank 0 prints a line of JSON for each.
 * Collective over all ranks, which must be able to share memory. */
void measure_limits(int const* sizes, int num_sizes);

#endif
