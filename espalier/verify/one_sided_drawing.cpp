// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/one_sided_drawing.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/verify/table.hpp"

namespace espalier::verify {
namespace {

using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// Labels of the blocks that lie in the memory of this rank.
std::string labels_of(RankProgram const& program, Operation const& operation) {
  auto const own =
      operation.kind == Kind::put ? program.sources(operation) : program.slots(operation);
  std::vector<int> labels;
  schedule::for_each_block(program.frame, own, [&](Buffer buffer, int block) {
    labels.push_back(program.frame.like(buffer, block));
  });
  constexpr int most_digits = 10;
  return program.frame.num_labels() <= most_digits ? joined(labels, "")
                                                   : schedule::runs_to_text(labels);
}

std::string to_cell(RankProgram const& program, Operation const& operation) {
  switch (operation.kind) {
  case Kind::put:
    return formatted("{}:{}", operation.peer, labels_of(program, operation));
  case Kind::get:
    return formatted("{}?{}", operation.peer, labels_of(program, operation));
  case Kind::signal:
    return formatted("{}!", operation.peer);
  default:
    return {};
  }
}

std::string cell_of_round(RankProgram const& program, int round) {
  std::string cell;
  for (Operation const& operation : program.operations) {
    if (operation.round == round) {
      std::string const next = to_cell(program, operation);
      cell += (cell.empty() || next.empty() ? "" : " ") + next;
    }
  }
  return cell.empty() ? "-" : cell;
}

}  // namespace

std::string draw_one_sided(std::span<RankProgram const> programs) {
  std::vector<Row> rows{{formatted("one-sided, p = {}", programs.size())}};
  int num_rounds = 0;
  for (RankProgram const& program : programs) {
    rows.front().push_back(formatted("rank {}", program.rank));
    num_rounds = std::max(num_rounds, program.num_rounds());
  }
  for (int round = 0; round < num_rounds; ++round) {
    rows.push_back({formatted("round {}", round)});
    for (RankProgram const& program : programs) {
      rows.back().push_back(cell_of_round(program, round));
    }
  }
  return table_text(rows);
}

}  // namespace espalier::verify
