// SPDX-License-Identifier: Apache-2.0

#include "espalier/verify/verify.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/schedule/text.hpp"
#include "espalier/schedule/transforms.hpp"
#include "espalier/verify/arrivals.hpp"
#include "espalier/verify/cells.hpp"
#include "espalier/verify/execution.hpp"
#include "espalier/verify/hazards.hpp"
#include "espalier/verify/matching.hpp"
#include "espalier/verify/native_calls.hpp"
#include "espalier/verify/one_sided.hpp"
#include "espalier/verify/one_sided_rounds.hpp"
#include "espalier/verify/rounds.hpp"
#include "espalier/verify/shape.hpp"
#include "espalier/verify/values.hpp"

namespace espalier::verify {
namespace {

using algorithms::Choice;
using algorithms::Facts;
using schedule::Operation;
using schedule::RankProgram;

/// All ranks must cut the result into the same blocks.
std::optional<Violation> check_agreement(std::span<RankProgram const> programs) {
  int const expected = programs.front().frame.num_output_blocks;
  for (RankProgram const& program : programs) {
    if (int const found = program.frame.num_output_blocks; found != expected) {
      return Violation{
          .rule = ProverRule::bounds,
          .rank = program.rank,
          .operation = -1,
          .text = formatted("must have {} output blocks as rank 0 has, got {}", expected, found),
      };
    }
  }
  return std::nullopt;
}

/// What each rank's program tells alone.
std::optional<Violation>
check_ranks(std::span<RankProgram const> programs, Contract const& contract) {
  int rank = 0;
  for (RankProgram const& program : programs) {
    if (auto violation = check_shape(program, contract, rank++)) {
      return violation;
    }
    if (auto violation = check_hazards(program, contract)) {
      return violation;
    }
  }
  return contract.exchange != nullptr ? std::nullopt : check_agreement(programs);
}

/// What the programs do together.
std::optional<Violation> check_together(AllOperations const& all, Contract const& contract) {
  Matching const matching = match_messages(all, contract.has_equal_blocks);
  if (matching.violation) {
    return matching.violation;
  }
  Values values(all, contract);
  if (auto violation = execute(all, matching, values)) {
    return violation;
  }
  if (auto violation = values.judge()) {
    return violation;
  }
  if (auto violation = check_rounds(all, matching)) {
    return violation;
  }
  return contract.collective == Collective::barrier ? check_arrivals(all, matching) : std::nullopt;
}

/// A collective without parts says into how many pieces it cuts the vector.
std::optional<Violation> check_pieces(int promised, RankProgram const& program) {
  if (int const found = program.frame.num_output_blocks; found != promised) {
    return Violation{
        .rule = ProverRule::facts,
        .rank = -1,
        .operation = -1,
        .text =
            formatted("the algorithm promises to cut the message into {}, got {}", promised, found),
    };
  }
  return std::nullopt;
}

Contract contract_of(Choice const& choice, int num_ranks, int root) {
  return {
      .collective = choice.collective(),
      .num_ranks = num_ranks,
      .root = root,
      .has_equal_blocks = choice.algorithm().equal_blocks_only,
  };
}

/// The same, with what the algorithm says of the order: needs that it accepts the request.
Contract full_contract_of(Choice const& choice, int num_ranks, int root) {
  Contract contract = contract_of(choice, num_ranks, root);
  contract.order = choice.order(num_ranks, root);
  return contract;
}

bool has_form_with_input(Collective collective) {
  return collective != Collective::barrier && collective != Collective::bcast &&
         collective != Collective::alltoall;
}

std::vector<RankProgram> with_input(std::vector<RankProgram> programs, Contract const& contract) {
  for (RankProgram& program : programs) {
    program = schedule::from_input(std::move(program), contract.collective, contract.root);
  }
  return programs;
}

/// In place and with a separate input; the facts hold for both.
Verdict verify_forms(std::vector<RankProgram> programs, Contract contract, Facts const& promised) {
  Verdict verdict = verify(programs, contract);
  if (verdict.holds()) {
    verdict.violation = check_facts(promised, verdict.facts);
  }
  if (verdict.holds() && has_form_with_input(contract.collective)) {
    programs = with_input(std::move(programs), contract);
    contract.is_in_place = false;
    verdict = verify(programs, contract);
    if (verdict.holds()) {
      verdict.violation = check_facts(promised, verdict.facts);
    }
  }
  return verdict;
}

std::optional<Violation> check_neighbours(std::span<RankProgram const> programs) {
  for (RankProgram const& program : programs) {
    int const p = program.frame.num_ranks;
    int index = 0;
    for (Operation const& operation : program.operations) {
      int const distance = wrap(std::int64_t{operation.peer} - program.rank, p);
      if (operation.peer >= 0 && distance != 1 && distance != p - 1) {
        return Violation{
            .rule = ProverRule::name,
            .rank = program.rank,
            .operation = index,
            .text =
                schedule::to_text(program, operation) + ": the algorithm promises neighbours only",
        };
      }
      ++index;
    }
  }
  return std::nullopt;
}

}  // namespace

/// Of native calls the promise of their collective is known. Facts are of our own messages.
static Verdict verify_native(std::span<RankProgram const> programs, Contract const& contract) {
  if (auto violation = check_native_calls(programs)) {
    return {.violation = std::move(violation), .facts = {}};
  }
  Verdict verdict = verify(without_native_calls(programs), contract);
  verdict.facts = count(AllOperations(programs));
  return verdict;
}

/// What each rank does is right only in view of what others do in its memory.
static Verdict verify_one_sided(std::span<RankProgram const> programs, Contract const& contract) {
  int rank = 0;
  for (RankProgram const& program : programs) {
    if (auto violation = check_shape(program, contract, rank++)) {
      return {.violation = std::move(violation), .facts = {}};
    }
  }
  if (contract.exchange == nullptr) {
    if (auto violation = check_agreement(programs)) {
      return {.violation = std::move(violation), .facts = {}};
    }
  }
  AllOperations const all(programs);
  return {.violation = check_one_sided(all, contract), .facts = count_one_sided(all)};
}

Verdict verify(std::span<RankProgram const> programs, Contract const& contract) {
  contract.check();
  if (programs.size() != static_cast<std::size_t>(contract.num_ranks)) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "expected a program for each of {} ranks, got {}", contract.num_ranks, programs.size()
        )
    );
  }
  if (have_native_calls(programs)) {
    return verify_native(programs, contract);
  }
  if (are_one_sided(programs)) {
    return verify_one_sided(programs, contract);
  }
  if (auto violation = check_ranks(programs, contract)) {
    return {.violation = std::move(violation), .facts = {}};
  }
  AllOperations const all(programs);
  return {.violation = check_together(all, contract), .facts = count(all)};
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

Contract contract_for(Choice const& choice, int num_ranks, int root) {
  contract_of(choice, num_ranks, root).check();
  return full_contract_of(choice, num_ranks, root);
}

Verdict prove(Choice const& choice, int num_ranks, int root) {
  return prove(choice, num_ranks, root, generate_all(choice, num_ranks, root));
}

Verdict prove(Choice const& choice, int num_ranks, int root, std::vector<RankProgram> programs) {
  Facts const promised = choice.facts(num_ranks, root);
  Collective const collective = choice.collective();
  bool const has_pieces = !schedule::has_parts(collective) && collective != Collective::barrier;
  if (has_pieces && !programs.empty()) {
    if (auto violation = check_pieces(choice.num_pieces(num_ranks), programs.front())) {
      return {.violation = std::move(violation), .facts = {}};
    }
  }
  if (choice.algorithm().neighbours_only && !choice.is_dealt()) {
    if (auto violation = check_neighbours(programs)) {
      return {.violation = std::move(violation), .facts = {}};
    }
  }
  return verify_forms(std::move(programs), full_contract_of(choice, num_ranks, root), promised);
}

Verdict prove(Choice const& choice, algorithms::RankOrder const& order, int root) {
  int const num_ranks = order.num_ranks();
  Contract contract = contract_of(choice, num_ranks, root);
  contract.check();
  std::vector<RankProgram> programs;
  programs.reserve(static_cast<std::size_t>(num_ranks));
  for (int rank = 0; rank < num_ranks; ++rank) {
    programs.push_back(choice.generate(order, root, rank));
  }
  return verify_forms(
      std::move(programs), contract, choice.facts(num_ranks, order.position_of(root))
  );
}

}  // namespace espalier::verify
