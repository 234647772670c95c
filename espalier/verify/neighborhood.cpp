// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/neighborhood.hpp"

#include <cstddef>
#include <cstdint>

#include "espalier/verify/rounds.hpp"
#include "espalier/verify/verify.hpp"

namespace espalier::verify {
namespace {

using neighborhood::End;
using schedule::RankProgram;

constexpr std::int32_t none = -1;

/// Values of what each rank sends, one after another.
std::vector<std::vector<std::int32_t>>
values_of_edges(neighborhood::Neighborhood const& all, std::int32_t& num_values) {
  std::vector<std::vector<std::int32_t>> values;
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    values.emplace_back();
    for (End const& to : all.out_edges(rank)) {
      values.back().push_back(to.is_absent() ? none : num_values++);
    }
  }
  return values;
}

std::vector<std::vector<std::int32_t>> values_of_ranks(int num_ranks) {
  std::vector<std::vector<std::int32_t>> values;
  for (std::int32_t rank = 0; rank < num_ranks; ++rank) {
    values.push_back({rank});
  }
  return values;
}

}  // namespace

Exchange exchange_of(neighborhood::Request const& request) {
  neighborhood::Neighborhood const& all = request.neighborhood;
  bool const is_alltoall = request.collective == neighborhood::Collective::neighbor_alltoall;
  Exchange exchange;
  if (is_alltoall) {
    exchange.inputs = values_of_edges(all, exchange.num_values);
  } else {
    exchange.inputs = values_of_ranks(all.num_ranks());
    exchange.num_values = all.num_ranks();
  }
  for (int rank = 0; rank < all.num_ranks(); ++rank) {
    exchange.outputs.emplace_back();
    for (End const& from : all.in_edges(rank)) {
      auto const block = static_cast<std::size_t>(is_alltoall ? from.index : 0);
      exchange.outputs.back().push_back(
          from.is_absent() ? none : exchange.inputs[static_cast<std::size_t>(from.peer)][block]
      );
    }
  }
  return exchange;
}

std::vector<RankProgram>
generate_all(neighborhood::Algorithm const& algorithm, neighborhood::Request const& request) {
  std::vector<RankProgram> programs;
  for (int rank = 0; rank < request.neighborhood.num_ranks(); ++rank) {
    programs.push_back(neighborhood::generate(algorithm, request, rank));
  }
  return programs;
}

Verdict prove(neighborhood::Algorithm const& algorithm, neighborhood::Request const& request) {
  return prove(algorithm, request, generate_all(algorithm, request));
}

Verdict prove(
    neighborhood::Algorithm const& algorithm,
    neighborhood::Request const& request,
    std::vector<RankProgram> const& programs
) {
  Exchange const exchange = exchange_of(request);
  Verdict verdict = verify(
      programs,
      {
          .collective = Collective::alltoall,
          .num_ranks = request.neighborhood.num_ranks(),
          .exchange = &exchange,
      }
  );
  if (verdict.holds()) {
    verdict.violation = check_facts(algorithm.facts(request), verdict.facts);
  }
  return verdict;
}

}  // namespace espalier::verify
