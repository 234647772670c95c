// SPDX-License-Identifier: Apache-2.0

// The C++ library that is linked into ours unwinds the stack with _dl_find_object(), which the GNU
// C library has since 2.35. Clusters have older ones, so files with their own C++ library also have
// their own _dl_find_object(), made from dl_iterate_phdr(). It is slower, and nothing of ours
// throws where time matters. Where the structure has further members (neither x86-64 nor AArch64
// nor POWER), this file is empty, and the function of the C library is called.

#include <cstddef>
#include <cstdint>
#include <dlfcn.h>

#include <link.h>

#if defined(DLFO_EH_SEGMENT_TYPE) && !DLFO_STRUCT_HAS_EH_DBASE && !DLFO_STRUCT_HAS_EH_COUNT

namespace {

struct Search {
  std::uintptr_t address = 0;
  dl_find_object* found = nullptr;
};

void* pointer_to(std::uintptr_t address) {
  return reinterpret_cast<void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

// Returns 1, which ends the iteration, at the object that holds the address and can be unwound.
int look_into(dl_phdr_info* object, std::size_t /*size*/, void* data) {
  auto& search = *static_cast<Search*>(data);
  bool is_here = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    auto const& part = object->dlpi_phdr[i];
    std::uintptr_t const begin = object->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && search.address - begin < part.p_memsz) {
      search.found->dlfo_map_start = pointer_to(begin);
      search.found->dlfo_map_end = pointer_to(begin + part.p_memsz);
      is_here = true;
    } else if (part.p_type == DLFO_EH_SEGMENT_TYPE) {
      search.found->dlfo_eh_frame = pointer_to(begin);
    }
  }
  if (!is_here) {
    search.found->dlfo_eh_frame = nullptr;
  }
  return is_here && search.found->dlfo_eh_frame != nullptr ? 1 : 0;
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) int
_dl_find_object(void* address, dl_find_object* found) noexcept {
  *found = {};
  Search search{.address = reinterpret_cast<std::uintptr_t>(address), .found = found};
  return dl_iterate_phdr(look_into, &search) == 1 ? 0 : -1;
}

#endif
