// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/hwloc.hpp"

#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <type_traits>

#include <hwloc.h>

#include "espalier/base/error.hpp"

namespace espalier::machine {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};

using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, Destroy>;

/// Without what is not processors, memory or caches, but with processors that are not allowed.
Topology prepared() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    throw Error(ErrorCode::no_memory, "hwloc could not make a topology");
  }
  Topology topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  hwloc_topology_set_io_types_filter(raw, HWLOC_TYPE_FILTER_KEEP_NONE);
  hwloc_topology_set_type_filter(raw, HWLOC_OBJ_MISC, HWLOC_TYPE_FILTER_KEEP_NONE);
  return topology;
}

/// The number of the object of a type above a processor, -1 if there is none.
int above(hwloc_topology_t topology, hwloc_obj_t processor, hwloc_obj_type_t type) {
  hwloc_obj_t const object = hwloc_get_ancestor_obj_by_type(topology, type, processor);
  return object == nullptr ? -1 : static_cast<int>(object->logical_index);
}

/// The number of the first of the smallest memories that serve a processor. Memories with the same
/// processors give the same number.
int memory_of(hwloc_topology_t topology, hwloc_obj_t processor) {
  hwloc_obj_t best = nullptr;
  hwloc_obj_t memory = nullptr;
  while ((memory = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, memory)) != nullptr) {
    bool const serves = hwloc_bitmap_isset(memory->cpuset, processor->os_index) != 0;
    if (serves && (best == nullptr ||
                   hwloc_bitmap_weight(memory->cpuset) < hwloc_bitmap_weight(best->cpuset))) {
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
  NodeTree tree{.source = "hwloc", .processors = {}};
  hwloc_const_cpuset_t const allowed = hwloc_topology_get_allowed_cpuset(topology);
  hwloc_obj_t processor = nullptr;
  while ((processor = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, processor)) != nullptr) {
    if (hwloc_bitmap_isset(allowed, processor->os_index) != 0) {
      tree.processors.push_back(describe(topology, processor));
    } else {
      ++tree.num_disallowed;
    }
  }
#if HWLOC_API_VERSION >= 0x00020400
  int const num_kinds = hwloc_cpukinds_get_nr(topology, 0);
  tree.num_core_kinds = num_kinds > 1 ? num_kinds : 1;
#endif
  return tree;
}

}  // namespace

bool has_hwloc() noexcept {
  return true;
}

NodeTree read_hwloc_xml(std::string_view xml, std::string_view origin) {
  Topology const topology = prepared();
  std::string const text(xml);
  auto const num_bytes = static_cast<int>(text.size() + 1);
  bool const is_read = hwloc_topology_set_xmlbuffer(topology.get(), text.c_str(), num_bytes) == 0 &&
                       hwloc_topology_load(topology.get()) == 0;
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
  if (hwloc_topology_load(topology.get()) != 0) {
    throw Error(
        ErrorCode::io, std::string("hwloc could not read this node: ") + std::strerror(errno)
    );
  }
  return tree_of(topology.get());
}

}  // namespace espalier::machine
