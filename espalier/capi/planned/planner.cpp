// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/planned/planner.hpp"

#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/capi/planned/explanation.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/world.hpp"

namespace espalier::capi {
namespace {

using plan::ClassError;

/// Where the planner of a communicator that the program never frees goes: MPI_Finalize deletes the
/// attributes of MPI_COMM_SELF first, while communicators can be freed.
int end_with_mpi(MPI_Comm, int, void* attribute, void*) noexcept {
  auto& planners = *static_cast<mpi::Attribute*>(attribute);
  std::optional<void*> planner;
  if (planners.find(MPI_COMM_WORLD, planner) == MPI_SUCCESS && planner) {
    planners.remove(MPI_COMM_WORLD);
  }
  planners.free();
  return MPI_SUCCESS;
}

void watch_end(mpi::Attribute& planners) {
  mpi::Attribute end(end_with_mpi);
  end.set(MPI_COMM_SELF, &planners);
  end.free();  // MPI keeps it until it is deleted.
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

Fingerprint fingerprint_of(WantedCall const& wanted, std::string_view algorithm) {
  Fingerprint fingerprint;
  fingerprint.add(std::vector<int>{static_cast<int>(wanted.call), wanted.root});
  fingerprint.add(std::string(algorithm));
  fingerprint.add(std::to_string(wanted.bytes));
  return fingerprint;
}

void check(PlanOrder const& order) {
  if (order.complaint != nullptr) {
    throw ClassError(MPI_ERR_ARG, order.complaint);
  }
  check_pointer(reinterpret_cast<void const*>(order.request), "request");
}

int Planner::on_delete(MPI_Comm, int, void* planner, void*) noexcept {
  std::unique_ptr<Planner> const owned(static_cast<Planner*>(planner));
  owned->user_->comm = MPI_COMM_SELF;
  return MPI_SUCCESS;
}

/// Made once, and kept until MPI ends.
mpi::Attribute const& Planner::attribute() {
  static mpi::Attribute made(on_delete);
  static std::once_flag watched;
  std::call_once(watched, [] { watch_end(made); });
  return made;
}

Planner::Planner(MPI_Comm comm)
    : user_(std::make_shared<UserCommunicator>(UserCommunicator{.comm = comm})), seats_(comm),
      facts_(plan::facts_of_communicator(comm)), ways_(seats_.own()),
      communicator_(
          comm,
          plan::BindingTarget{
              .context = seats_.own().get(),
              .num_ranks = facts_.num_ranks,
              .rank = facts_.rank,
          }
      ),
      devices_(plan::DeviceMemory::of_process()) {}

Planner& Planner::of(MPI_Comm comm) {
  if (std::optional<void*> const planner = attribute().of(comm)) {
    return *static_cast<Planner*>(*planner);
  }
  OwnWork const own_work;
  std::unique_ptr<Planner> made(new Planner(comm));
  attribute().set(comm, made.get());
  return *made.release();  // the attribute's
}

Way Planner::way_for(WantedCall const& wanted, std::string_view algorithm) {
  return algorithm.empty() ? ways_.unnamed(wanted) : ways_.named(wanted, algorithm);
}

PlannedParts Planner::parts_of(Draft const& draft, plan::Seat seat) const {
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
