// SPDX-License-Identifier: Apache-2.0

#include "tests/property/guarded_memory.hpp"

#include <algorithm>
#include <utility>

namespace espalier::exec {
namespace {

constexpr std::byte guard{0xA5};
constexpr std::int64_t guard_bytes = 64;

std::int64_t end_of(Layout const& layout) {
  std::int64_t end = 0;
  for (int b = 0; b < layout.num_blocks(); ++b) {
    if (layout.has_place(b)) {
      Extent const place = layout.block(b);
      end = std::max(end, place.offset_bytes + place.num_elements * layout.element_extent_bytes());
    }
  }
  return end;
}

}  // namespace

Place guarded(Layout layout) {
  auto const size = static_cast<std::size_t>(end_of(layout) + 2 * guard_bytes);
  return {std::move(layout), Memory(size, guard)};
}

Place nothing(int num_blocks, std::int64_t extent_bytes) {
  return guarded(Layout::uniform(0, 0, extent_bytes).within(num_blocks, 0));
}

std::byte* address(Memory& memory) {
  return memory.data() + guard_bytes;
}

void fill(Place& place, int block, Content const& content) {
  Extent const extent = place.layout.block(block);
  std::int64_t const num_bytes = extent.num_elements * place.layout.element_extent_bytes();
  for (std::int64_t i = 0; i < num_bytes; ++i) {
    address(place.memory)[extent.offset_bytes + i] = content(block, i);
  }
}

Place filled(Layout const& layout, Content const& content) {
  Place place = guarded(layout);
  for (int b = 0; b < layout.num_blocks(); ++b) {
    if (layout.has_place(b)) {
      fill(place, b, content);
    }
  }
  return place;
}

}  // namespace espalier::exec
