// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <hwloc.h>

namespace espalier::machine {

/// The functions of libhwloc that we call. The library is opened when it is first asked for, and it
/// is never linked: what we build also runs where there is none.
struct HwlocLibrary {
  decltype(&hwloc_topology_init) topology_init = nullptr;
  decltype(&hwloc_topology_destroy) topology_destroy = nullptr;
  decltype(&hwloc_topology_load) topology_load = nullptr;
  decltype(&hwloc_topology_set_flags) topology_set_flags = nullptr;
  decltype(&hwloc_topology_set_io_types_filter) topology_set_io_types_filter = nullptr;
  decltype(&hwloc_topology_set_type_filter) topology_set_type_filter = nullptr;
  decltype(&hwloc_topology_set_xmlbuffer) topology_set_xmlbuffer = nullptr;
  decltype(&hwloc_topology_get_allowed_cpuset) topology_get_allowed_cpuset = nullptr;
  decltype(&hwloc_get_type_depth) get_type_depth = nullptr;
  decltype(&hwloc_get_nbobjs_by_depth) get_nbobjs_by_depth = nullptr;
  decltype(&hwloc_get_obj_by_depth) get_obj_by_depth = nullptr;
  decltype(&hwloc_bitmap_isset) bitmap_isset = nullptr;
  decltype(&hwloc_bitmap_weight) bitmap_weight = nullptr;
#if HWLOC_API_VERSION >= 0x00020400
  /// Since version 2.4; null in an older library.
  decltype(&hwloc_cpukinds_get_nr) cpukinds_get_nr = nullptr;
#endif
};

/// The library of this machine; null if it has none of version 2. Stays open until the process
/// ends.
[[nodiscard]] HwlocLibrary const* hwloc_library() noexcept;

}  // namespace espalier::machine
