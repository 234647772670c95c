// SPDX-License-Identifier: Apache-2.0

#include "espalier/onesided/array/array_call.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/onesided/array/requirement.hpp"

namespace espalier::onesided {
namespace {

bool has_one_source(ArrayCollective collective) noexcept {
  return collective == ArrayCollective::bcast || collective == ArrayCollective::scatter;
}

bool has_one_target(ArrayCollective collective) noexcept {
  return collective == ArrayCollective::gather || collective == ArrayCollective::reduce;
}

void check_shapes(ArrayCall const& call) {
  require(
      !has_one_source(call.collective) || call.from.size() == 1,
      formatted(
          "expected one block to {} from, got a region of {}",
          to_string(call.collective),
          call.from.size()
      )
  );
  require(
      !has_one_target(call.collective) || call.to.size() == 1,
      formatted(
          "expected one block to {} to, got a region of {}",
          to_string(call.collective),
          call.to.size()
      )
  );
  require(
      call.collective != ArrayCollective::exchange || call.from.size() == call.to.size(),
      formatted(
          "expected two regions of as many blocks to exchange, got {} and {}",
          call.from.size(),
          call.to.size()
      )
  );
}

std::uint64_t pieces_of_source(ArrayCall const& call) noexcept {
  bool const is_cut =
      call.collective == ArrayCollective::scatter || call.collective == ArrayCollective::exchange;
  return is_cut ? call.to.size() : 1;
}

std::uint64_t pieces_of_target(ArrayCall const& call) noexcept {
  bool const is_cut =
      call.collective == ArrayCollective::gather || call.collective == ArrayCollective::exchange;
  return is_cut ? call.from.size() : 1;
}

void check_room(
    char const* side, std::uint64_t num_pieces, std::uint64_t piece_bytes, std::uint64_t block_bytes
) {
  require(
      piece_bytes <= block_bytes / num_pieces,
      formatted(
          "expected pieces of at most {} bytes, as each block that is {} has {} bytes for {} of "
          "them, got {}",
          block_bytes / num_pieces,
          side,
          block_bytes,
          num_pieces,
          piece_bytes
      )
  );
}

/// Bytes of a segment.
struct Extent {
  int rank;
  std::uint64_t begin;
  std::uint64_t end;
};

std::vector<Extent> extents_of(std::vector<OwnedBlock> const& blocks, std::uint64_t num_bytes) {
  std::vector<Extent> result;
  result.reserve(blocks.size());
  for (OwnedBlock const& block : blocks) {
    result.push_back({block.rank, block.offset, block.offset + num_bytes});
  }
  return result;
}

/// Blocks of a region do not overlap, so in order of their beginnings they end in order, too.
void check_overlap(ArrayCall const& call) {
  auto const reads = extents_of(call.from, pieces_of_source(call) * call.piece_bytes);
  auto writes = extents_of(call.to, pieces_of_target(call) * call.piece_bytes);
  std::ranges::sort(writes, {}, [](Extent const& one) { return std::pair(one.rank, one.begin); });
  for (Extent const& read : reads) {
    auto found = std::ranges::upper_bound(
        writes,
        std::pair(read.rank, read.begin),
        {},
        [](Extent const& one) { return std::pair(one.rank, one.end); }
    );
    bool const is_apart =
        found == writes.end() || found->rank != read.rank || found->begin >= read.end;
    bool const is_same =
        call.collective == ArrayCollective::bcast && !is_apart && found->begin == read.begin;
    if (!is_apart && !is_same) {
      throw Error(
          ErrorCode::argument,
          formatted(
              "expected regions that do not overlap, but process {} of the team would read and "
              "write its segment at offset {}",
              read.rank,
              std::max(read.begin, found->begin)
          )
      );
    }
  }
}

}  // namespace

std::string_view to_string(ArrayCollective collective) noexcept {
  switch (collective) {
  case ArrayCollective::bcast:
    return "bcast";
  case ArrayCollective::scatter:
    return "scatter";
  case ArrayCollective::gather:
    return "gather";
  case ArrayCollective::exchange:
    return "exchange";
  case ArrayCollective::reduce:
    return "reduce";
  }
  return "";
}

void check(ArrayCall const& call) {
  check_shapes(call);
  check_room("read", pieces_of_source(call), call.piece_bytes, call.from_block_bytes);
  check_room("written", pieces_of_target(call), call.piece_bytes, call.to_block_bytes);
  if (call.piece_bytes > 0) {
    check_overlap(call);
  }
}

}  // namespace espalier::onesided
