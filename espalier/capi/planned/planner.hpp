// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "include/espalier_planned.h"

#include <mpi.h>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/device_buffers.hpp"
#include "espalier/capi/own_work.hpp"
#include "espalier/capi/planned/kept_calls.hpp"
#include "espalier/capi/planned/requests.hpp"
#include "espalier/capi/planned/ways.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/exec/node/mpi_shared_memory.hpp"
#include "espalier/mpi/attribute.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/communicator_facts.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/own_bytes.hpp"
#include "espalier/plan/communicators/agreed_sizes.hpp"
#include "espalier/plan/communicators/communicator.hpp"
#include "espalier/plan/communicators/seats.hpp"
#include "espalier/plan/devices/device_memory.hpp"
#include "espalier/plan/devices/spans.hpp"
#include "espalier/plan/irregular/mend.hpp"

namespace espalier::capi {

/// espalier_planned_options, checked; the algorithm is empty if none is named.
/// @throws plan::ClassError.
[[nodiscard]] std::string algorithm_in(espalier_planned_options const* options);

/// What a program wants besides the call itself.
struct PlanOrder {
  espalier_planned_options const* options = nullptr;
  espalier_request** request = nullptr;
  /// What the interface of another language found wrong with the arguments of this rank, which
  /// are not looked at then; null if nothing.
  char const* complaint = nullptr;
};

/// Makes the requests of one communicator of the program, on which it hangs as an attribute.
class Planner {
public:
  /// Collective over comm when it is asked for the first time, later local.
  /// @throws Error mpi.
  [[nodiscard]] static Planner& of(MPI_Comm comm);

  /// Collective over the communicator.
  /// @throws plan::ClassError of the same class on all ranks if one of them gives wrong arguments
  ///     or they differ; Error mpi.
  template <typename Call> void plan(Call const& call, PlanOrder const& order);

  [[nodiscard]] int num_ranks() const noexcept { return facts_.num_ranks; }

private:
  explicit Planner(MPI_Comm comm);
  static int on_delete(MPI_Comm comm, int keyval, void* planner, void* state) noexcept;
  static mpi::Attribute const& attribute();

  /// What will run: a way, and the executor where it is not the MPI library's.
  struct Draft {
    WantedCall wanted{};
    Way way{};
    plan::BoundCall bound{};
  };

  /// What is asked for, before anything is decided.
  /// @throws plan::ClassError, Error.
  template <typename Call> [[nodiscard]] WantedCall wanted(Call const& call);
  /// The size on which the ranks agree, where not all of them know it. Collective.
  /// @throws plan::ClassError on all ranks if the arguments of one are wrong, or differ; Error mpi.
  template <typename Call>
  [[nodiscard]] std::int64_t agreed_size(Call const& call, PlanOrder const& order);
  /// Collective if ranks have to tell each other sizes: then what is wanted is equal on all.
  /// @throws plan::ClassError, Error.
  template <typename Call>
  Draft draft(
      Call const& call, WantedCall const& wanted, std::string_view algorithm, plan::Seat const& seat
  );
  template <typename Call> [[nodiscard]] std::int64_t regular_bytes(Call const& call);
  [[nodiscard]] Way way_for(WantedCall const& wanted, std::string_view algorithm);
  [[nodiscard]] PlannedParts parts_of(Draft const& draft, plan::Seat seat) const;
  /// Whether the processor of some rank must not touch what the call reads or writes. Collective.
  /// @throws Error mpi.
  template <typename Call> [[nodiscard]] bool has_device_memory(Call const& call) const;

  std::shared_ptr<UserCommunicator> user_;
  plan::Seats seats_;
  plan::CommunicatorFacts facts_;
  plan::NamedTypes types_;
  Ways ways_;
  plan::Communicator communicator_;
  plan::DeviceMemory devices_;
};

/// What of a request is equal on all ranks.
[[nodiscard]] Fingerprint fingerprint_of(WantedCall const& wanted, std::string_view algorithm);

/// @throws plan::ClassError if a request cannot be made of any call.
void check(PlanOrder const& order);

template <typename Call> std::int64_t Planner::regular_bytes(Call const& call) {
  if (auto const bytes = call.bytes(facts_, types_)) {
    return *bytes;
  }
  // Says what is wrong if it is wrong under every MPI.
  plan::Library const not_asked;
  static_cast<void>(plan::mend(call, facts_, not_asked));
  throw plan::ClassError(
      MPI_ERR_ARG,
      "expected arguments as the MPI standard has them, got buffers that overlap, null types or "
      "types that were not committed, or an own part of different sizes at its ends"
  );
}

template <typename Call> WantedCall Planner::wanted(Call const& call) {
  WantedCall wanted{.call = Call::call, .bytes = regular_bytes(call)};
  if constexpr (requires { call.root; }) {
    wanted.root = call.root;
  }
  return wanted;
}

template <typename Call>
std::int64_t Planner::agreed_size(Call const& call, PlanOrder const& order) {
  agree(seats_.own(), [&] {
    check(order);
    return fingerprint_of(wanted(call), algorithm_in(order.options));
  });
  std::int64_t const own = plan::own_bytes(call, facts_, types_);
  return plan::agreed_bytes(Call::call, seats_.own().get(), true, own).value_or(0);
}

template <typename Call>
Planner::Draft Planner::draft(
    Call const& call, WantedCall const& wanted, std::string_view algorithm, plan::Seat const& seat
) {
  Draft draft{.wanted = wanted, .way = way_for(wanted, algorithm)};
  if (draft.way.choice == nullptr) {
    return draft;
  }
  plan::PlannedFor const what{
      .context = seat.context(), .keeps_operator = true, .exchange = seat.context()
  };
  int const refusal = communicator_.bind_planned(*draft.way.choice, call, what, draft.bound);
  if (refusal != MPI_SUCCESS) {
    auto const reason = static_cast<std::size_t>(plan::Communicator::reason_of(refusal));
    draft.way = ways_.refused(draft.wanted, draft.way, plan::native_reason_texts[reason]);
  }
  return draft;
}

template <typename Call> bool Planner::has_device_memory(Call const& call) const {
  bool is_here = false;
  if (devices_.is_present()) {
    plan::Span const spans[] = {plan::sent_span(call, facts_), plan::received_span(call, facts_)};
    is_here = is_any_in(devices_, spans);
  }
  return !exec::node::is_true_on_all(seats_.own().get(), !is_here);
}

/// A call as the MPI library is to start it, with what it refers to.
template <typename Call> struct NativeCall {
  Keeper keeper;
  Call call;

  /// @throws plan::ClassError if the library cannot start it; Error mpi.
  NativeCall(Call const& user, plan::CommunicatorFacts const& facts) : call(user) {
    if constexpr (requires { call.has_large_counts; }) {
      call.has_large_counts = call.has_large_counts && has_native_large_counts();
      keeper = Keeper(user.has_large_counts && !call.has_large_counts);
    }
    call = kept(call, facts, keeper);
  }
};

template <typename Call> void Planner::plan(Call const& call, PlanOrder const& order) {
  OwnWork const own_work;
  plan::Seat seat = seats_.take();
  std::int64_t agreed_bytes = 0;
  if constexpr (profile::has_agreed_sizes(Call::call)) {
    agreed_bytes = agreed_size(call, order);
  }
  Draft made;
  std::optional<NativeCall<Call>> native;
  agree(seats_.own(), [&] {
    check(order);
    WantedCall what = wanted(call);
    if constexpr (profile::has_agreed_sizes(Call::call)) {
      what.bytes = agreed_bytes;
    }
    made = draft(call, what, algorithm_in(order.options), seat);
    if (made.way.choice == nullptr) {
      native.emplace(call, facts_);
    }
    return fingerprint_of(made.wanted, made.way.name());
  });
  if (made.way.choice != nullptr && has_device_memory(call)) {
    made.way = ways_.refused(made.wanted, made.way, in_device_memory);
    made.bound = {};
    agree(seats_.own(), [&] {
      native.emplace(call, facts_);
      return fingerprint_of(made.wanted, made.way.name());
    });
  }
  bool const is_ours = made.way.choice != nullptr;
  PlannedParts parts = parts_of(made, std::move(seat));
  if (is_ours) {
    *order.request = new ScheduledCollective(std::move(parts), std::move(made.bound));
    return;
  }
  *order.request =
      new NativeCollectiveOf<Call>(std::move(parts), native->call, std::move(native->keeper));
}

}  // namespace espalier::capi
