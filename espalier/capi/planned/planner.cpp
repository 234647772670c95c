// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/planned/planner.hpp"

#include <cstdint>
#include <utility>
#include <vector>

#include "espalier/capi/planned/explanation.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::capi {
namespace {

using mpi::require_success;
using plan::ClassError;

plan::CommunicatorFacts facts_of(mpi::OwnCommunicator const& own) {
  int const num_ranks = own.size();
  return {.num_ranks = num_ranks, .num_sources = num_ranks, .rank = own.rank()};
}

/// Where the planner of a communicator that the program never frees goes: MPI_Finalize deletes the
/// attributes of MPI_COMM_SELF first, while communicators can be freed.
int end_with_mpi(MPI_Comm, int, void* keyval, void*) noexcept {
  int key = static_cast<int>(reinterpret_cast<std::intptr_t>(keyval));
  void* value = nullptr;
  int is_found = 0;
  PMPI_Comm_get_attr(MPI_COMM_WORLD, key, reinterpret_cast<void*>(&value), &is_found);
  int const code = is_found == 0 ? MPI_SUCCESS : PMPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  PMPI_Comm_free_keyval(&key);
  return code;
}

void watch_end(int keyval) {
  int key = MPI_KEYVAL_INVALID;
  require_success(
      PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, end_with_mpi, &key, nullptr),
      "MPI_Comm_create_keyval"
  );
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI keeps pointers.
  void* const value = reinterpret_cast<void*>(static_cast<std::intptr_t>(keyval));
  require_success(PMPI_Comm_set_attr(MPI_COMM_SELF, key, value), "MPI_Comm_set_attr");
  // It lives until the attribute is deleted.
  require_success(PMPI_Comm_free_keyval(&key), "MPI_Comm_free_keyval");
}

}  // namespace

std::string algorithm_in(espalier_planned_options const* options) {
  if (options == nullptr) {
    return {};
  }
  if (options->size != sizeof(espalier_planned_options) || options->flags != 0) {
    throw ClassError(
        MPI_ERR_ARG, "expected options set by ESPALIER_PLANNED_OPTIONS_INIT with flags 0"
    );
  }
  return options->algorithm == nullptr ? std::string() : options->algorithm;
}

Fingerprint fingerprint_of(WantedCall const& wanted, Way const& way) {
  Fingerprint fingerprint;
  fingerprint.add(std::vector<int>{static_cast<int>(wanted.call), wanted.root});
  fingerprint.add(way.choice == nullptr ? std::string("native") : way.choice->text());
  fingerprint.add(std::to_string(wanted.bytes));
  return fingerprint;
}

int Planner::on_delete(MPI_Comm, int, void* planner, void*) noexcept {
  std::unique_ptr<Planner> const owned(static_cast<Planner*>(planner));
  owned->user_->comm = MPI_COMM_SELF;
  return MPI_SUCCESS;
}

/// Made once, and kept until MPI ends.
int Planner::keyval() {
  static int const made = [] {
    int key = MPI_KEYVAL_INVALID;
    require_success(
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, nullptr),
        "MPI_Comm_create_keyval"
    );
    watch_end(key);
    return key;
  }();
  return made;
}

Planner::Planner(MPI_Comm comm)
    : user_(std::make_shared<UserCommunicator>(UserCommunicator{.comm = comm})), seats_(comm),
      facts_(facts_of(seats_.own())), ways_(seats_.own()), communicator_(
                                                               comm,
                                                               plan::BindingTarget{
                                                                   .context = seats_.own().get(),
                                                                   .num_ranks = facts_.num_ranks,
                                                                   .rank = facts_.rank,
                                                               }
                                                           ) {}

Planner& Planner::of(MPI_Comm comm) {
  void* value = nullptr;
  int is_found = 0;
  require_success(
      PMPI_Comm_get_attr(comm, keyval(), reinterpret_cast<void*>(&value), &is_found),
      "MPI_Comm_get_attr"
  );
  if (is_found != 0) {
    return *static_cast<Planner*>(value);
  }
  std::unique_ptr<Planner> made(new Planner(comm));
  require_success(PMPI_Comm_set_attr(comm, keyval(), made.get()), "MPI_Comm_set_attr");
  return *made.release();  // the attribute's
}

Way Planner::way_for(WantedCall const& wanted, std::string_view algorithm) {
  return algorithm.empty() ? ways_.unnamed(wanted) : ways_.named(wanted, algorithm);
}

PlannedParts Planner::parts_of(Draft const& draft, Seat seat) const {
  WantedCall const& wanted = draft.wanted;
  std::string name(algorithms::to_string(profile::collective_of(wanted.call)));
  name += "/native";
  std::string what = "the nonblocking collective of the MPI library, on a communicator of its own";
  if (algorithms::Choice const* const choice = draft.way.choice) {
    name = choice->text();
    int const num_rounds = choice->num_rounds(facts_.num_ranks, wanted.root);
    what = text_of(draft.bound.executor->cost(), num_rounds) + "; all are messages of MPI";
  }
  std::string const head = std::string(profile::to_string(wanted.call)) + ": " + name;
  return {
      .user = user_,
      .algorithm = name,
      .explanation = head + ", " + draft.way.why + "\n" + what,
      .seat = std::move(seat),
  };
}

}  // namespace espalier::capi
