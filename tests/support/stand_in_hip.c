/* SPDX-License-Identifier: Apache-2.0 */

/* The functions of libamdhip64.so.6 that are looked up, for the memory of stand_in_devices.h. */

#include <stddef.h>

#include "tests/support/stand_in_devices.h"

enum { success = 0, invalid_value = 1 };

enum { attribute_memory_type = 2 };

enum { unregistered_memory = 0, device_memory = 2 };

enum { copy_by_addresses = 4 };

int hipPointerGetAttribute(void* data, int attribute, void* pointer);
int hipMemcpy(void* to, void const* from, size_t num_bytes, int kind);
int hipRuntimeGetVersion(int* version);

int hipPointerGetAttribute(void* data, int attribute, void* pointer) {
  if (attribute != attribute_memory_type) {
    return invalid_value;
  }
  *(unsigned int*)data = stand_in_holds(pointer) ? device_memory : unregistered_memory;
  return success;
}

int hipMemcpy(void* to, void const* from, size_t num_bytes, int kind) {
  if (kind != copy_by_addresses) {
    return invalid_value;
  }
  stand_in_copy(to, from, num_bytes);
  return success;
}

int hipRuntimeGetVersion(int* version) {
  *version = 60200000;
  return success;
}
