// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/orders/order_point.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <utility>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/base/error.hpp"
#include "espalier/measure/common/clock.hpp"
#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/measure/common/start_barrier.hpp"
#include "espalier/measure/common/timer.hpp"
#include "espalier/measure/orders/order_workload.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure {
namespace {

/// Microseconds of making and freeing a communicator on the slowest rank, on all ranks.
double creation_us(Job const& job, std::span<int const> ranks, exec::Creation creation) {
  mpi::require_success(start_barrier(job.comm), "barrier");
  auto const start = Clock::now();
  { exec::ReorderedCommunicator const made(job.comm, ranks, creation); }
  double time_us = seconds_since(start) * 1e6;
  combine_for_all(&time_us, 1, MPI_DOUBLE, MPI_MAX, job.comm);
  return time_us;
}

/// A way to make a call, with what is needed to prove it.
struct Way {
  TimedCall timed;
  /// The rank whose part stands at each place of the root's memory.
  std::vector<int> rank_at;
};

std::vector<int> identity(int num_ranks) {
  std::vector<int> ranks(static_cast<std::size_t>(num_ranks));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

/// All ways to make the call of a point. Refers to all but the request.
class Ways {
public:
  Ways(
      Job const& job,
      OrderPlan const& plan,
      OrderedCommunicators const& communicators,
      OrderWorkload& workload
  )
      : job_(&job), plan_(&plan), communicators_(&communicators), workload_(&workload) {
    for (std::size_t order = 0; order < plan.orders.size(); ++order) {
      add_native(order);
    }
  }

  /// @throws Error if the choice cannot be run here.
  void add(std::string const& text) {
    auto const choice = algorithms::Choice::parse(text);
    for (std::size_t order = 0; order < plan_->orders.size(); ++order) {
      algorithms::RankOrder const ranks(plan_->orders[order].ranks);
      exec::MpiExecutor& executor =
          executors_.emplace_back(workload_->executor(job_->comm, choice, ranks));
      auto const run = [this, &executor](int) { return workload_->run(executor); };
      ways_.push_back({{.name = name(text, order), .run = run}, identity(job_->num_ranks)});
    }
  }

  [[nodiscard]] std::vector<Way> const& get() const noexcept { return ways_; }

private:
  void add_native(std::size_t order) {
    auto const run = [this, order](int) {
      return workload_->run_native(communicators_->comm(order), communicators_->root(order));
    };
    std::vector<int> rank_at = order == 0 ? identity(job_->num_ranks) : plan_->orders[order].ranks;
    ways_.push_back({{.name = name("native", order), .run = run}, std::move(rank_at)});
  }

  [[nodiscard]] std::string name(std::string const& way, std::size_t order) const {
    return order == 0 ? way : way + "@" + plan_->orders[order].name;
  }

  Job const* job_;
  OrderPlan const* plan_;
  OrderedCommunicators const* communicators_;
  OrderWorkload* workload_;
  std::deque<exec::MpiExecutor> executors_;  // stays where it is: ways refer to it
  std::vector<Way> ways_;
};

/// Collective: what is wrong with a way, the same on all ranks; empty if nothing.
std::string prove(Job const& job, OrderWorkload& workload, Way const& way) {
  for (std::uint32_t const stamp : {1U, 2U}) {
    workload.fill(way.rank_at, stamp);
    int const code = way.timed.run(0);
    std::string const problem =
        code == MPI_SUCCESS
            ? workload.problem(way.rank_at, stamp)
            : "expected the call to succeed, got MPI error code " + std::to_string(code);
    if (std::string complaint = first_complaint(job, problem); !complaint.empty()) {
      return complaint;
    }
  }
  return {};
}

/// A point while it is measured: where errors of it go.
struct Report {
  SampleFile* file;
  std::size_t index;
  PointRequest const* point;

  void complain(std::string const& way, std::string const& reason, std::string const& text) const {
    if (file != nullptr) {
      file->write_error(index, *point, way, reason, text);
    }
  }
};

void add_choices(Ways& ways, Report const& report) {
  for (std::string const& choice : report.point->choices) {
    try {
      ways.add(choice);
    } catch (Error const& error) {
      if (error.code() == ErrorCode::mpi) {
        throw;
      }
      report.complain(choice, "refused", error.what());
    }
  }
}

/// Collective: false if one of them is wrong, which is reported.
bool are_right(Job const& job, OrderWorkload& workload, Ways const& ways, Report const& report) {
  for (Way const& way : ways.get()) {
    if (std::string const problem = prove(job, workload, way); !problem.empty()) {
      report.complain(way.timed.name, "wrong", problem);
      return false;
    }
  }
  return true;
}

}  // namespace

OrderedCommunicators::OrderedCommunicators(Job const& job, OrderPlan const& plan)
    : job_(&job), plan_(&plan) {
  if (plan.num_ranks() != job.num_ranks) {
    throw Error(
        ErrorCode::argument,
        "expected a job of " + std::to_string(plan.num_ranks()) +
            " ranks, as the orders have, got " + std::to_string(job.num_ranks)
    );
  }
  for (std::size_t order = 1; order < plan.orders.size(); ++order) {
    made_.emplace_back(job.comm, plan.orders[order].ranks);
    PMPI_Comm_set_errhandler(made_.back().get(), MPI_ERRORS_RETURN);
  }
}

MPI_Comm OrderedCommunicators::comm(std::size_t order) const {
  return order == 0 ? job_->comm : made_[order - 1].get();
}

int OrderedCommunicators::root(std::size_t order) const noexcept {
  return order == 0 ? plan_->root : 0;
}

void measure_creation(Job const& job, OrderPlan const& plan, SampleFile* file) {
  for (std::size_t order = 1; order < plan.orders.size(); ++order) {
    NamedOrder const& named = plan.orders[order];
    std::array<std::vector<double>, 2> times_us;
    for (int i = 0; i <= plan.creations; ++i) {
      double const split = creation_us(job, named.ranks, exec::Creation::split);
      double const group = creation_us(job, named.ranks, exec::Creation::group);
      // The first one makes connections.
      if (i > 0) {
        times_us[0].push_back(split);
        times_us[1].push_back(group);
      }
    }
    if (file != nullptr && plan.creations > 0) {
      file->write_creation(named.name, times_us[0], times_us[1]);
    }
  }
}

void measure_order_point(
    Job const& job,
    OrderPlan const& plan,
    OrderedCommunicators const& communicators,
    std::size_t point,
    Pace const& pace,
    SampleFile* file
) {
  PointRequest request = plan.measurement.points[point];
  OrderWorkload workload(job, request, plan.root);
  request.bytes = workload.bytes();
  Ways ways(job, plan, communicators, workload);
  Report const report{.file = file, .index = point, .point = &request};
  add_choices(ways, report);
  if (!are_right(job, workload, ways, report)) {
    return;
  }
  std::vector<TimedCall> timed_calls;
  std::vector<std::string> names;
  for (Way const& way : ways.get()) {
    timed_calls.push_back(way.timed);
    names.push_back(way.timed.name);
  }
  // From one root, calls of a sample would run in a pipeline.
  Pace one_call = pace;
  one_call.most_calls = 1;
  Timer timer(job, one_call, timed_calls);
  Samples const samples = timer.run();
  if (file != nullptr) {
    file->write_point(point, request, names, samples, timer.calls_per_sample());
  }
}

}  // namespace espalier::measure
