// SPDX-License-Identifier: Apache-2.0

/// @file
/// Fork broadcast: on a mesh or torus, along the line of the root in the first dimension, from
/// there along all lines of the second dimension, and so on: every message crosses one link.
///
///     blocks held, p = 6, dims=2x3     rank 0   rank 1   rank 2   rank 3   rank 4   rank 5
///     start                            0        -        -        -        -        -
///     after round 0                    0        -        -        0        -        -
///     after round 1                    0        0        -        0        0        -
///     after round 2                    0        0        0        0        0        0
///
/// Ranks are numbered with the last coordinate varying fastest. A rank serves the next one of its
/// line first, then the lines that begin with it. Coordinates count from those of the root, so that
/// lines of other roots wrap around.
///
/// Rounds  sum of (extent - 1) over all dimensions.
/// Bytes   m times the number of dimensions above one rank, sent by the root; m = bytes of the
///         message.
/// Valid   p >= 1, the product of dims must be p; any root; can be segmented.
/// Source  [nishtala2009], "fork trees".

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "espalier/algorithms/algorithm.hpp"
#include "espalier/algorithms/trees/tree_bcast.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/pattern/tree.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

/// The two factors of p that are closest to each other, the larger one first.
std::vector<int> balanced(int p) {
  int factor = 1;
  for (int i = 2; i <= p / i; ++i) {
    factor = p % i == 0 ? i : factor;
  }
  return {p / factor, factor};
}

std::vector<int> extents_of(Request const& request) {
  std::vector<int> const given = request.arguments.integers("dims");
  return given.empty() ? balanced(request.num_ranks) : given;
}

std::string refuses(Request const& request) {
  std::int64_t product = 1;
  for (int const extent : extents_of(request)) {
    product = std::min<std::int64_t>(product * extent, std::int64_t{request.num_ranks} + 1);
  }
  return product == request.num_ranks ? ""
                                      : "needs dims whose product is the number of ranks, " +
                                            std::to_string(request.num_ranks) + "; got " +
                                            std::string(request.arguments.text("dims", ""));
}

/// The rank whose coordinates are those of x plus `sign` times those of y, wrapped around.
int moved(std::vector<int> const& extents, int x, int y, int sign) {
  int result = 0;
  int stride = 1;
  for (auto extent = extents.rbegin(); extent != extents.rend(); ++extent) {
    int const coordinate = x / stride % *extent + sign * (y / stride % *extent);
    result += stride * wrap(coordinate, *extent);
    stride *= *extent;
  }
  return result;
}

schedule::RankProgram generate(Request const& request, int rank) {
  std::vector<int> const extents = extents_of(request);
  int const x = moved(extents, rank, request.root, -1);
  Request const from_zero{.num_ranks = request.num_ranks, .root = 0, .arguments = {}};
  auto const rank_of = [&](int place) { return moved(extents, place, request.root, 1); };
  auto const program = tree_bcast(from_zero, x, pattern::fork_node(extents, x));
  return schedule::permute(program, Collective::bcast, rank_of);
}

/// Dimensions in which there is somebody to send to.
int num_directions(Request const& request) {
  std::vector<int> const extents = extents_of(request);
  return static_cast<int>(std::ranges::count_if(extents, [](int extent) { return extent > 1; }));
}

Facts facts(Request const& request) {
  int const sends = num_directions(request);
  int const rounds = pattern::fork_rounds(extents_of(request));
  return {.rounds = rounds, .messages = sends, .blocks = sends, .volume = rounds};
}

std::vector<std::string> variants(Request const& request) {
  std::vector<int> const two = balanced(request.num_ranks);
  std::vector<int> const halves = balanced(two.front());
  std::vector<std::string> result{request.num_ranks <= 33 ? "[segments=4]" : ""};
  if (two.back() > 1 && halves.back() > 1) {
    std::string dims = std::to_string(halves.front());
    for (int const extent : {halves.back(), two.back()}) {
      dims += "x" + std::to_string(extent);
    }
    result.push_back("[dims=" + dims + "]");
  }
  return result;
}

}  // namespace

extern Algorithm const bcast_fork{
    .collective = Collective::bcast,
    .name = "fork",
    .summary = "along the lines of a mesh or torus, one dimension after the other; every message "
               "crosses one link",
    .source = "nishtala2009",
    .valid = "the product of dims must be the number of ranks",
    .parameters = {{
        .name = "dims",
        .type = Parameter::Type::integer_list,
        .description = "extents of the mesh, the last one varying fastest; the two closest factors "
                       "of the number of ranks if not given",
    }},
    .refuses = refuses,
    .generate = generate,
    .facts = facts,
    .segment_period = [](Request const& request) { return std::max(1, num_directions(request)); },
    .variants = variants,
};

}  // namespace espalier::algorithms
