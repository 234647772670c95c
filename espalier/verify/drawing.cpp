// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/drawing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/verify/execution.hpp"
#include "espalier/verify/matching.hpp"
#include "espalier/verify/native_calls.hpp"
#include "espalier/verify/table.hpp"
#include "espalier/verify/values.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier::verify {
namespace {

using algorithms::Choice;
using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

/// For one rank and each block, whether it is held.
using Holding = std::vector<bool>;

Holding held_at_start(RankProgram const& program, Contract const& contract) {
  Holding holding;
  for (int block = 0; block < program.frame.num_output_blocks; ++block) {
    holding.push_back(contract.holds_at_start(program.frame, program.rank, Buffer::output, block));
  }
  return holding;
}

void add_round(RankProgram const& program, int round, Holding& holding) {
  for (Operation const& operation : program.operations) {
    if (operation.round == round && operation.writes()) {
      schedule::for_each_block(
          program.frame,
          program.slots(operation),
          [&](Buffer buffer, int block) {
            if (buffer == Buffer::output) {
              holding[static_cast<std::size_t>(block)] = true;
            }
          }
      );
    }
  }
}

/// `0123` where every block has one digit, otherwise runs; `-` for nothing.
std::string to_text(Holding const& holding) {
  std::vector<int> blocks;
  for (std::size_t i = 0; i < holding.size(); ++i) {
    if (holding[i]) {
      blocks.push_back(static_cast<int>(i));
    }
  }
  if (blocks.empty()) {
    return "-";
  }
  return holding.size() <= 10 ? joined(blocks, "") : schedule::runs_to_text(blocks);
}

Row row_of(std::string label, std::vector<Holding> const& holdings) {
  Row row{std::move(label)};
  for (Holding const& holding : holdings) {
    row.push_back(to_text(holding));
  }
  return row;
}

/// `blocks held, p = 4, root = 1, k=3` and the names of the ranks.
Row head(std::string_view what, Choice const& choice, int num_ranks, int root) {
  std::string label = formatted("{}, p = {}", what, num_ranks);
  if (root != 0) {
    label += formatted(", root = {}", root);
  }
  if (std::string const arguments = choice.arguments().to_text(); !arguments.empty()) {
    label += ", " + arguments.substr(1, arguments.size() - 2);
  }
  Row row{label};
  for (int rank = 0; rank < num_ranks; ++rank) {
    row.push_back(formatted("rank {}", rank));
  }
  return row;
}

void require_proof(Choice const& choice, Verdict const& verdict) {
  if (verdict.violation) {
    throw Error(
        ErrorCode::unsupported,
        choice.text() + " cannot be drawn, its proof fails: " + to_string(*verdict.violation)
    );
  }
}

/// What one message carries, in words of the blocks that it is about.
class Cargo {
public:
  Cargo(Values const& values, Contract const& contract, int num_labels)
      : values_(values), contract_(contract), num_labels_(num_labels) {}

  /// `03` or `0-3,7`; of an alltoall `01,21` (from, to); of a reduction `23(01)`: blocks 2 and 3
  /// with what ranks 0 and 1 contribute.
  [[nodiscard]] std::string to_text(std::vector<std::int32_t> const& carried) const {
    std::string text;
    for (std::size_t i = 0; i < carried.size();) {
      std::vector<int> blocks;
      std::vector<int> const ranks = operands(carried[i]);
      for (; i < carried.size() && operands(carried[i]) == ranks; ++i) {
        blocks.push_back(values_.label_of(carried[i]));
      }
      text += blocks_to_text(blocks);
      text += contract_.reduces() ? formatted("({})", ranks_to_text(ranks)) : "";
    }
    return text;
  }

private:
  [[nodiscard]] std::vector<int> operands(std::int32_t value) const {
    std::vector<int> ranks = values_.contributors(value);
    if (contract_.order == OperandOrder::any) {
      std::ranges::sort(ranks);
    }
    return ranks;
  }

  [[nodiscard]] std::string blocks_to_text(std::vector<int> const& blocks) const {
    if (contract_.collective != Collective::alltoall) {
      return short_text(blocks, num_labels_);
    }
    int const p = contract_.num_ranks;
    std::vector<std::string> pairs;
    for (int const block : blocks) {
      pairs.push_back(formatted("{}{}{}", block / p, p <= 10 ? "" : ">", block % p));
    }
    return joined(pairs, ",");
  }

  [[nodiscard]] std::string ranks_to_text(std::vector<int> const& ranks) const {
    return short_text(ranks, contract_.num_ranks);
  }

  /// Without separators if all numbers below `end` have one digit.
  static std::string short_text(std::vector<int> const& numbers, int end) {
    return end <= 10 ? joined(numbers, "") : schedule::runs_to_text(numbers);
  }

  Values const& values_;
  Contract const& contract_;
  int num_labels_;
};

}  // namespace

std::string draw_holdings(Choice const& choice, int num_ranks, int root) {
  Contract const contract = contract_for(choice, num_ranks, root);
  auto const programs = without_native_calls(generate_all(choice, num_ranks, root));
  Verdict const verdict = verify(programs, contract);
  require_proof(choice, verdict);
  std::vector<Holding> holdings;
  holdings.reserve(programs.size());
  for (RankProgram const& program : programs) {
    holdings.push_back(held_at_start(program, contract));
  }
  std::vector<Row> rows{head("blocks held", choice, num_ranks, root), row_of("start", holdings)};
  for (int round = 0; round < verdict.facts.rounds; ++round) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      add_round(programs[rank], round, holdings[rank]);
    }
    rows.push_back(row_of(formatted("after round {}", round), holdings));
  }
  return table_text(rows);
}

std::string draw_messages(Choice const& choice, int num_ranks, int root) {
  return draw_messages(generate_all(choice, num_ranks, root));
}

std::string draw_messages(std::span<RankProgram const> programs) {
  struct Message {
    int round = 0;
    std::string text;
  };

  std::vector<Message> messages;
  for (RankProgram const& program : programs) {
    for (Operation const& operation : program.operations) {
      if (operation.kind == Kind::send) {
        std::vector<int> blocks;
        schedule::for_each_block(
            program.frame,
            program.slots(operation),
            [&](Buffer /*buffer*/, int block) { blocks.push_back(block); }
        );
        messages.push_back(
            {.round = operation.round,
             .text = formatted(
                 "round {}: {} -> {} {{{}}}\n",
                 operation.round,
                 program.rank,
                 operation.peer,
                 schedule::runs_to_text(blocks)
             )}
        );
      }
    }
  }
  std::ranges::stable_sort(messages, {}, &Message::round);
  std::string text;
  for (Message const& message : messages) {
    text += message.text;
  }
  return text;
}

std::vector<Sent> sent_messages(Choice const& choice, int num_ranks, int root) {
  Contract const contract = contract_for(choice, num_ranks, root);
  auto const programs = without_native_calls(generate_all(choice, num_ranks, root));
  require_proof(choice, verify(programs, contract));
  AllOperations const all(programs);
  Values values(all, contract);
  Cargo const cargo(values, contract, programs.front().frame.num_labels());
  std::vector<Sent> result;
  values.observe([&](OperationReference reference, std::vector<std::int32_t> const& carried) {
    Operation const& operation = all[reference];
    result.push_back(
        {.round = operation.round,
         .sender = reference.rank,
         .receiver = operation.peer,
         .operation = reference.operation,
         .num_blocks = static_cast<std::int64_t>(carried.size()),
         .cargo = cargo.to_text(carried)}
    );
  });
  std::ignore = execute(all, match_messages(all, contract.has_equal_blocks), values);
  std::ranges::sort(result, {}, [](Sent const& sent) {
    return std::tuple(sent.round, sent.sender, sent.operation);
  });
  return result;
}

std::string draw_sent(Choice const& choice, int num_ranks, int root) {
  std::vector<Row> rows{head("sent", choice, num_ranks, root)};
  for (Sent const& sent : sent_messages(choice, num_ranks, root)) {
    while (static_cast<int>(rows.size()) <= sent.round + 1) {
      rows.emplace_back(rows.front().size());
      rows.back().front() = formatted("round {}", rows.size() - 2);
    }
    std::string& cell = rows.back()[static_cast<std::size_t>(sent.sender) + 1];
    cell += formatted(
        "{}{}{}{}",
        cell.empty() ? "" : " ",
        sent.receiver,
        sent.cargo.empty() ? "" : ":",
        sent.cargo
    );
  }
  for (Row& row : rows) {
    for (std::string& cell : row) {
      cell = cell.empty() ? "-" : cell;
    }
  }
  return table_text(rows);
}

}  // namespace espalier::verify
