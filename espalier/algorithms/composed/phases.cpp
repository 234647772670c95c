// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/composed/phases.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "espalier/base/integer.hpp"

namespace espalier::algorithms {
namespace {

using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// The program without the messages to one of its ranks.
RankProgram without_messages_to(RankProgram program, int receiver) {
  std::vector<Operation> kept;
  std::vector<int> positions;
  for (Operation operation : program.operations) {
    positions.push_back(static_cast<int>(kept.size()));
    bool const is_left_out =
        operation.kind == Kind::recv ? program.rank == receiver : operation.peer == receiver;
    if (!is_left_out) {
      operation.after = positions[static_cast<std::size_t>(operation.after)];
      operation.after_sends = positions[static_cast<std::size_t>(operation.after_sends)];
      kept.push_back(operation);
    }
  }
  program.operations = std::move(kept);
  return program;
}

/// The messages of a program without their blocks; each waits for the messages that it waited for.
RankProgram as_signals(RankProgram program) {
  std::vector<Operation> kept;
  std::vector<int> positions;
  for (Operation operation : program.operations) {
    positions.push_back(static_cast<int>(kept.size()));
    if (operation.peer >= 0) {
      operation.after = positions[static_cast<std::size_t>(operation.after)];
      operation.after_sends = positions[static_cast<std::size_t>(operation.after_sends)];
      operation.slots = {};
      kept.push_back(operation);
    }
  }
  program.operations = std::move(kept);
  program.frame.scratch_like.clear();
  return program;
}

bool is_phase(Parameter const& parameter) {
  return parameter.type == Parameter::Type::algorithm;
}

bool has_phases_of_phases(Choice const& choice) {
  return std::ranges::any_of(choice.algorithm().parameters, [&](Parameter const& parameter) {
    if (!is_phase(parameter) || !choice.arguments().has(parameter.name)) {
      return false;
    }
    Collective const collective =
        parameter.collective.empty() ? choice.collective() : parse_collective(parameter.collective);
    Choice const phase = Choice::parse(collective, choice.arguments().text(parameter.name, {}));
    return std::ranges::any_of(phase.algorithm().parameters, is_phase);
  });
}

}  // namespace

Phase Phase::on(schedule::BlockMap results, schedule::BlockMap contribution) const {
  Phase phase = *this;
  phase.to = std::move(results);
  phase.from = std::move(contribution);
  return phase;
}

Phases::Phases(Collective collective, schedule::Frame frame, int rank)
    : builder_(std::move(frame), rank), rewrites_blocks_(schedule::reduces(collective)) {}

void Phases::begin() {
  if (rewrites_blocks_) {
    builder_.wait_for_sends();
  }
  builder_.next_round(round_);
}

void Phases::run(Phase const& phase) {
  begin();
  Collective const collective = phase.algorithm.collective();
  RankProgram program = phase.algorithm.generate(phase.num_ranks, phase.root, phase.rank);
  if (phase.root_has_all) {
    program = without_messages_to(std::move(program), phase.root);
  }
  schedule::Embedding embedding{.rank_of = phase.rank_of, .blocks_of = phase.to};
  if (phase.from) {
    schedule::Role const role{collective, phase.num_ranks, phase.rank, phase.root};
    int const first = schedule::contributed(role, program.frame.num_output_blocks).begin;
    program = schedule::from_input(std::move(program), collective, phase.root);
    embedding.inputs_of = phase.from.shifted(first);
  }
  schedule::nest(builder_, program, embedding);
}

void Phases::run_signals(Phase const& phase) {
  append_signals(phase.algorithm.generate(phase.num_ranks, phase.root, phase.rank), phase);
}

void Phases::run_signals_backwards(Phase const& phase) {
  int const num_rounds = phase.algorithm.num_rounds(phase.num_ranks, phase.root);
  RankProgram const program = phase.algorithm.generate(phase.num_ranks, phase.root, phase.rank);
  append_signals(schedule::reverse(program, num_rounds), phase);
}

void Phases::append_signals(RankProgram program, Phase const& phase) {
  begin();
  schedule::nest(
      builder_, as_signals(std::move(program)), {.rank_of = phase.rank_of, .blocks_of = {}}
  );
}

void Phases::run_stage(Stage const& stage, bool takes_part, Phase const& phase) {
  if (takes_part) {
    run(phase);
  }
  advance(stage.num_rounds());
}

void Phases::advance(int num_rounds) {
  round_ += num_rounds;
}

RankProgram Phases::finish() && {
  return std::move(builder_).finish();
}

int Stage::num_rounds() const {
  int rounds = 0;
  for (GroupShape const& shape : shapes) {
    rounds = std::max(rounds, algorithm.num_rounds(shape.size, shape.root));
  }
  return rounds;
}

Stage stage_of_vector(Choice const& algorithm, std::vector<GroupShape> shapes, int num_blocks) {
  int const num_pieces = algorithm.num_pieces(shapes[0].size);
  int const weight = num_blocks % num_pieces == 0 ? num_blocks / num_pieces : 0;
  return {.algorithm = algorithm, .shapes = std::move(shapes), .weight = weight};
}

int sum_of_rounds(std::span<Stage const> stages) {
  int rounds = 0;
  for (Stage const& stage : stages) {
    rounds += stage.num_rounds();
  }
  return rounds;
}

Facts sum_of(std::span<Stage const> stages) {
  using Count = std::optional<std::int64_t>;
  Facts sum{.rounds = sum_of_rounds(stages), .volume = 0};
  auto const add = [](Count& total, Count blocks, Stage const& stage) {
    bool const is_known =
        total && blocks && stage.shapes.size() == 1 && (stage.weight > 0 || *blocks == 0);
    total = is_known ? Count(*total + *blocks * stage.weight) : std::nullopt;
  };
  for (Stage const& stage : stages) {
    Facts const facts = stage.algorithm.facts(stage.shapes[0].size, stage.shapes[0].root);
    add(sum.volume, facts.volume, stage);
    if (schedule::reduces(stage.algorithm.collective())) {
      add(sum.reductions, facts.reductions, stage);
    }
  }
  return sum;
}

Facts with_counts(
    Facts facts, Request const& request, RankProgram (*generate)(Request const&, int)
) {
  for (int rank = 0; rank < request.num_ranks; ++rank) {
    include(facts, generate(request, rank));
  }
  return facts;
}

OperandOrder weakest_order(std::span<Stage const> stages) {
  OperandOrder order = OperandOrder::rank;
  for (Stage const& stage : stages) {
    for (GroupShape const& shape : stage.shapes) {
      if (schedule::reduces(stage.algorithm.collective())) {
        order = std::min(order, stage.algorithm.order(shape.size, shape.root));
      }
    }
  }
  return order;
}

int common_pieces(std::span<Stage const> stages) {
  std::int64_t common = 1;
  int most = 1;
  for (Stage const& stage : stages) {
    for (GroupShape const& shape : stage.shapes) {
      int const pieces = stage.algorithm.num_pieces(shape.size);
      most = std::max(most, pieces);
      common = std::min<std::int64_t>(std::lcm(common, std::int64_t{pieces}), 1 << 30);
    }
  }
  constexpr int few = 8;
  return common <= std::int64_t{few} * most ? static_cast<int>(common) : few / 2 * most;
}

std::string refuses(std::span<Stage const> stages) {
  for (Stage const& stage : stages) {
    std::string const name(stage.algorithm.text());
    if (stage.algorithm.num_segments() > 1) {
      return name + " cannot be segmented by itself as a phase";
    }
    for (GroupShape const& shape : stage.shapes) {
      if (std::string reason = stage.algorithm.refuses(shape.size, shape.root); !reason.empty()) {
        return name + " as a phase: " + reason;
      }
    }
    if (stage.algorithm.algorithm().equal_blocks_only && stage.weight == 0) {
      return name + " as a phase needs groups of equal sizes";
    }
  }
  return {};
}

// Allgathers without phases of phases never do, and their facts may have to be counted.
bool uses_scratch(Choice const& allgather, int num_ranks) {
  return has_phases_of_phases(allgather) && allgather.facts(num_ranks, 0).scratch > 0;
}

schedule::BlockMap cut(schedule::Slot run, int num_pieces) {
  if (run.num_blocks % num_pieces == 0) {
    int const each = run.num_blocks / num_pieces;
    run.num_blocks = each;
    return {run, each};
  }
  return [=](int piece) {
    schedule::Slot slot = run;
    slot.first += static_cast<int>(part_begin(run.num_blocks, num_pieces, piece));
    slot.num_blocks = static_cast<int>(part_size(run.num_blocks, num_pieces, piece));
    return slot;
  };
}

schedule::BlockMap row_blocks(Rows const& rows) {
  if (rows.are_equal()) {
    RankRange const first = rows.row(0);
    return {schedule::blocks(first.begin, first.size), first.size};
  }
  return [&rows](int row) {
    RankRange const run = rows.row(row);
    return schedule::blocks(run.begin, run.size);
  };
}

std::function<int(int)> members(RankRange run) {
  return [run](int place) { return run.begin + place; };
}

std::function<int(int)> counterparts(Rows const& rows, int representative) {
  return [&rows, representative](int row) { return rows.counterpart(representative, row); };
}

}  // namespace espalier::algorithms
