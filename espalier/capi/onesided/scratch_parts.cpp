// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/scratch_parts.hpp"

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::capi {
namespace {

constexpr std::uint64_t bits_of_word = 64;

std::uint64_t bit_of(std::uint64_t unit) noexcept {
  return std::uint64_t{1} << unit % bits_of_word;
}

bool is_set(ScratchParts::Taken const& taken, std::uint64_t unit) noexcept {
  return (taken[unit / bits_of_word] & bit_of(unit)) != 0;
}

/// Without overflow for any number.
constexpr std::uint64_t whole_units(std::uint64_t num_bytes) noexcept {
  return num_bytes / ScratchParts::unit_bytes + (num_bytes % ScratchParts::unit_bytes != 0 ? 1 : 0);
}

}  // namespace

ScratchParts::ScratchParts(std::uint64_t num_bytes)
    : num_units_(whole_units(num_bytes)),
      taken_(static_cast<std::size_t>((num_units_ + bits_of_word - 1) / bits_of_word)) {}

onesided::Region ScratchParts::take(Taken const& joined, std::uint64_t num_bytes) {
  std::uint64_t const wanted = whole_units(num_bytes);
  std::uint64_t length = 0;
  for (std::uint64_t unit = 0; unit < num_units_; ++unit) {
    length = is_set(joined, unit) ? 0 : length + 1;
    if (length == wanted) {
      onesided::Region const part{
          .offset = (unit + 1 - wanted) * unit_bytes,
          .num_bytes = wanted * unit_bytes,
      };
      mark(part, true);
      return part;
    }
  }
  throw Error(
      ErrorCode::no_memory,
      formatted(
          "expected {} adjacent bytes of the {} bytes of scratch space that no team of any member "
          "has; free teams, take less, or attach the conduit with more scratch_bytes",
          num_bytes,
          this->num_bytes()
      )
  );
}

void ScratchParts::give_back(onesided::Region const& part) noexcept {
  mark(part, false);
}

void ScratchParts::mark(onesided::Region const& part, bool is_taken) noexcept {
  std::uint64_t const begin = part.offset / unit_bytes;
  for (std::uint64_t unit = begin; unit < begin + part.num_bytes / unit_bytes; ++unit) {
    std::uint64_t& word = taken_[unit / bits_of_word];
    word = is_taken ? word | bit_of(unit) : word & ~bit_of(unit);
  }
}

}  // namespace espalier::capi
