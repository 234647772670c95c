// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "espalier/profile/decision.hpp"

namespace espalier::plan {

/// Why the native call runs whatever rules say; README.md tells why each is equal on all ranks.
enum class NativeReason : std::uint8_t {
  one_rank,
  intercommunicator,
  outside_world,
  no_context,
  left_alone,
  no_data,
  refused,
  refused_operator,
  refused_order,
  no_groups,
  refused_ownership,
  refused_waiting,
  refused_selection,
  refused_start,
  no_progress,
  devices,
  only_learned,
  no_agreement,
  refused_memory,
  refused_started_memory,
  no_neighborhood,
  refused_neighborhood,
  other_pairing,
  written_requests,
  whole_vectors,
};

/// The texts of the reasons, in reports, in the order of the enumeration.
inline constexpr std::array native_reason_texts{
    "one rank",
    "intercommunicator",
    "ranks outside MPI_COMM_WORLD",
    "no context: made by a nonblocking call or of a session, or too many communicators exist",
    "the program says espalier_tune=false",
    "no data",
    "the choice does not accept this root",
    "operator not known to be defined for the datatype",
    "the choice swaps operands, the operator does not commute",
    "native phases have no communicators here: too many exist, or the choice needs too many",
    "nonblocking with an operator of the program",
    "nonblocking, and the choice has native phases, which wait",
    "the MPI library cannot be told here to take this algorithm of its own",
    "nonblocking, and the MPI library selects algorithms of blocking calls only",
    "nonblocking, and this MPI library does not let others make progress",
    "nonblocking, and buffers may be in device memory",
    "nonblocking, and what was learned serves blocking calls only",
    "persistent, and a rank cannot take part, needs more tags, or has no room for another request",
    "the choice is for memory that ranks of a node share, and here they do not",
    "nonblocking, and the choice is for memory that ranks of a node share",
    "not all ranks know the neighbours of all: no topology, too many edges, or device memory",
    "the algorithm does not serve such a neighborhood",
    "the MPI library may pair or place blocks otherwise than the standard here",
    "Open MPI 5 writes into requests of this call in Fortran, as if they were its own",
    "the choice cuts vectors, and an operator of the program may need them whole",
};

static_assert(
    native_reason_texts.size() == static_cast<std::size_t>(NativeReason::whole_vectors) + 1
);

/// A table that decides so for any size, and its decision, for each reason.
class NativeDecisions {
public:
  NativeDecisions() {
    for (char const* const text : native_reason_texts) {
      tables_.emplace_back(profile::Decision{.choice = {}, .reason = text});
    }
  }

  [[nodiscard]] profile::DecisionTable const& table(NativeReason reason) const noexcept {
    return tables_[static_cast<std::size_t>(reason)];
  }

  [[nodiscard]] profile::Decision const& decision(NativeReason reason) const noexcept {
    return table(reason).decisions().front();
  }

private:
  std::vector<profile::DecisionTable> tables_;
};

}  // namespace espalier::plan
