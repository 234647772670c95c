/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Loaded with LD_PRELOAD into test programs that use MPICH 4.0 over UCX; never part of the product.
 *
 * Tests start more ranks than there are cores. MPICH 4.0 waits by polling UCX without ever giving
 * up the CPU, so the rank that could send the awaited message runs only when the scheduler takes
 * the CPU away, one tick later: every message costs milliseconds. Here a poll that found nothing
 * to do yields.
 *
 * MPI_Finalize of the same version flushes its UCX endpoints after some peers have already entered
 * a barrier in which they poll no longer, and then waits for them for ever. All communication is
 * complete at that point, so closing an endpoint is reported as done at once.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

typedef unsigned progress_function(void* worker);

EXPORTED unsigned ucp_worker_progress(void* worker);
EXPORTED void* ucp_disconnect_nb(void* endpoint);

static progress_function* real_progress(void) {
  static _Atomic(progress_function*) found;
  progress_function* function = atomic_load_explicit(&found, memory_order_acquire);
  if (function == NULL) {
    /* ISO C has no cast from an object pointer to a function pointer; POSIX promises equal bits. */
    void* const symbol = dlsym(RTLD_NEXT, "ucp_worker_progress");
    memcpy(&function, &symbol, sizeof function);
    atomic_store_explicit(&found, function, memory_order_release);
  }
  return function;
}

unsigned ucp_worker_progress(void* worker) {
  unsigned const num_events = real_progress()(worker);
  if (num_events == 0) {
    sched_yield();
  }
  return num_events;
}

void* ucp_disconnect_nb(void* endpoint) {
  (void)endpoint;
  return NULL;
}
