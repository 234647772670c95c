// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/ucx/ucx_segment.hpp"

#include <cstring>

#include "espalier/onesided/lines.hpp"
#include "espalier/onesided/remote.hpp"
#include "espalier/onesided/ucx/ucx_library.hpp"
#include "espalier/onesided/ucx/ucx_request.hpp"

namespace espalier::onesided {
namespace {

std::byte* address_of(ucp_mem_h mapped) {
  ucp_mem_attr_t attributes{};
  attributes.field_mask = UCP_MEM_ATTR_FIELD_ADDRESS;
  require_ucx(ucx().ucp_mem_query(mapped, &attributes), "ucp_mem_query");
  return static_cast<std::byte*>(attributes.address);
}

}  // namespace

std::uint64_t
UcxSegment::counter_behind(std::uint64_t segment_bytes, std::uint64_t counter) noexcept {
  return whole_lines(segment_bytes) + counter * counter_bytes;
}

UcxSegment::UcxSegment(ucp_context_h context, std::uint64_t segment_bytes) : context_(context) {
  std::uint64_t const num_bytes = counter_behind(segment_bytes, num_counters);
  ucp_mem_map_params_t parameters{};
  parameters.field_mask = UCP_MEM_MAP_PARAM_FIELD_LENGTH | UCP_MEM_MAP_PARAM_FIELD_FLAGS;
  parameters.length = num_bytes;
  parameters.flags = UCP_MEM_MAP_ALLOCATE;
  require_ucx(ucx().ucp_mem_map(context, &parameters, &mapped_), "ucp_mem_map");
  memory_ = address_of(mapped_);
  std::memset(memory_, 0, num_bytes);
}

UcxSegment::~UcxSegment() {
  ucx().ucp_mem_unmap(context_, mapped_);
}

std::vector<std::byte> UcxSegment::key() const {
  void* buffer = nullptr;
  std::size_t num_bytes = 0;
  require_ucx(ucx().ucp_rkey_pack(context_, mapped_, &buffer, &num_bytes), "ucp_rkey_pack");
  auto const* const bytes = static_cast<std::byte const*>(buffer);
  std::vector<std::byte> copy(bytes, bytes + num_bytes);
  ucx().ucp_rkey_buffer_release(buffer);
  return copy;
}

}  // namespace espalier::onesided
