// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/set_run.hpp"

#include <algorithm>
#include <array>

#include <mpi.h>

#include "espalier/measure/common/start_barrier.hpp"
#include "espalier/measure/probe/surroundings.hpp"
#include "espalier/measure/probe/tags.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::measure::probe {
namespace {

Pair const& pair_with(PairSet const& pairs, int rank) {
  return *std::ranges::find_if(pairs, [rank](Pair const& pair) {
    return pair.sender == rank || pair.receiver == rank;
  });
}

int index_of(std::vector<int> const& members, int rank) {
  return static_cast<int>(std::ranges::find(members, rank) - members.begin());
}

}  // namespace

SetRun::SetRun(Job const& job, MessageMemory& memory, ProbePlan const& plan, Step const& step)
    : job_(&job), kind_(plan.test_of(step).kind), pairs_(&plan.pairs_of(step)),
      members_(members_of(*pairs_)), index_(index_of(members_, job.rank)),
      is_measuring_(Exchange::measuring_rank(kind_, pair_with(*pairs_, job.rank)) == job.rank),
      exchange_(
          job.comm,
          memory,
          pair_with(*pairs_, job.rank),
          job.rank,
          plan.test_of(step),
          plan.bytes_of(step)
      ) {}

Course SetRun::run(Limits const& limits) {
  exchange_.prepare();
  Course course(limits, pairs_->size());
  double const start = now_us();
  while (true) {
    Batch const batch = from_leader(leads() ? course.next((now_us() - start) * 1e-6) : Batch{});
    if (batch.repetitions == 0) {
      return course;
    }
    std::vector<double> const mine = carry_out(batch);
    if (leads()) {
      course.add(gather(mine));
    } else {
      give_to_leader(mine);
    }
  }
}

/// The leader's batch on all ranks of the set.
Batch SetRun::from_leader(Batch batch) const {
  std::array<int, 3> numbers{batch.calls, batch.untimed, batch.repetitions};
  constexpr int count = numbers.size();
  if (!leads()) {
    int const code = PMPI_Recv(
        numbers.data(), count, MPI_INT, members_.front(), tag_order, job_->comm, MPI_STATUS_IGNORE
    );
    mpi::require_success(code, "MPI_Recv");
    return {.calls = numbers[0], .untimed = numbers[1], .repetitions = numbers[2]};
  }
  for (std::size_t i = 1; i < members_.size(); ++i) {
    int const code = PMPI_Send(numbers.data(), count, MPI_INT, members_[i], tag_order, job_->comm);
    mpi::require_success(code, "MPI_Send");
  }
  return batch;
}

/// @return the times that count.
std::vector<double> SetRun::carry_out(Batch const& batch) {
  std::vector<double> times_us;
  times_us.reserve(static_cast<std::size_t>(batch.repetitions));
  for (int i = 0; i < batch.untimed + batch.repetitions; ++i) {
    mpi::require_success(start_barrier(job_->comm, members_, index_, tag_start), "barrier");
    double const time_us = exchange_.sample_us(batch.calls);
    if (i >= batch.untimed) {
      times_us.push_back(time_us);
    }
  }
  return times_us;
}

void SetRun::give_to_leader(std::vector<double> const& mine) const {
  if (!is_measuring_) {
    return;
  }
  int const count = static_cast<int>(mine.size());
  mpi::require_success(
      PMPI_Send(mine.data(), count, MPI_DOUBLE, members_.front(), tag_times, job_->comm), "MPI_Send"
  );
}

/// On the leader: times of all pairs.
std::vector<std::vector<double>> SetRun::gather(std::vector<double> const& mine) const {
  std::vector<std::vector<double>> times_us(pairs_->size(), std::vector<double>(mine.size()));
  for (std::size_t i = 0; i < pairs_->size(); ++i) {
    int const source = Exchange::measuring_rank(kind_, (*pairs_)[i]);
    if (source == job_->rank) {
      times_us[i] = mine;
      continue;
    }
    int const code = PMPI_Recv(
        times_us[i].data(),
        static_cast<int>(mine.size()),
        MPI_DOUBLE,
        source,
        tag_times,
        job_->comm,
        MPI_STATUS_IGNORE
    );
    mpi::require_success(code, "MPI_Recv");
  }
  return times_us;
}

}  // namespace espalier::measure::probe
