// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/drawing.hpp"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "espalier/base/error.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier::verify {
namespace {

using algorithms::Choice;
using algorithms::Collective;
using schedule::Buffer;
using schedule::Kind;
using schedule::Operation;
using schedule::RankProgram;

using Row = std::vector<std::string>;
/// For one rank and each block, whether it is held.
using Holding = std::vector<bool>;

Contract contract_of(Choice const& choice, int num_ranks, int root) {
  bool const gathers = choice.collective() == Collective::allgather;
  return {
      .promise = gathers ? Promise::allgather : Promise::bcast,
      .num_ranks = num_ranks,
      .root = root,
  };
}

std::vector<RankProgram> generate_all(Choice const& choice, int num_ranks, int root) {
  contract_of(choice, num_ranks, root).check();
  std::vector<RankProgram> programs;
  programs.reserve(static_cast<std::size_t>(num_ranks));
  for (int rank = 0; rank < num_ranks; ++rank) {
    programs.push_back(choice.generate(num_ranks, root, rank));
  }
  return programs;
}

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
          [&](Buffer /*buffer*/, int block) { holding[static_cast<std::size_t>(block)] = true; }
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
  return holding.size() <= 10 ? fmt::format("{}", fmt::join(blocks, ""))
                              : schedule::runs_to_text(blocks);
}

Row row_of(std::string label, std::vector<Holding> const& holdings) {
  Row row{std::move(label)};
  for (Holding const& holding : holdings) {
    row.push_back(to_text(holding));
  }
  return row;
}

/// `blocks held, p = 4, root = 1, k=3` and the names of the ranks.
Row head(Choice const& choice, int num_ranks, int root) {
  std::string label = fmt::format("blocks held, p = {}", num_ranks);
  if (root != 0) {
    label += fmt::format(", root = {}", root);
  }
  if (std::string const arguments = choice.arguments().to_text(); !arguments.empty()) {
    label += ", " + arguments.substr(1, arguments.size() - 2);
  }
  Row row{label};
  for (int rank = 0; rank < num_ranks; ++rank) {
    row.push_back(fmt::format("rank {}", rank));
  }
  return row;
}

std::string to_text(std::vector<Row> const& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (Row const& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], row[i].size() + (i == 0 ? 5 : 3));
    }
  }
  std::string text;
  for (Row const& row : rows) {
    for (std::size_t i = 0; i + 1 < row.size(); ++i) {
      text += fmt::format("{:<{}}", row[i], widths[i]);
    }
    text += row.back() + "\n";
  }
  return text;
}

}  // namespace

std::string draw_holdings(Choice const& choice, int num_ranks, int root) {
  Contract const contract = contract_of(choice, num_ranks, root);
  auto const programs = generate_all(choice, num_ranks, root);
  Verdict const verdict = verify(programs, contract);
  if (verdict.violation) {
    throw Error(
        ErrorCode::unsupported,
        choice.text() + " cannot be drawn, its proof fails: " + to_string(*verdict.violation)
    );
  }
  std::vector<Holding> holdings;
  holdings.reserve(programs.size());
  for (RankProgram const& program : programs) {
    holdings.push_back(held_at_start(program, contract));
  }
  std::vector<Row> rows{head(choice, num_ranks, root), row_of("start", holdings)};
  for (int round = 0; round < verdict.facts.rounds; ++round) {
    for (std::size_t rank = 0; rank < programs.size(); ++rank) {
      add_round(programs[rank], round, holdings[rank]);
    }
    rows.push_back(row_of(fmt::format("after round {}", round), holdings));
  }
  return to_text(rows);
}

std::string draw_messages(Choice const& choice, int num_ranks, int root) {
  struct Message {
    int round = 0;
    std::string text;
  };

  std::vector<Message> messages;
  for (RankProgram const& program : generate_all(choice, num_ranks, root)) {
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
             .text = fmt::format(
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

}  // namespace espalier::verify
