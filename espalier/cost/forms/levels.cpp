// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/levels.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/cost/forms/count.hpp"
#include "espalier/schedule/preconditions.hpp"

namespace espalier::cost {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

double block_bytes(RankProgram const& program, double num_bytes) {
  return num_bytes / std::max(1, program.frame.num_output_blocks);
}

/// Rounds in which something is done, also what is combined after the last message.
std::size_t num_busy_rounds(RankProgram const& program) {
  int most = program.num_rounds();
  for (Operation const& operation : program.operations) {
    most = std::max(most, operation.round + 1);
  }
  return static_cast<std::size_t>(most);
}

}  // namespace

double LevelTime::Busy::seconds() const noexcept {
  return std::max(sending, receiving) + combining;
}

void LevelTime::add(RankProgram const& program) {
  schedule::require_messages(program, "the time by levels");
  rank_.assign(num_busy_rounds(program), {});
  for (Operation const& operation : program.operations) {
    add(rank_[static_cast<std::size_t>(operation.round)], program, operation);
  }
  slowest_.resize(std::max(slowest_.size(), rank_.size()));
  for (std::size_t round = 0; round < rank_.size(); ++round) {
    slowest_[round] = std::max(slowest_[round], rank_[round].seconds());
  }
}

void LevelTime::add(Busy& busy, RankProgram const& program, Operation const& operation) {
  double const bytes = static_cast<double>(schedule::num_blocks(program.slots(operation))) *
                       block_bytes(program, num_bytes_);
  if (operation.kind == Kind::reduce) {
    busy.combining += bytes * setting_->machine.speed().per_combined_byte;
  } else if (operation.kind == Kind::send || operation.kind == Kind::recv) {
    machine::Machine const& machine = setting_->machine;
    int const own = setting_->core_of[static_cast<std::size_t>(program.rank)];
    int const other = setting_->core_of[static_cast<std::size_t>(operation.peer)];
    // Two ranks on one core talk as cores side by side do.
    int const level = std::min(machine.crossing(own, other), machine.num_levels() - 1);
    double const time = machine.link(level).alpha() + bytes * machine.link(level).beta();
    (operation.kind == Kind::send ? busy.sending : busy.receiving) += time;
  }
}

double LevelTime::seconds() const {
  return std::accumulate(slowest_.begin(), slowest_.end(), 0.0);
}

double
levels_time(algorithms::Choice const& choice, int root, Setting const& setting, double num_bytes) {
  LevelTime time(setting, num_bytes);
  for (int rank = 0; rank < setting.num_ranks(); ++rank) {
    time.add(algorithms::generate_for_model(choice, setting.num_ranks(), root, rank));
  }
  return time.seconds();
}

Hockney outermost(Setting const& setting) {
  machine::Machine const& machine = setting.machine;
  Hockney result{.alpha = 0, .beta = 0, .gamma = setting.machine.speed().per_combined_byte};
  if (setting.num_ranks() < 2) {
    return result;
  }
  int level = machine.num_levels() - 1;
  for (int const core : setting.core_of) {
    level = std::min(level, machine.crossing(setting.core_of.front(), core));
  }
  result.alpha = machine.link(level).alpha();
  result.beta = machine.link(level).beta();
  return result;
}

double
hockney_time(algorithms::Choice const& choice, int root, Setting const& setting, double num_bytes) {
  RankProgram const program = algorithms::generate_for_model(choice, setting.num_ranks(), root, 0);
  Work const work = count(choice, setting.num_ranks(), root);
  return time(work, outermost(setting), block_bytes(program, num_bytes));
}

}  // namespace espalier::cost
