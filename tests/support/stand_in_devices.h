/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Memory that plays that of an accelerator: pages that the processor may not touch while they are
 * "on the device". The runtimes in stand_in_cuda.c,
 * stand_in_hip.c and stand_in_level_zero.c know and copy them.
 */

#ifndef ESPALIER_TESTS_STAND_IN_DEVICES_H
#define ESPALIER_TESTS_STAND_IN_DEVICES_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that the processor may touch until stand_in_lock(). Ends the program if there is none. */
void* stand_in_allocate(size_t num_bytes);
void stand_in_free(void* memory);

/* From here on the processor faults at all of this memory, up to stand_in_unlock(). */
void stand_in_lock(void);
void stand_in_unlock(void);

/* 1 if an address is in such memory. */
int stand_in_holds(void const* address);
/* Copies between any memory, in the dark of a device. Returns the number of copies so far. */
long stand_in_copy(void* to, void const* from, size_t num_bytes);
long stand_in_num_copies(void);

#ifdef __cplusplus
}
#endif

#endif
