// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/hwloc.hpp"

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <hwloc.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/sources/hwloc_library.hpp"

namespace espalier::machine {
namespace {

/// The library of this machine.
/// @throws Error unsupported if there is none.
HwlocLibrary const& hwloc() {
  HwlocLibrary const* const library = hwloc_library();
  if (library == nullptr) {
    throw Error(
        ErrorCode::unsupported,
        "expected libhwloc.so.15 on this machine, found none; install hwloc 2 (Debian: libhwloc15)"
    );
  }
  return *library;
}

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc().topology_destroy(topology); }
};

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

/// Without what is not processors, memory or caches, but with processors that are not allowed.
Topology prepared() {
  HwlocLibrary const& library = hwloc();
  hwloc_topology_t raw = nullptr;
  if (library.topology_init(&raw) != 0) {
    throw Error(ErrorCode::no_memory, "hwloc could not make a topology");
  }
  Topology topology(raw);
  library.topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  library.topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  library.topology_set_type_filter(raw, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  return topology;
}

/// All objects of a type.
std::vector<hwloc_obj_t> objects(hwloc_topology_t topology, hwloc_obj_type_t type) {
  int const depth = hwloc().get_type_depth(topology, type);
  std::vector<hwloc_obj_t> found(hwloc().get_nbobjs_by_depth(topology, depth));
  for (unsigned i = 0; i < found.size(); ++i) {
    found[i] = hwloc().get_obj_by_depth(topology, depth, i);
  }
  return found;
}

/// The number of the object of a type above a processor, -1 if there is none.
int above(hwloc_topology_t topology, hwloc_obj_t processor, hwloc_obj_type_t type) {
  hwloc_obj_t const object = hwloc_get_ancestor_obj_by_type(topology, type, processor);
  return object == nullptr ? -1 : static_cast<int>(object->logical_index);
}

/// The number of the first of the smallest memories that serve a processor. Memories with the same
/// processors give the same number.
int memory_of(hwloc_topology_t topology, hwloc_obj_t processor) {
  HwlocLibrary const& library = hwloc();
  hwloc_obj_t best = nullptr;
  for (hwloc_obj_t const memory : objects(topology, HWLOC_OBJ_NUMANODE)) {
    bool const serves = library.bitmap_isset(memory->cpuset, processor->os_index) != 0;
    if (serves && (best == nullptr ||
                   library.bitmap_weight(memory->cpuset) < library.bitmap_weight(best->cpuset))) {
      best = memory;
    }
  }
  return best == nullptr ? -1 : static_cast<int>(best->logical_index);
}

Processor describe(hwloc_topology_t topology, hwloc_obj_t processor) {
  Processor result{
      .os_number = static_cast<int>(processor->os_index),
      .package = above(topology, processor, HWLOC_OBJ_PACKAGE),
      .numa = memory_of(topology, processor),
      .l3 = above(topology, processor, HWLOC_OBJ_L3CACHE),
      .core = above(topology, processor, HWLOC_OBJ_CORE),
  };
  if (result.core < 0) {
    result.core = static_cast<int>(processor->logical_index);
  }
  return result;
}

NodeTree tree_of(hwloc_topology_t topology) {
  HwlocLibrary const& library = hwloc();
  NodeTree tree{.source = "hwloc", .processors = {}};
  hwloc_const_cpuset_t const allowed = library.topology_get_allowed_cpuset(topology);
  for (hwloc_obj_t const processor : objects(topology, HWLOC_OBJ_PU)) {
    if (library.bitmap_isset(allowed, processor->os_index) != 0) {
      tree.processors.push_back(describe(topology, processor));
    } else {
      ++tree.num_disallowed;
    }
  }
#if HWLOC_API_VERSION >= 0x00020400
  int const num_kinds =
      library.cpukinds_get_nr == nullptr ? 1 : library.cpukinds_get_nr(topology, 0);
  tree.num_core_kinds = num_kinds > 1 ? num_kinds : 1;
#endif
  return tree;
}

}  // namespace

bool has_hwloc() noexcept {
  return hwloc_library() != nullptr;
}

NodeTree read_hwloc_xml(std::string_view xml, std::string_view origin) {
  Topology const topology = prepared();
  std::string const text(xml);
  auto const num_bytes = static_cast<int>(text.size() + 1);
  bool const is_read =
      hwloc().topology_set_xmlbuffer(topology.get(), text.c_str(), num_bytes) == 0 &&
      hwloc().topology_load(topology.get()) == 0;
  NodeTree tree = is_read ? tree_of(topology.get()) : NodeTree{};
  if (tree.processors.empty()) {
    throw Error(
        ErrorCode::format,
        std::string(origin) +
            ": expected hwloc XML with processors, as lstopo --of xml writes it, " +
            (is_read ? "got none that may be used" : "got something else")
    );
  }
  return tree;
}

NodeTree read_hwloc_here() {
  Topology const topology = prepared();
  if (hwloc().topology_load(topology.get()) != 0) {
    throw Error(
        ErrorCode::io, std::string("hwloc could not read this node: ") + std::strerror(errno)
    );
  }
  return tree_of(topology.get());
}

}  // namespace espalier::machine
