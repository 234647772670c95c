// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the calls of irregular.hpp have in common.

#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

#include "espalier/exec/memory/integers.hpp"
#include "espalier/plan/calls/arguments.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/irregular/elements.hpp"
#include "espalier/plan/irregular/irregular.hpp"
#include "espalier/plan/irregular/library.hpp"

namespace espalier::plan {

/// @throws ClassError MPI_ERR_ROOT.
inline void require_root(int root, CommunicatorFacts const& facts) {
  if (!is_rank(root, facts.num_ranks)) {
    throw ClassError(
        MPI_ERR_ROOT,
        "expected a root from 0 to " + std::to_string(facts.num_ranks - 1) + ", got " +
            std::to_string(root)
    );
  }
}

/// @throws ClassError MPI_ERR_ARG for a list that is not there, MPI_ERR_COUNT for negative counts.
inline void require_counts(exec::Integers counts, int num_counts) {
  if (counts == nullptr) {
    throw ClassError(MPI_ERR_ARG, "expected a list of counts, got a null pointer");
  }
  if (!total_of(counts, num_counts)) {
    throw ClassError(MPI_ERR_COUNT, "expected counts of at least 0, got a negative one");
  }
}

/// @throws ClassError MPI_ERR_ARG.
template <typename List> void require_list(List const* list, char const* what) {
  if (list == nullptr) {
    throw ClassError(
        MPI_ERR_ARG, std::string("expected a list of ") + what + ", got a null pointer"
    );
  }
}

/// Elements without a type are no bytes, and can be asked about like others.
inline Elements with_type(Elements elements) {
  if (elements.type == MPI_DATATYPE_NULL) {
    elements.type = MPI_BYTE;
  }
  return elements;
}

/// Missing lists, of which each function of Open MPI says something else; MPICH reads them.
/// @throws LibraryError.
template <typename Call>
void require_lists(
    [[maybe_unused]] Call const& call,
    [[maybe_unused]] Library const& library,
    [[maybe_unused]] std::initializer_list<void const*> lists
) {
#ifdef OPEN_MPI
  for (void const* const list : lists) {
    int const code = list == nullptr ? library.says(call) : MPI_SUCCESS;
    if (code != MPI_SUCCESS) {
      throw LibraryError(code);
    }
  }
#endif
}

/// What a rank sends to itself; nothing if it is there. They may overlap.
inline std::optional<OwnPart> own_part(Elements const& from, Elements const& to) {
  return from == to ? std::nullopt : std::optional(OwnPart{packed(from), to});
}

}  // namespace espalier::plan
