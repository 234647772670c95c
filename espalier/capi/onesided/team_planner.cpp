// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_planner.hpp"

#include <string_view>
#include <utility>
#include <vector>

#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/capi/onesided/native_team_collective.hpp"
#include "espalier/capi/onesided/team_layouts.hpp"
#include "espalier/capi/onesided/team_object.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/onesided/team/planned_collective.hpp"
#include "espalier/schedule/private_memory.hpp"

namespace espalier::capi {
namespace {

using algorithms::Choice;
using onesided::PlannedCollective;
using schedule::Mechanism;

exec::Combine combine_of(TeamCall const& call) {
  if (!schedule::reduces(call.collective)) {
    return {};
  }
  return [op = call.op, type = call.datatype](
             std::byte const* source, std::byte* destination, std::int64_t num_elements
         ) {
    // A call has no more elements than an int counts.
    mpi::require_success(
        PMPI_Reduce_local(source, destination, static_cast<int>(num_elements), type, op),
        "MPI_Reduce_local"
    );
  };
}

/// Algorithms that can serve a request.
/// @param has_native  the team has a communicator for collectives of the MPI library
std::string names_of_algorithms(SafeRequest const& request, bool has_native) {
  std::vector<std::string> names;
  for (algorithms::Algorithm const* const algorithm : algorithms::catalog()) {
    if (algorithm->collective != request.collective) {
      continue;
    }
    Choice const choice = Choice::parse(request.collective, algorithm->name);
    if (serves(choice, request)) {
      names.push_back(choice.text());
    }
  }
  Choice const native = Choice::native(request.collective);
  if (has_native && serves(native, request)) {
    names.push_back(native.text());
  }
  return joined(names, ", ");
}

std::string reason_against(Choice const& choice, SafeRequest const& request, bool has_native) {
  if (choice.collective() != request.collective) {
    return formatted(
        "expected an algorithm of {}, got {}",
        schedule::to_string(request.collective),
        choice.text()
    );
  }
  if (runs_natively(choice) && !has_native) {
    return choice.text() + " needs a team that was made of a communicator";
  }
  if (runs_natively(choice)) {
    return choice.text() + (request.is_reproducible ? " does not say how it combines operands"
                                                    : " serves more members than one");
  }
  if (choice.has_native_calls() || algorithms::is_of_library(choice)) {
    return choice.text() + " has collectives of the MPI library inside, which no conduit has";
  }
  std::string const reason = choice.refuses(request.num_ranks, request.root);
  if (!reason.empty()) {
    return choice.text() + ": " + reason;
  }
  if (request.has_uneven_blocks && choice.algorithm().equal_blocks_only) {
    return choice.text() + " hands on blocks of other ranks, which do not know their sizes";
  }
  if (request.is_reproducible) {
    return choice.text() + " does not combine from the left in rank order, as reproducible "
                           "reductions do";
  }
  return choice.text() + " may swap operands, and the operator is not commutative";
}

Choice named(std::string_view text, SafeRequest const& request, bool has_native) {
  Choice choice = parse_choice(text);
  bool const is_there = has_native || !runs_natively(choice);
  if (choice.collective() != request.collective || !is_there || !serves(choice, request)) {
    throw Error(
        ErrorCode::argument,
        formatted(
            "{}; these can serve: {}",
            reason_against(choice, request, has_native),
            names_of_algorithms(request, has_native)
        )
    );
  }
  return choice;
}

void require_legal(Mechanism mechanism, SafeRequest const& request) {
  if (std::string const reason = refusal(mechanism, request); !reason.empty()) {
    throw Error(ErrorCode::argument, reason);
  }
}

NamedParts named_parts(SafeRequest const& request, TeamOptions const& options, bool has_native) {
  NamedParts result;
  if (!options.algorithm.empty()) {
    result.algorithm = named(options.algorithm, request, has_native);
  }
  if (result.algorithm && runs_natively(*result.algorithm)) {
    if (options.mechanism) {
      throw Error(
          ErrorCode::argument,
          formatted(
              "{} moves data by the MPI library: expected no mechanism beside it, got {}",
              result.algorithm->text(),
              schedule::to_string(*options.mechanism)
          )
      );
    }
    result.mechanism = legal_mechanisms(request).front();
    return result;
  }
  if (options.mechanism) {
    require_legal(*options.mechanism, request);
    result.mechanism = options.mechanism;
  }
  return result;
}

SafeRequest request_of(
    onesided::Team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    TeamOptions const& options
) {
  return {
      .collective = call.collective,
      .num_ranks = team.num_ranks(),
      .root = call.root,
      .block_bytes = elements.block_bytes(),
      .has_uneven_blocks = call.blocks != nullptr,
      .needs_rank_order = elements.needs_rank_order,
      .is_reproducible = options.is_reproducible && schedule::reduces(call.collective),
      .mode = options.mode,
      .addresses = options.addresses,
  };
}

}  // namespace

TeamPlanner::TeamPlanner(
    espalier_team const& team,
    TeamCall const& call,
    TeamElements const& elements,
    TeamOptions const& options
)
    : team_(&team.team), native_line_(team.native.get()), node_of_rank_(&team.node_of_rank),
      call_(call), elements_(elements), request_(request_of(team.team, call, elements, options)),
      named_(named_parts(request_, options, native_line_ != nullptr)) {}

std::string TeamPlanner::text() const {
  return formatted(
      "{} {} of {} bytes{}, {}, {} {}, by {} {}",
      schedule::to_string(request_.collective),
      request_.root,
      request_.block_bytes,
      call_.blocks ? " in blocks of" + call_.blocks->text() : "",
      request_.is_reproducible    ? "from the left"
      : request_.needs_rank_order ? "in order"
                                  : "in any order",
      schedule::to_string(request_.mode),
      schedule::to_string(request_.addresses),
      named_.algorithm ? named_.algorithm->text() : "any",
      named_.mechanism ? schedule::to_string(*named_.mechanism) : "any"
  );
}

/// What to try, best first.
std::vector<OriginalChoice> TeamPlanner::choices(TeamMemory const& memory) const {
  std::vector<OriginalChoice> result;
  if (!named_.is_all()) {
    result = memory.recall(request_, named_);
    std::erase_if(result, [&](OriginalChoice const& one) {
      return native_line_ == nullptr && runs_natively(one.choice.choice);
    });
  }
  Origin const origin = named_.is_all() ? Origin::named : Origin::rule;
  for (SafeChoice& choice : safe_choices(request_, named_)) {
    result.push_back({.choice = std::move(choice), .origin = origin});
  }
  // It needs no scratch space.
  if (std::optional<SafeChoice> last = native()) {
    result.push_back({.choice = *std::move(last), .origin = origin});
  }
  return result;
}

TeamPlan TeamPlanner::plan(TeamMemory const& memory) const {
  std::string reason;
  for (auto& [choice, origin] : choices(memory)) {
    auto planned = collective(choice);
    reason = team_->refusal(*planned);
    if (reason.empty()) {
      return {.choice = std::move(choice), .origin = origin, .collective = std::move(planned)};
    }
  }
  throw Error(ErrorCode::no_memory, reason);
}

std::optional<SafeChoice> TeamPlanner::native() const {
  return native_line_ == nullptr ? std::nullopt : native_choice(request_, named_);
}

std::shared_ptr<onesided::TeamCollective const> TeamPlanner::collective(SafeChoice const& choice
) const {
  if (runs_natively(choice.choice)) {
    return std::make_shared<NativeTeamCollective const>(
        *native_line_, call_, request_.mode, request_.num_ranks, team_->rank()
    );
  }
  return one_sided(choice);
}

std::shared_ptr<onesided::TeamCollective const> TeamPlanner::one_sided(SafeChoice const& choice
) const {
  int const num_ranks = request_.num_ranks;
  auto const program_of = [&](int rank) {
    return schedule::as_called(
        choice.choice.generate_whole(num_ranks, request_.root, rank),
        request_.collective,
        request_.root,
        false
    );
  };
  schedule::Segments const segments = choice.choice.one_sided_segments(num_ranks);
  int const num_blocks = program_of(team_->rank()).frame.num_output_blocks * segments.number;
  TeamLayouts const layouts(call_, elements_, num_ranks, num_blocks);
  return std::make_shared<PlannedCollective const>(
      num_ranks,
      team_->rank(),
      program_of,
      schedule::OneSidedForm{
          request_.mode, request_.addresses, choice.mechanism, segments, *node_of_rank_
      },
      [&](int rank) { return layouts.of(rank); },
      combine_of(call_)
  );
}

}  // namespace espalier::capi
