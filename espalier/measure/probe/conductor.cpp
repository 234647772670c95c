// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/conductor.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <mpi.h>

#include "espalier/measure/probe/result_line.hpp"
#include "espalier/measure/probe/set_run.hpp"
#include "espalier/measure/probe/surroundings.hpp"
#include "espalier/measure/probe/tags.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure::probe {
namespace {

constexpr double fewest_clock_steps = 20.0;
/// The first message of a sample also pays for the barrier before it: the ends of a pair leave that
/// up to a message's time apart. Samples that last longer consist of settled round trips mostly.
constexpr double shortest_sample_us = 10.0;
/// Pairs of a set leave the barrier apart, too, but shall be active at the same time.
constexpr double shortest_common_sample_us = 20.0;
/// Instead of the number of a step: there are no more.
constexpr double no_more = -1.0;

double shortest_us(ProbePlan const& plan, Step const& step) {
  if (is_overhead(plan.test_of(step).kind)) {
    return 0.0;
  }
  return plan.pairs_of(step).size() == 1 ? shortest_sample_us : shortest_common_sample_us;
}

}  // namespace

struct Conductor::Begin {
  double step = no_more;
  double seconds = 0.0;

  [[nodiscard]] std::size_t index() const { return static_cast<std::size_t>(step); }
};

Conductor::Conductor(Job const& job, ProbePlan const& plan)
    : job_(&job), plan_(&plan), steps_(plan.steps()), memory_(plan, job.rank),
      clock_step_us_(clock_resolution_us()) {}

void Conductor::announce(Begin const& begin, std::vector<int> const& ranks) const {
  std::array<double, 2> const numbers{begin.step, begin.seconds};
  for (int const rank : ranks) {
    if (rank != job_->rank) {
      mpi::require_success(
          PMPI_Send(numbers.data(), 2, MPI_DOUBLE, rank, tag_step, job_->comm), "MPI_Send"
      );
    }
  }
}

std::size_t Conductor::conduct(JsonLines& lines, double seconds) {
  double const start = now_us();
  std::size_t done = 0;
  for (; done < steps_.size(); ++done) {
    double const left = seconds - (now_us() - start) * 1e-6;
    if (left <= 0.0) {
      break;
    }
    // What a step needs less than its share, those after it may use.
    double const share = left / static_cast<double>(steps_.size() - done);
    Begin const begin{
        .step = static_cast<double>(done), .seconds = std::min(plan_->seconds_per_set, share)
    };
    PairSet const& pairs = plan_->pairs_of(steps_[done]);
    std::vector<int> const members = members_of(pairs);
    announce(begin, members);
    bool const takes_part = std::ranges::find(members, job_->rank) != members.end();
    std::string const mine = takes_part ? measure(begin) : "";
    int const leader = SetRun::leader_of(pairs);
    lines.write(leader == job_->rank ? mine : line_from(leader));
  }
  std::vector<int> all(static_cast<std::size_t>(job_->num_ranks));
  std::iota(all.begin(), all.end(), 0);
  announce(Begin{}, all);
  return sets_from(done);
}

void Conductor::follow() {
  while (true) {
    std::array<double, 2> numbers{};
    wait_quietly(job_->comm, 0, tag_step);
    int const code =
        PMPI_Recv(numbers.data(), 2, MPI_DOUBLE, 0, tag_step, job_->comm, MPI_STATUS_IGNORE);
    mpi::require_success(code, "MPI_Recv");
    Begin const begin{.step = numbers[0], .seconds = numbers[1]};
    if (begin.step < 0.0) {
      return;
    }
    std::string const line = measure(begin);
    if (SetRun::leader_of(plan_->pairs_of(steps_[begin.index()])) == job_->rank) {
      int const length = static_cast<int>(line.size());
      mpi::require_success(PMPI_Send(&length, 1, MPI_INT, 0, tag_result, job_->comm), "MPI_Send");
      mpi::require_success(
          PMPI_Send(line.data(), length, MPI_CHAR, 0, tag_result, job_->comm), "MPI_Send"
      );
    }
  }
}

/// @return the line on the leader of the set, nothing on its other ranks.
std::string Conductor::measure(Begin const& begin) {
  Step const& step = steps_[begin.index()];
  SetRun run(*job_, memory_, *plan_, step);
  Course const course = run.run(limits_of(begin));
  bool const leads = SetRun::leader_of(plan_->pairs_of(step)) == job_->rank;
  return leads ? result_line(*plan_, step, course) : "";
}

Limits Conductor::limits_of(Begin const& begin) const {
  Step const& step = steps_[begin.index()];
  return {
      .seconds = begin.seconds,
      .min_repetitions = plan_->min_repetitions,
      .max_repetitions = plan_->max_repetitions,
      .precision = plan_->precision,
      .spread = plan_->spread,
      .shortest_sample_us =
          std::max(fewest_clock_steps * clock_step_us_, shortest_us(*plan_, step)),
  };
}

std::string Conductor::line_from(int leader) const {
  wait_quietly(job_->comm, leader, tag_result);
  int length = 0;
  int code = PMPI_Recv(&length, 1, MPI_INT, leader, tag_result, job_->comm, MPI_STATUS_IGNORE);
  mpi::require_success(code, "MPI_Recv");
  std::string line(static_cast<std::size_t>(length), ' ');
  code =
      PMPI_Recv(line.data(), length, MPI_CHAR, leader, tag_result, job_->comm, MPI_STATUS_IGNORE);
  mpi::require_success(code, "MPI_Recv");
  return line;
}

/// Number of sets with a step from this one on.
std::size_t Conductor::sets_from(std::size_t step) const {
  std::size_t sets = 0;
  for (std::size_t i = step; i < steps_.size(); ++i) {
    if (i == step || steps_[i].bytes_index == 0) {
      ++sets;
    }
  }
  return sets;
}

}  // namespace espalier::measure::probe
