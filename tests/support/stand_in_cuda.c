/* SPDX-License-Identifier: Apache-2.0 */

/* The functions of libcuda.so.1 that are looked up, for the memory of stand_in_devices.h. */

#include <stddef.h>
#include <stdint.h>

#include "tests/support/stand_in_devices.h"

enum { success = 0, invalid_value = 1, invalid_context = 201 };

enum {
  attribute_context = 1,
  attribute_memory_type = 2,
  attribute_is_managed = 8,
  attribute_device_ordinal = 9
};

enum { own_device = 3 };

enum { device_memory = 2 };

static int a_context;
static void* current_context;

int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer);
int cuMemcpy(unsigned long long to, unsigned long long from, size_t num_bytes);
int cuCtxPushCurrent_v2(void* context);
int cuCtxPopCurrent_v2(void** context);
int cuDevicePrimaryCtxRetain(void** context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);

/* Every other page is of a pool, as with cudaMallocAsync, and belongs to no context. */
static int is_of_pool(unsigned long long pointer) {
  return (pointer >> 12U) % 2 == 1;
}

int cuPointerGetAttribute(void* data, int attribute, unsigned long long pointer) {
  if (!stand_in_holds((void const*)(uintptr_t)pointer)) {
    return invalid_value;
  }
  switch (attribute) {
  case attribute_context:
    *(void**)data = is_of_pool(pointer) ? NULL : &a_context;
    return success;
  case attribute_device_ordinal:
    *(int*)data = own_device;
    return success;
  case attribute_memory_type:
    *(unsigned int*)data = device_memory;
    return success;
  case attribute_is_managed:
    *(unsigned int*)data = 0;
    return success;
  default:
    return invalid_value;
  }
}

/* As there, nothing is copied without a context. */
int cuMemcpy(unsigned long long to, unsigned long long from, size_t num_bytes) {
  if (current_context != &a_context) {
    return invalid_context;
  }
  stand_in_copy((void*)(uintptr_t)to, (void const*)(uintptr_t)from, num_bytes);
  return success;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  if (device != own_device) {
    return invalid_value;
  }
  *context = &a_context;
  return success;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  return device == own_device ? success : invalid_value;
}

int cuCtxPushCurrent_v2(void* context) {
  current_context = context;
  return success;
}

int cuCtxPopCurrent_v2(void** context) {
  *context = current_context;
  current_context = NULL;
  return success;
}
