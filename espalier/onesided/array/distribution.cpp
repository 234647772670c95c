// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/array/distribution.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/onesided/array/requirement.hpp"

namespace espalier::onesided {
namespace {

/// Elements of a rank: their bytes have to fit into 64 bits whatever the type is.
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

void check_numbers(ArrayDimension const& one, std::size_t dim) {
  require(
      one.extent >= 1 && one.extent <= most_elements,
      formatted(
          "expected an extent in 1 .. {} in dimension {}, got {}", most_elements, dim, one.extent
      )
  );
  require(
      one.block >= 0 && one.block <= most_elements,
      formatted(
          "expected blocks of 0 .. {} elements in dimension {}, got {}",
          most_elements,
          dim,
          one.block
      )
  );
  require(
      one.grid >= 0,
      formatted("expected at least 0 processes in dimension {}, got {}", dim, one.grid)
  );
}

[[noreturn]] void throw_outside(ArrayDimension const& one, std::size_t dim, std::int64_t element) {
  throw Error(
      ErrorCode::argument,
      formatted(
          "expected an element in 0 .. {} in dimension {}, got {}", one.extent - 1, dim, element
      )
  );
}

std::int64_t limited_product(std::int64_t a, std::int64_t b) {
  require(
      b <= most_elements / a,
      formatted("expected an array of at most {} elements on each process", most_elements)
  );
  return a * b;
}

}  // namespace

std::int64_t ArrayDimension::num_blocks() const noexcept {
  return ceil_div(extent, block);
}

std::int64_t ArrayDimension::num_slots() const noexcept {
  return ceil_div(num_blocks(), std::int64_t{grid});
}

Distribution::Distribution(std::vector<ArrayDimension> dims, int num_ranks)
    : dims_(std::move(dims)) {
  require(
      !dims_.empty() && dims_.size() <= most_dims,
      formatted("expected 1 .. {} dimensions, got {}", most_dims, dims_.size())
  );
  for (std::size_t dim = 0; dim < dims_.size(); ++dim) {
    check_numbers(dims_[dim], dim);
  }
  choose_grid(num_ranks);
  for (ArrayDimension& one : dims_) {
    if (one.block == 0) {
      one.block = ceil_div(one.extent, std::int64_t{one.grid});
    }
  }
  check_sizes();
}

void Distribution::choose_grid(int num_ranks) {
  std::int64_t fixed = 1;
  ArrayDimension* open = nullptr;
  for (ArrayDimension& one : dims_) {
    if (one.grid == 0) {
      require(open == nullptr, "expected a grid with 0 in one dimension at most, got several");
      open = &one;
    } else {
      fixed = std::min<std::int64_t>(fixed * one.grid, std::numeric_limits<int>::max());
    }
  }
  require(
      open == nullptr ? fixed == num_ranks : num_ranks % fixed == 0,
      formatted(
          "expected a grid of the {} processes of the team, got one whose dimensions have {}",
          num_ranks,
          fixed
      )
  );
  if (open != nullptr) {
    open->grid = static_cast<int>(num_ranks / fixed);
  }
}

void Distribution::check_sizes() {
  for (ArrayDimension const& one : dims_) {
    block_elements_ = limited_product(block_elements_, one.block);
    num_slots_ = limited_product(num_slots_, one.num_slots());
  }
  limited_product(block_elements_, num_slots_);
}

BlockPlace Distribution::block_place(ArrayIndex const& block) const noexcept {
  BlockPlace place;
  for (std::size_t dim = 0; dim < dims_.size(); ++dim) {
    ArrayDimension const& one = dims_[dim];
    place.rank = place.rank * one.grid + static_cast<int>(block[dim] % one.grid);
    place.slot = place.slot * one.num_slots() + block[dim] / one.grid;
  }
  return place;
}

ElementPlace Distribution::element_place(ArrayIndex const& element) const {
  ArrayIndex block{};
  std::int64_t within = 0;
  for (std::size_t dim = 0; dim < dims_.size(); ++dim) {
    ArrayDimension const& one = dims_[dim];
    if (element[dim] < 0 || element[dim] >= one.extent) {
      throw_outside(one, dim, element[dim]);
    }
    block[dim] = element[dim] / one.block;
    within = within * one.block + element[dim] % one.block;
  }
  BlockPlace const place = block_place(block);
  return {.rank = place.rank, .position = place.slot * block_elements_ + within};
}

}  // namespace espalier::onesided
