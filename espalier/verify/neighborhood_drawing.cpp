// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/neighborhood_drawing.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/verify/execution.hpp"
#include "espalier/verify/matching.hpp"
#include "espalier/verify/neighborhood.hpp"
#include "espalier/verify/table.hpp"
#include "espalier/verify/values.hpp"

namespace espalier::verify {
namespace {

using neighborhood::Request;
using schedule::Operation;
using schedule::RankProgram;

/// What values are called: `40` for what rank 4 sends to rank 0, `4` for the block of rank 4.
std::vector<std::string> names_of(Request const& request, Exchange const& exchange) {
  std::vector<std::string> names(static_cast<std::size_t>(exchange.num_values));
  int const p = request.neighborhood.num_ranks();
  bool const is_alltoall = request.collective == neighborhood::Collective::neighbor_alltoall;
  for (int rank = 0; rank < p; ++rank) {
    auto const& values = exchange.inputs[static_cast<std::size_t>(rank)];
    auto const out = request.neighborhood.out_edges(rank);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (values[k] >= 0) {
        names[static_cast<std::size_t>(values[k])] =
            is_alltoall ? formatted("{}{}{}", rank, p <= 10 ? "" : ">", out[k].peer)
                        : formatted("{}", rank);
      }
    }
  }
  return names;
}

std::vector<int> ranks_to_draw(std::span<int const> ranks, int num_ranks) {
  std::vector<int> result(ranks.begin(), ranks.end());
  if (result.empty()) {
    result.resize(static_cast<std::size_t>(num_ranks));
    std::iota(result.begin(), result.end(), 0);
  }
  for (int const rank : result) {
    if (rank < 0 || rank >= num_ranks) {
      throw Error(
          ErrorCode::argument, formatted("expected ranks in 0 .. {}, got {}", num_ranks - 1, rank)
      );
    }
  }
  return result;
}

}  // namespace

std::vector<Sent> sent_messages(neighborhood::Algorithm const& algorithm, Request const& request) {
  std::vector<RankProgram> const programs = generate_all(algorithm, request);
  if (Verdict const verdict = prove(algorithm, request, programs); verdict.violation) {
    throw Error(
        ErrorCode::unsupported,
        full_name(algorithm) + " cannot be drawn, its proof fails: " + to_string(*verdict.violation)
    );
  }
  Exchange const exchange = exchange_of(request);
  std::vector<std::string> const names = names_of(request, exchange);
  Contract const contract{
      .collective = Collective::alltoall,
      .num_ranks = request.neighborhood.num_ranks(),
      .exchange = &exchange,
  };
  AllOperations const all(programs);
  Values values(all, contract);
  std::vector<Sent> result;
  values.observe([&](OperationReference reference, std::vector<std::int32_t> const& carried) {
    Operation const& operation = all[reference];
    std::vector<std::string> blocks;
    blocks.reserve(carried.size());
    for (std::int32_t const value : carried) {
      blocks.push_back(names[static_cast<std::size_t>(value)]);
    }
    result.push_back(
        {.round = operation.round,
         .sender = reference.rank,
         .receiver = operation.peer,
         .operation = reference.operation,
         .num_blocks = static_cast<std::int64_t>(carried.size()),
         .cargo = joined(blocks, ",")}
    );
  });
  std::ignore = execute(all, match_messages(all, contract.has_equal_blocks), values);
  std::ranges::sort(result, {}, [](Sent const& sent) {
    return std::tuple(sent.round, sent.sender, sent.operation);
  });
  return result;
}

std::string draw_sent(
    neighborhood::Algorithm const& algorithm, Request const& request, std::span<int const> ranks
) {
  std::vector<Sent> const messages = sent_messages(algorithm, request);
  std::vector<int> const drawn = ranks_to_draw(ranks, request.neighborhood.num_ranks());
  std::vector<Row> rows{{formatted("sent, p = {}", request.neighborhood.num_ranks())}};
  for (int const rank : drawn) {
    rows.front().push_back(formatted("rank {}", rank));
  }
  int const num_rounds = messages.empty() ? 0 : messages.back().round + 1;
  for (int round = 0; round < num_rounds; ++round) {
    rows.emplace_back(drawn.size() + 1);
    rows.back().front() = formatted("round {}", round);
  }
  for (Sent const& sent : messages) {
    for (std::size_t i = 0; i < drawn.size(); ++i) {
      if (drawn[i] == sent.sender) {
        std::string& cell = rows[static_cast<std::size_t>(sent.round) + 1][i + 1];
        cell += formatted("{}{}:{}", cell.empty() ? "" : " ", sent.receiver, sent.cargo);
      }
    }
  }
  for (Row& row : rows) {
    std::ranges::replace(row, std::string(), std::string("-"));
  }
  return table_text(rows);
}

}  // namespace espalier::verify
