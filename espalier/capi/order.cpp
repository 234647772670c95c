// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators of espalier_order.h.

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier_order.h"

#include <mpi.h>

#include "espalier/capi/agreement.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/barrier.hpp"
#include "espalier/capi/environment.hpp"
#include "espalier/capi/order_call.hpp"
#include "espalier/capi/visible_split.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/mpi/now.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/mpi/world_ranks.hpp"
#include "espalier/plan/orders/tree_order.hpp"
#include "espalier/plan/orders/tree_steps.hpp"
#include "espalier/plan/orders/tree_trial.hpp"

namespace espalier::capi {
namespace {

using mpi::now_us;
using mpi::OwnCommunicator;

/// Another order must take less than this part of the time.
constexpr double most_of_standard = 0.98;

/// An order while its communicator is made and tried.
class OrderMaker {
public:
  OrderMaker(MPI_Comm comm, OwnCommunicator const& own, OrderCall const& call)
      : comm_(comm), own_(&own), call_(&call), found_(plan::find_tree_order(own, request())) {
    report_.model_standard_us = found_.chosen.standard_us;
    report_.model_chosen_us = found_.chosen.chosen_us;
  }

  /// The communicator in the order that was found, or in the standard one unless a trial shows that
  /// something is gained. Two communicators of one order differ by noise only: that is not tried.
  MPI_Comm make() {
    OwnCommunicator made(create());
    if (call_->num_trial_calls > 0 && found_.chosen.ranks != standard()) {
      double const start = now_us();
      plan::TrialTimes const times = try_tree_order(*own_, made.get(), trial());
      found_.overhead.trial_us = now_us() - start;
      found_.chosen.standard_us = times.standard_us;
      found_.chosen.chosen_us = times.ordered_us;
      report_.num_trial_calls = call_->num_trial_calls;
      if (times.ordered_us > most_of_standard * times.standard_us) {
        made = OwnCommunicator(MPI_COMM_NULL);
        keep_standard();
        made = OwnCommunicator(create());
      }
    }
    if (!found_.warning.empty()) {
      std::fprintf(stderr, "espalier: %s\n", found_.warning.c_str());
    }
    return made.release(comm_);
  }

  /// Collective, after make().
  [[nodiscard]] espalier_order_report report() {
    found_.overhead = slowest(*own_, found_.overhead);
    plan::TreeOrderOverhead const& all = found_.overhead;
    *std::ranges::copy(found_.chosen.name, report_.order).out = '\0';
    report_.source = static_cast<int>(found_.source);
    report_.num_groups = found_.num_groups;
    report_.channels_across = found_.channels.across;
    report_.channels_inside = found_.channels.inside;
    report_.num_pairs = found_.num_pairs;
    report_.standard_us = found_.chosen.standard_us;
    report_.chosen_us = found_.chosen.chosen_us;
    report_.find_us = all.find_us;
    report_.measure_us = all.measure_us;
    report_.compute_us = all.compute_us;
    report_.create_us = all.create_us;
    report_.trial_us = all.trial_us;
    report_.num_calls_to_pay = found_.num_calls_to_pay();
    return report_;
  }

private:
  [[nodiscard]] plan::TreeOrderRequest request() const {
    plan::TreeOrderRequest request{
        .collective = call_->collective,
        .root = call_->root,
        .bytes = call_->bytes,
        .order = call_->order,
        .measure_seconds = call_->measure_seconds,
    };
    own_->run_at_root([&] {
      request.machine = described_machine(call_->machine);
      request.file = distances_file(call_->memory);
    });
    return request;
  }

  [[nodiscard]] plan::TreeTrial trial() const {
    return {
        .collective = call_->collective,
        .root = call_->root,
        .bytes = call_->bytes,
        .num_calls = call_->num_trial_calls,
    };
  }

  MPI_Comm create() {
    double const start = now_us();
    std::vector<int> const positions = mapping::positions(found_.chosen.ranks);
    int const position = positions[static_cast<std::size_t>(own_->rank())];
    MPI_Comm const made = visible_split(*own_, position);
    found_.overhead.create_us += now_us() - start;
    return made;
  }

  [[nodiscard]] mapping::RankVector standard() const {
    return mapping::standard_order(own_->size(), call_->root);
  }

  void keep_standard() {
    found_.chosen.name = "standard";
    found_.chosen.ranks = standard();
    found_.chosen.chosen_us = found_.chosen.standard_us;
  }

  MPI_Comm comm_;
  OwnCommunicator const* own_;
  OrderCall const* call_;
  plan::TreeOrder found_;
  espalier_order_report report_{};
};

void create(
    MPI_Comm comm, OrderArguments const& arguments, MPI_Comm* newcomm, espalier_order_report* report
) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  OrderCall call;
  agree(own, [&] {
    check_pointer(static_cast<void const*>(static_cast<void*>(newcomm)), "newcomm");
    call = checked(arguments, own.size());
    return call.fingerprint();
  });
  OrderMaker maker(comm, own, call);
  MPI_Comm const made = maker.make();
  espalier_order_report const found = maker.report();
  *newcomm = made;
  if (report != nullptr) {
    *report = found;
  }
}

void ranks_of(MPI_Comm comm, MPI_Comm newcomm, int* ranks) {
  check_intracommunicator(newcomm);
  check_pointer(ranks, "ranks");
  std::vector<int> const found = mpi::world_ranks(newcomm, comm);
  if (std::ranges::find(found, MPI_UNDEFINED) != found.end()) {
    throw plan::ClassError(
        MPI_ERR_COMM, "expected a communicator with ranks of the first one, got one with others"
    );
  }
  std::ranges::copy(found, ranks);
}

struct StepArguments {
  char const* collective;
  std::size_t bytes;
  int num_calls;
  int max_steps;
  double* mean_us;
  double* sd_us;
  int* num_steps;
};

struct StepCall {
  mapping::TreeCollective collective = mapping::TreeCollective::scatter;
  std::int64_t bytes = 0;
};

StepCall checked(StepArguments const& arguments) {
  if (arguments.num_calls < 1) {
    throw plan::ClassError(
        MPI_ERR_ARG, "num_calls must be at least 1, got " + std::to_string(arguments.num_calls)
    );
  }
  if (arguments.max_steps < 0) {
    throw plan::ClassError(
        MPI_ERR_ARG, "max_steps must be at least 0, got " + std::to_string(arguments.max_steps)
    );
  }
  if (arguments.max_steps > 0) {
    check_pointer(arguments.mean_us, "mean_us");
  }
  check_pointer(arguments.num_steps, "num_steps");
  return {
      .collective = checked_collective(arguments.collective),
      .bytes = checked_bytes(arguments.bytes),
  };
}

void steps(MPI_Comm comm, StepArguments const& arguments) {
  OwnCommunicator const own = OwnCommunicator::duplicate(comm);
  StepCall call;
  agree(own, [&] {
    call = checked(arguments);
    Fingerprint fingerprint;
    std::vector<int> const numbers{
        static_cast<int>(call.collective), static_cast<int>(call.bytes), arguments.num_calls
    };
    fingerprint.add(numbers);
    return fingerprint;
  });
  auto const times = plan::time_tree_steps(own, call.collective, call.bytes, arguments.num_calls);
  *arguments.num_steps = static_cast<int>(times.size());
  for (int i = 0; i < std::min(arguments.max_steps, *arguments.num_steps); ++i) {
    auto const& time = times[static_cast<std::size_t>(i)];
    arguments.mean_us[i] = time.mean_us;
    if (arguments.sd_us != nullptr) {
      arguments.sd_us[i] = time.sd_us;
    }
  }
}

}  // namespace
}  // namespace espalier::capi

extern "C" {

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_order_create(
    MPI_Comm comm,
    char const* collective,
    int root,
    size_t bytes,
    espalier_order_options const* options,
    MPI_Comm* newcomm,
    espalier_order_report* report
) {
  return espalier::capi::on(comm, [&] {
    espalier::capi::create(comm, {collective, root, bytes, options}, newcomm, report);
  });
}

int espalier_order_ranks(MPI_Comm comm, MPI_Comm newcomm, int ranks[]) {
  return espalier::capi::on(comm, [&] { espalier::capi::ranks_of(comm, newcomm, ranks); });
}

// NOLINTNEXTLINE(readability-function-size): as programs call it
int espalier_order_steps(
    MPI_Comm comm,
    char const* collective,
    size_t bytes,
    int num_calls,
    int max_steps,
    double mean_us[],
    double sd_us[],
    int* num_steps
) {
  return espalier::capi::on(comm, [&] {
    espalier::capi::steps(
        comm, {collective, bytes, num_calls, max_steps, mean_us, sd_us, num_steps}
    );
  });
}

}  // extern "C"
