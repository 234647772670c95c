// SPDX-License-Identifier: Apache-2.0

#include "espalier/neighborhood/frame.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::neighborhood {
namespace {

/// The label of output block j, which comes from `end`.
int arriving_label(Request const& request, int j, End const& end) {
  if (request.sizes == BlockSizes::by_offset) {
    Isomorphic const& all = *request.neighborhood.isomorphic();
    return label(request, 0, all.departure[static_cast<std::size_t>(j)]);
  }
  return end.is_absent() ? 0 : label(request, end.peer, end.index);
}

}  // namespace

int label(Request const& request, int sender, int k) {
  bool const is_alltoall = request.collective == Collective::neighbor_alltoall;
  switch (request.sizes) {
  case BlockSizes::equal:
    return 0;
  case BlockSizes::by_offset:
    return is_alltoall ? k : 0;
  case BlockSizes::by_edge:
    break;
  }
  std::int64_t const own = is_alltoall ? std::int64_t{k} * request.neighborhood.num_ranks() : 0;
  if (own + sender > std::numeric_limits<int>::max()) {
    throw Error(
        ErrorCode::unsupported,
        formatted(
            "expected fewer than 2^31 labels, got edge {} of {} ranks: use blocks of one size",
            k,
            request.neighborhood.num_ranks()
        )
    );
  }
  return static_cast<int>(own + sender);
}

schedule::Frame frame(Request const& request, int rank) {
  std::vector<End> const in = request.neighborhood.in_edges(rank);
  bool const is_alltoall = request.collective == Collective::neighbor_alltoall;
  std::size_t const num_inputs =
      is_alltoall ? request.neighborhood.out_edges(rank).size() : std::size_t{1};
  schedule::Frame result{
      .num_ranks = request.neighborhood.num_ranks(),
      .num_output_blocks = static_cast<int>(in.size()),
      .input_like = {},
      .scratch_like = {},
      .output_like = {},
  };
  for (std::size_t k = 0; k < num_inputs; ++k) {
    result.input_like.push_back(label(request, rank, static_cast<int>(k)));
  }
  for (std::size_t j = 0; j < in.size(); ++j) {
    result.output_like.push_back(arriving_label(request, static_cast<int>(j), in[j]));
  }
  return result;
}

schedule::Slot input_slot(Request const& request, int k) noexcept {
  bool const is_alltoall = request.collective == Collective::neighbor_alltoall;
  return {.buffer = schedule::Buffer::input, .first = is_alltoall ? k : 0};
}

}  // namespace espalier::neighborhood
