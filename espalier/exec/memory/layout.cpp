// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/memory/layout.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"

namespace espalier::exec {
namespace {

/// Boundaries between pieces of a message in bytes: a cache line, and a multiple of every basic
/// type.
constexpr std::int64_t granule_bytes = 64;

void require_at_least(char const* what, std::int64_t value, std::int64_t minimum) {
  if (value < minimum) {
    throw Error(
        ErrorCode::argument,
        std::string(what) + " must be at least " + std::to_string(minimum) + ", got " +
            std::to_string(value)
    );
  }
}

}  // namespace

Layout::Layout(Rule rule, int num_blocks, std::int64_t num_elements, std::int64_t extent_bytes)
    : rule_(rule), num_blocks_(num_blocks), num_placed_(num_blocks), num_elements_(num_elements),
      extent_bytes_(extent_bytes) {}

Layout Layout::uniform(
    int num_blocks, std::int64_t elements_per_block, std::int64_t element_extent_bytes
) {
  require_at_least("num_blocks", num_blocks, 0);
  require_at_least("elements_per_block", elements_per_block, 0);
  return {Rule::uniform, num_blocks, num_blocks * elements_per_block, element_extent_bytes};
}

Layout Layout::varying(Integers counts, Integers displacements, std::int64_t element_extent_bytes) {
  if (counts.size() != displacements.size()) {
    throw Error(
        ErrorCode::argument,
        "counts and displacements must have the same length, got " + std::to_string(counts.size()) +
            " and " + std::to_string(displacements.size())
    );
  }
  Layout layout(Rule::varying, static_cast<int>(counts.size()), 0, element_extent_bytes);
  layout.extents_.reserve(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    require_at_least("a count", counts[i], 0);
    layout.extents_.push_back(
        {.offset_bytes = displacements[i] * element_extent_bytes, .num_elements = counts[i]}
    );
    layout.num_elements_ += counts[i];
  }
  return layout;
}

Layout Layout::of(std::vector<Extent> extents, std::int64_t element_extent_bytes) {
  Layout layout(Rule::varying, static_cast<int>(extents.size()), 0, element_extent_bytes);
  for (Extent const& extent : extents) {
    layout.num_elements_ += extent.num_elements;
  }
  layout.extents_ = std::move(extents);
  return layout;
}

Layout
Layout::pieces(std::int64_t num_elements, int num_blocks, std::int64_t element_extent_bytes) {
  Layout layout = uniform(1, num_elements, element_extent_bytes).divided(num_blocks);
  layout.granule_ = element_extent_bytes == 1 ? granule_bytes : 1;
  return layout;
}

Layout Layout::divided(int num_pieces) const {
  require_at_least("num_pieces", num_pieces, 1);
  Layout result = *this;
  result.num_pieces_ *= num_pieces;
  result.num_blocks_ *= num_pieces;
  result.num_placed_ *= num_pieces;
  result.first_ *= num_pieces;
  return result;
}

Layout Layout::within(int num_blocks, int first) const {
  require_at_least("first", first, 0);
  require_at_least("num_blocks", num_blocks, std::int64_t{first} + num_blocks_);
  Layout result = *this;
  result.num_blocks_ = num_blocks;
  result.first_ += first;
  return result;
}

Extent Layout::whole(int index) const noexcept {
  if (rule_ == Rule::varying) {
    return extents_[static_cast<std::size_t>(index)];
  }
  std::int64_t const size = num_elements_ / (num_placed_ / num_pieces_);
  return {.offset_bytes = index * size * extent_bytes_, .num_elements = size};
}

Extent Layout::block(int index) const noexcept {
  int const placed = index - first_;
  Extent const all = whole(placed / num_pieces_);
  if (num_pieces_ == 1) {
    return all;
  }
  std::int64_t const num_granules = ceil_div(all.num_elements, granule_);
  auto const begin_of = [&](int piece) {
    return std::min(all.num_elements, granule_ * part_begin(num_granules, num_pieces_, piece));
  };
  std::int64_t const begin = begin_of(placed % num_pieces_);
  return {
      .offset_bytes = all.offset_bytes + begin * extent_bytes_,
      .num_elements = begin_of(placed % num_pieces_ + 1) - begin,
      .type = all.type,
  };
}

Layout Layout::in_bytes() const {
  return sizes(extent_bytes_);
}

Layout Layout::sizes(std::int64_t bytes_per_element) const {
  Layout result = *this;
  result.num_elements_ *= bytes_per_element;
  result.granule_ *= bytes_per_element;
  result.extent_bytes_ = 1;
  for (Extent& extent : result.extents_) {
    extent.num_elements *= bytes_per_element;
  }
  return bytes_per_element == 0 ? without_elements() : result;
}

Layout Layout::without_elements() const {
  Layout result = *this;
  result.num_elements_ = 0;
  for (Extent& extent : result.extents_) {
    extent.num_elements = 0;
  }
  return result;
}

std::size_t Layout::memory_bytes() const noexcept {
  return sizeof(*this) + extents_.capacity() * sizeof(Extent);
}

}  // namespace espalier::exec
