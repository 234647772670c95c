// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/hwloc_library.hpp"

#include <dlfcn.h>
#include <optional>

namespace espalier::machine {
namespace {

/// All of version 2 have this name; version 3 has another.
constexpr char const* file_name = "libhwloc.so.15";

/// Finds one function; false if the library does not have it.
template <typename Function>
bool find(void* library, char const* name, Function& function) noexcept {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<HwlocLibrary> open() noexcept {
  void* const library = dlopen(file_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return std::nullopt;
  }
  HwlocLibrary found;
#if HWLOC_API_VERSION >= 0x00020400
  find(library, "hwloc_cpukinds_get_nr", found.cpukinds_get_nr);
#endif
  bool const is_complete =
      find(library, "hwloc_topology_init", found.topology_init) &&
      find(library, "hwloc_topology_destroy", found.topology_destroy) &&
      find(library, "hwloc_topology_load", found.topology_load) &&
      find(library, "hwloc_topology_set_flags", found.topology_set_flags) &&
      find(library, "hwloc_topology_set_io_types_filter", found.topology_set_io_types_filter) &&
      find(library, "hwloc_topology_set_type_filter", found.topology_set_type_filter) &&
      find(library, "hwloc_topology_set_xmlbuffer", found.topology_set_xmlbuffer) &&
      find(library, "hwloc_topology_get_allowed_cpuset", found.topology_get_allowed_cpuset) &&
      find(library, "hwloc_get_type_depth", found.get_type_depth) &&
      find(library, "hwloc_get_nbobjs_by_depth", found.get_nbobjs_by_depth) &&
      find(library, "hwloc_get_obj_by_depth", found.get_obj_by_depth) &&
      find(library, "hwloc_bitmap_isset", found.bitmap_isset) &&
      find(library, "hwloc_bitmap_weight", found.bitmap_weight);
  return is_complete ? std::optional(found) : std::nullopt;
}

}  // namespace

HwlocLibrary const* hwloc_library() noexcept {
  static std::optional<HwlocLibrary> const library = open();
  return library ? &*library : nullptr;
}

}  // namespace espalier::machine
