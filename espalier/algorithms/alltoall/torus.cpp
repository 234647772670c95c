// SPDX-License-Identifier: Apache-2.0

/// @file
/// Torus alltoall: ranks stand on a grid; dimension by dimension, each rank sends to the ranks of
/// its line, to each in one message all it has for ranks with that coordinate.
///
///     sent, p = 4     rank 0    rank 1    rank 2    rank 3
///     round 0         2:02,03   3:12,13   0:20,21   1:30,31
///     round 1         1:01,21   0:10,30   3:03,23   2:12,32
///
/// After the first dimensions a rank has the blocks whose destinations have its coordinates in
/// these, from all that differ from it in them only. A block is kept under the number of a rank
/// with the source's coordinates in the dimensions done and the destination's in the others; so it
/// begins at the place of its destination and ends at that of its source.
///
/// Rounds  one for each dimension; n - 1 messages of a rank in flight together in one of size n.
/// Bytes   m (n - 1) / n sent per rank for each dimension of size n, m = bytes of all its blocks.
/// Scratch m for two dimensions, 2 m for more.
/// Valid   p = product of dims; blocks of equal size. Without dims the two factors of p that are
///         nearest to each other.
/// Source  [traeff2019], combining of messages, for all ranks instead of a stencil.

#include <algorithm>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/alltoall/parts/alltoall.hpp"
#include "espalier/pattern/factors.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Buffer;

/// Sizes of the dimensions larger than 1; the last varies fastest with the rank.
std::vector<int> dims_of(Request const& request) {
  std::vector<int> dims = request.arguments.integers("dims");
  if (dims.empty()) {
    auto const [larger, smaller] = pattern::nearest_factors(request.num_ranks);
    dims = {larger, smaller};
  }
  std::erase(dims, 1);
  return dims;
}

int num_areas(std::vector<int> const& dims) {
  return std::clamp(static_cast<int>(dims.size()) - 1, 0, 2);
}

/// Everybody of a line sends its blocks for each coordinate there.
void exchange_line(
    schedule::Builder& builder,
    Digit const& own,
    BlockLayout const& source,
    BlockLayout const& destination
) {
  int const p = builder.frame().num_ranks;
  builder.copy(destination.of(own.numbers(p)), source.of(own.numbers(p)));
  for (int i = 1; i < own.radix; ++i) {
    Digit other = own;
    other.digit = (own.digit + own.radix - i) % own.radix;
    int const peer = builder.rank() + (other.digit - own.digit) * own.weight;
    builder.recv(peer, destination.of(other.numbers(p)));
  }
  for (int i = 1; i < own.radix; ++i) {
    Digit other = own;
    other.digit = (own.digit + i) % own.radix;
    int const peer = builder.rank() + (other.digit - own.digit) * own.weight;
    builder.send(peer, source.of(other.numbers(p)));
  }
}

schedule::RankProgram generate(Request const& request, int rank) {
  int const p = request.num_ranks;
  std::vector<int> const dims = dims_of(request);
  schedule::Builder builder(schedule::alltoall_frame(p, rank), rank);
  if (dims.empty()) {
    copy_own_block(builder);
  }
  int const scratch = scratch_blocks(builder, p * num_areas(dims)).first;
  BlockLayout source{.buffer = Buffer::input};
  int weight = p;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    weight /= dims[i];
    bool const is_last = i + 1 == dims.size();
    int const area = scratch + static_cast<int>(i % 2) * p;
    BlockLayout const destination =
        is_last ? BlockLayout{} : BlockLayout{.buffer = Buffer::scratch, .origin = area};
    if (i >= 2 && !is_last) {
      builder.wait_for_sends();  // of what was in this area
    }
    Digit const own{.weight = weight, .radix = dims[i], .digit = rank / weight % dims[i]};
    exchange_line(builder, own, source, destination);
    builder.next_round();
    source = destination;
  }
  return std::move(builder).finish();
}

std::string refuses(Request const& request) {
  std::int64_t const product = pattern::product(dims_of(request));
  return product == request.num_ranks
             ? ""
             : "needs " + std::to_string(product) + " ranks, the product of dims, got " +
                   std::to_string(request.num_ranks);
}

Facts facts(Request const& request) {
  int const p = request.num_ranks;
  std::vector<int> const dims = dims_of(request);
  Facts facts{.rounds = static_cast<int>(dims.size())};
  for (int const size : dims) {
    facts.messages += size - 1;
    facts.blocks += p - p / size;
  }
  facts.scratch = std::int64_t{p} * num_areas(dims);
  facts.volume = facts.blocks;
  return facts;
}

std::vector<std::string> variants(Request const& request) {
  int const p = request.num_ranks;
  std::vector<std::string> result{""};
  if (p > 8 && p <= 33 && p % 4 == 0) {
    result.push_back("[dims=2x2x" + std::to_string(p / 4) + "]");
  }
  if (p <= 64 && p > 8 && p % 16 == 0) {
    result.push_back("[dims=2x" + std::to_string(p / 16) + "x2x4]");
  }
  return result;
}

}  // namespace

extern Algorithm const alltoall_torus{
    .collective = Collective::alltoall,
    .name = "torus",
    .summary = "dimension by dimension of a grid, all blocks for a coordinate in one message",
    .source = "traeff2019",
    .valid = "the product of dims; any number without dims",
    .parameters = {{
        .name = "dims",
        .type = Parameter::Type::integer_list,
        .description = "sizes of the dimensions, the last varies fastest; default two near sqrt(p)",
    }},
    .equal_blocks_only = true,
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .variants = variants,
};

}  // namespace espalier::algorithms
