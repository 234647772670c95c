// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/layout.hpp"

#include <algorithm>
#include <string>

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
    : rule_(rule), num_blocks_(num_blocks), num_elements_(num_elements),
      extent_bytes_(extent_bytes) {}

Layout Layout::uniform(
    int num_blocks, std::int64_t elements_per_block, std::int64_t element_extent_bytes
) {
  require_at_least("num_blocks", num_blocks, 0);
  require_at_least("elements_per_block", elements_per_block, 0);
  return {Rule::uniform, num_blocks, num_blocks * elements_per_block, element_extent_bytes};
}

template <typename Integer>
Layout Layout::copied(
    std::span<Integer const> counts,
    std::span<Integer const> displacements,
    std::int64_t extent_bytes
) {
  if (counts.size() != displacements.size()) {
    throw Error(
        ErrorCode::argument,
        "counts and displacements must have the same length, got " + std::to_string(counts.size()) +
            " and " + std::to_string(displacements.size())
    );
  }
  Layout layout(Rule::varying, static_cast<int>(counts.size()), 0, extent_bytes);
  layout.extents_.reserve(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    require_at_least("a count", counts[i], 0);
    layout.extents_.push_back(
        {.offset_bytes = displacements[i] * extent_bytes, .num_elements = counts[i]}
    );
    layout.num_elements_ += counts[i];
  }
  return layout;
}

Layout Layout::varying(
    std::span<int const> counts,
    std::span<int const> displacements,
    std::int64_t element_extent_bytes
) {
  return copied(counts, displacements, element_extent_bytes);
}

Layout Layout::varying(
    std::span<std::int64_t const> counts,
    std::span<std::int64_t const> displacements,
    std::int64_t element_extent_bytes
) {
  return copied(counts, displacements, element_extent_bytes);
}

Layout
Layout::pieces(std::int64_t num_elements, int num_blocks, std::int64_t element_extent_bytes) {
  require_at_least("num_blocks", num_blocks, 1);
  require_at_least("num_elements", num_elements, 0);
  Layout layout(Rule::pieces, num_blocks, num_elements, element_extent_bytes);
  layout.granule_ = element_extent_bytes == 1 ? granule_bytes : 1;
  return layout;
}

Extent Layout::block(int index) const noexcept {
  switch (rule_) {
  case Rule::uniform: {
    std::int64_t const size = num_elements_ / num_blocks_;
    return {.offset_bytes = index * size * extent_bytes_, .num_elements = size};
  }
  case Rule::varying:
    return extents_[static_cast<std::size_t>(index)];
  case Rule::pieces: {
    std::int64_t const num_granules = ceil_div(num_elements_, granule_);
    auto const begin_of = [&](int block) {
      return std::min(num_elements_, granule_ * part_begin(num_granules, num_blocks_, block));
    };
    std::int64_t const begin = begin_of(index);
    return {.offset_bytes = begin * extent_bytes_, .num_elements = begin_of(index + 1) - begin};
  }
  }
  return {};
}

Layout Layout::in_bytes() const {
  Layout result = *this;
  result.num_elements_ *= extent_bytes_;
  result.granule_ *= extent_bytes_;
  result.extent_bytes_ = 1;
  for (Extent& extent : result.extents_) {
    extent.num_elements *= extent_bytes_;
  }
  return result;
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
