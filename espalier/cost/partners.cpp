// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/partners.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>

#include "espalier/base/error.hpp"

namespace espalier::cost {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

struct End {
  int source = 0;
  int destination = 0;
  int tag = 0;
  Place place{};

  [[nodiscard]] auto message() const { return std::tie(source, destination, tag); }
};

/// All sends, or all receives; those that may match in the same order.
std::vector<End> ends(std::span<RankProgram const> programs, Kind kind) {
  std::vector<End> found;
  for (RankProgram const& program : programs) {
    int const rank = program.rank;
    int number = 0;
    for (Operation const& operation : program.operations) {
      if (operation.kind == kind) {
        bool const sends = kind == Kind::send;
        found.push_back({
            .source = sends ? rank : operation.peer,
            .destination = sends ? operation.peer : rank,
            .tag = operation.tag,
            .place = {.rank = rank, .operation = number},
        });
      }
      ++number;
    }
  }
  std::ranges::sort(found, [](End const& a, End const& b) {
    return std::tuple_cat(a.message(), std::tie(a.place)) <
           std::tuple_cat(b.message(), std::tie(b.place));
  });
  return found;
}

}  // namespace

Partners::Partners(std::span<RankProgram const> programs) {
  std::vector<End> const sends = ends(programs, Kind::send);
  std::vector<End> const receives = ends(programs, Kind::recv);
  bool const fit = std::ranges::equal(sends, receives, {}, &End::message, &End::message);
  if (!fit) {
    throw Error(ErrorCode::argument, "expected a receive for each send, got others");
  }
  for (RankProgram const& program : programs) {
    receives_.emplace_back(program.operations.size());
  }
  for (std::size_t i = 0; i < sends.size(); ++i) {
    Place const send = sends[i].place;
    receives_[static_cast<std::size_t>(send.rank)][static_cast<std::size_t>(send.operation)] =
        receives[i].place;
  }
}

}  // namespace espalier::cost
