/* SPDX-License-Identifier: Apache-2.0 */

#ifndef ESPALIER_BENCHMARKS_NODE_STATISTICS_H
#define ESPALIER_BENCHMARKS_NODE_STATISTICS_H

#include <stdlib.h>

static inline int compare_numbers(void const* a, void const* b) {
  double const x = *(double const*)a;
  double const y = *(double const*)b;
  return (x > y) - (x < y);
}

/* Sorts the numbers. */
static inline double median(double* numbers, int num) {
  qsort(numbers, (size_t)num, sizeof(double), compare_numbers);
  return num % 2 == 1 ? numbers[num / 2] : (numbers[num / 2 - 1] + numbers[num / 2]) / 2;
}

#endif
