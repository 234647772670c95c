/* SPDX-License-Identifier: Apache-2.0 */

/*
 * The functions of libze_loader.so.1 that are looked up, for the memory of stand_in_devices.h.
 * There are two drivers; the second one knows that memory.
 */

#include <stddef.h>
#include <stdint.h>

#include "tests/support/stand_in_devices.h"

enum { success = 0, uninitialized = 0x78000001, invalid_argument = 0x78000004 };

enum { context_description = 0xd, queue_description = 0xe, allocation_properties = 0x17 };

enum { unknown_memory = 0, device_memory = 2 };

enum { synchronous = 1 };

struct context_description {
  int structure;
  void const* next;
  uint32_t flags;
};

struct queue_description {
  int structure;
  void const* next;
  uint32_t group;
  uint32_t index;
  uint32_t flags;
  int mode;
  int priority;
};

struct allocation {
  int structure;
  void* next;
  int type;
  uint64_t id;
  uint64_t page_size;
};

static int drivers[2];
static int contexts[2];
static int a_device;
static int a_list;
static int is_initialized;

int zeInit(uint32_t flags);
int zeDriverGet(uint32_t* count, void** found);
int zeContextCreate(void* driver, struct context_description const* description, void** context);
int zeMemGetAllocProperties(
    void* context, void const* address, struct allocation* found, void** device
);
int zeCommandListCreateImmediate(
    void* context, void* device, struct queue_description const* description, void** list
);
int zeCommandListAppendMemoryCopy(
    void* list,
    void* to,
    void const* from,
    size_t num_bytes,
    void* signalled,
    uint32_t num_awaited,
    void** awaited
);

int zeInit(uint32_t flags) {
  is_initialized = flags == 0;
  return success;
}

int zeDriverGet(uint32_t* count, void** found) {
  if (!is_initialized) {
    return uninitialized;
  }
  for (uint32_t i = 0; found != NULL && i < *count && i < 2; ++i) {
    found[i] = &drivers[i];
  }
  *count = 2;
  return success;
}

int zeContextCreate(void* driver, struct context_description const* description, void** context) {
  if (description->structure != context_description || description->next != NULL) {
    return invalid_argument;
  }
  *context = driver == &drivers[0] ? &contexts[0] : &contexts[1];
  return success;
}

int zeMemGetAllocProperties(
    void* context, void const* address, struct allocation* found, void** device
) {
  if (found->structure != allocation_properties || found->next != NULL) {
    return invalid_argument;
  }
  int const is_known = context == &contexts[1] && stand_in_holds(address);
  found->type = is_known ? device_memory : unknown_memory;
  *device = is_known ? &a_device : NULL;
  return success;
}

int zeCommandListCreateImmediate(
    void* context, void* device, struct queue_description const* description, void** list
) {
  if (context != &contexts[1] || device != &a_device ||
      description->structure != queue_description || description->mode != synchronous) {
    return invalid_argument;
  }
  *list = &a_list;
  return success;
}

int zeCommandListAppendMemoryCopy(
    void* list,
    void* to,
    void const* from,
    size_t num_bytes,
    void* signalled,
    uint32_t num_awaited,
    void** awaited
) {
  if (list != &a_list || signalled != NULL || num_awaited != 0 || awaited != NULL) {
    return invalid_argument;
  }
  stand_in_copy(to, from, num_bytes);
  return success;
}
