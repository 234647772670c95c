/* SPDX-License-Identifier: Apache-2.0 */

#include "tests/support/stand_in_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MOST_ALLOCATIONS 4096

struct allocation {
  char* begin;
  size_t num_bytes; /* 0: free */
};

static struct allocation allocations[MOST_ALLOCATIONS];
static int is_locked;
static long num_copies;

static void fail(char const* what) {
  perror(what);
  abort();
}

static void protect(int protection) {
  for (int i = 0; i < MOST_ALLOCATIONS; ++i) {
    if (allocations[i].num_bytes > 0 &&
        mprotect(allocations[i].begin, allocations[i].num_bytes, protection) != 0) {
      fail("mprotect");
    }
  }
}

static struct allocation* find(void const* address) {
  for (int i = 0; i < MOST_ALLOCATIONS; ++i) {
    struct allocation* const one = &allocations[i];
    if ((char const*)address >= one->begin && (char const*)address < one->begin + one->num_bytes) {
      return one;
    }
  }
  return NULL;
}

void* stand_in_allocate(size_t num_bytes) {
  for (int i = 0; i < MOST_ALLOCATIONS; ++i) {
    if (allocations[i].num_bytes == 0) {
      size_t const whole = (num_bytes / 4096 + 1) * 4096;
      void* const memory =
          mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED) {
        fail("mmap");
      }
      allocations[i].begin = memory;
      allocations[i].num_bytes = whole;
      return memory;
    }
  }
  fprintf(stderr, "stand_in_devices: expected at most %d allocations\n", MOST_ALLOCATIONS);
  abort();
}

void stand_in_free(void* memory) {
  struct allocation* const one = find(memory);
  if (one != NULL) {
    munmap(one->begin, one->num_bytes);
    one->num_bytes = 0;
  }
}

void stand_in_lock(void) {
  protect(PROT_NONE);
  is_locked = 1;
}

void stand_in_unlock(void) {
  protect(PROT_READ | PROT_WRITE);
  is_locked = 0;
}

int stand_in_holds(void const* address) {
  return find(address) != NULL;
}

long stand_in_copy(void* to, void const* from, size_t num_bytes) {
  int const was_locked = is_locked;
  if (was_locked) {
    protect(PROT_READ | PROT_WRITE);
  }
  memcpy(to, from, num_bytes);
  if (was_locked) {
    protect(PROT_NONE);
  }
  return ++num_copies;
}

long stand_in_num_copies(void) {
  return num_copies;
}
