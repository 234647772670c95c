// SPDX-License-Identifier: Apache-2.0

/// @file
/// Allgather through schedule and executor against the same algorithm written by hand.
///
/// Observations: on a shared machine the time of a call drifts by more than what is looked for, and
/// the two calls of a pair drift together. Approach: pairs of samples taken one after the other, in
/// alternating order, each the mean of a few calls on the slowest rank; the median of the
/// quotients, with an interval from order statistics.
///
/// Usage: direct_vs_schedule <algorithm> <block_bytes> <num_pairs> <calls_per_sample>
/// Prints one line of JSON.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <mpi.h>

#include "benchmarks/exec/direct.hpp"
#include "espalier/algorithms/catalog.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"

namespace espalier::benchmarks {
namespace {

struct Settings {
  std::string algorithm;
  int block_bytes = 0;
  int num_pairs = 0;
  int calls_per_sample = 1;
};

struct Interval {
  double low = 0;
  double median = 0;
  double high = 0;
};

/// Median with an interval that covers it with 95 % probability, whatever the distribution.
Interval median_of(std::vector<double> values) {
  std::ranges::sort(values);
  auto const n = static_cast<double>(values.size());
  double const half_width = 0.98 * std::sqrt(n);
  auto const at = [&](double position) {
    return values[static_cast<std::size_t>(std::clamp(std::floor(position), 0.0, n - 1))];
  };
  return {.low = at(n / 2 - half_width), .median = at(n / 2), .high = at(n / 2 + half_width)};
}

/// Both implementations on the same memory.
class Contest {
public:
  Contest(Settings const& settings, MPI_Comm comm)
      : settings_(settings), comm_(comm), direct_(comm, settings.block_bytes),
        executor_(make_executor(settings, comm)) {
    PMPI_Comm_rank(comm, &rank_);
    PMPI_Comm_size(comm, &num_ranks_);
    auto const block = static_cast<std::size_t>(settings.block_bytes);
    input_.assign(block, static_cast<std::byte>(rank_ + 1));
    output_.resize(block * static_cast<std::size_t>(num_ranks_));
  }

  void call(bool is_ours) {
    if (is_ours) {
      if (executor_.run(input_.data(), output_.data()) != MPI_SUCCESS) {
        PMPI_Abort(comm_, 1);
      }
    } else if (settings_.algorithm == "ring") {
      direct_.ring(input_.data(), output_.data());
    } else if (settings_.algorithm == "bruck") {
      direct_.bruck(input_.data(), output_.data());
    } else {
      direct_.sparbit(input_.data(), output_.data());
    }
  }

  bool is_right(bool is_ours) {
    std::ranges::fill(output_, std::byte{0});
    call(is_ours);
    int is_equal = 1;
    for (std::size_t i = 0; i < output_.size(); ++i) {
      auto const block = i / static_cast<std::size_t>(settings_.block_bytes);
      is_equal = output_[i] == static_cast<std::byte>(block + 1) ? is_equal : 0;
    }
    PMPI_Allreduce(MPI_IN_PLACE, &is_equal, 1, MPI_INT, MPI_MIN, comm_);
    return is_equal == 1;
  }

  /// Microseconds per call on this rank.
  double sample(bool is_ours) {
    PMPI_Barrier(comm_);
    double const begin = PMPI_Wtime();
    for (int i = 0; i < settings_.calls_per_sample; ++i) {
      call(is_ours);
    }
    return (PMPI_Wtime() - begin) * 1e6 / settings_.calls_per_sample;
  }

private:
  static exec::MpiExecutor make_executor(Settings const& settings, MPI_Comm comm) {
    int rank = 0;
    int num_ranks = 1;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &num_ranks);
    exec::TypedCount const block{.type = MPI_BYTE, .count = settings.block_bytes};
    auto const choice = algorithms::Choice::parse("allgather/" + settings.algorithm);
    return exec::allgather_executor(choice.generate(num_ranks, 0, rank), comm, block, block);
  }

  Settings const& settings_;
  MPI_Comm comm_;
  int rank_ = 0;
  int num_ranks_ = 1;
  Direct direct_;
  exec::MpiExecutor executor_;
  std::vector<std::byte> input_;
  std::vector<std::byte> output_;
};

struct Samples {
  std::vector<double> direct_us;
  std::vector<double> ours_us;
};

Samples measure(Contest& contest, Settings const& settings, MPI_Comm comm) {
  Samples samples;
  int const num_warmup = std::max(2, settings.num_pairs / 20);
  for (int pair = -num_warmup; pair < settings.num_pairs; ++pair) {
    bool const ours_first = pair % 2 != 0;
    double first = contest.sample(ours_first);
    double second = contest.sample(!ours_first);
    if (pair >= 0) {
      samples.direct_us.push_back(ours_first ? second : first);
      samples.ours_us.push_back(ours_first ? first : second);
    }
  }
  // The slowest rank of each sample.
  for (std::vector<double>* times : {&samples.direct_us, &samples.ours_us}) {
    PMPI_Allreduce(
        MPI_IN_PLACE, times->data(), static_cast<int>(times->size()), MPI_DOUBLE, MPI_MAX, comm
    );
  }
  return samples;
}

void print(Settings const& settings, Samples const& samples, int num_ranks) {
  std::vector<double> ratios;
  std::vector<double> differences;
  for (std::size_t i = 0; i < samples.ours_us.size(); ++i) {
    ratios.push_back(samples.ours_us[i] / samples.direct_us[i]);
    differences.push_back(samples.ours_us[i] - samples.direct_us[i]);
  }
  Interval const ratio = median_of(ratios);
  Interval const difference = median_of(differences);
  std::printf(
      "{\"algorithm\": \"%s\", \"num_ranks\": %d, \"block_bytes\": %d, \"num_pairs\": %d, "
      "\"direct_us\": %.3f, \"schedule_us\": %.3f, \"ratio\": %.4f, \"ratio_low\": %.4f, "
      "\"ratio_high\": %.4f, \"difference_us\": %.3f, \"difference_low_us\": %.3f, "
      "\"difference_high_us\": %.3f}\n",
      settings.algorithm.c_str(),
      num_ranks,
      settings.block_bytes,
      settings.num_pairs,
      median_of(samples.direct_us).median,
      median_of(samples.ours_us).median,
      ratio.median,
      ratio.low,
      ratio.high,
      difference.median,
      difference.low,
      difference.high
  );
}

int run(Settings const& settings) {
  MPI_Comm comm = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int rank = 0;
  int num_ranks = 1;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &num_ranks);
  bool is_right = false;
  {
    Contest contest(settings, comm);
    is_right = contest.is_right(true) && contest.is_right(false);
    if (is_right) {
      Samples const samples = measure(contest, settings, comm);
      if (rank == 0) {
        print(settings, samples, num_ranks);
      }
    } else if (rank == 0) {
      std::fprintf(stderr, "direct_vs_schedule: wrong result of %s\n", settings.algorithm.c_str());
    }
  }
  PMPI_Comm_free(&comm);
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace espalier::benchmarks

int main(int argc, char** argv) {
  if (argc != 5) {
    std::fprintf(
        stderr,
        "usage: direct_vs_schedule <algorithm> <block_bytes> <num_pairs> <calls_per_sample>\n"
    );
    return 2;
  }
  MPI_Init(&argc, &argv);
  int const code = espalier::benchmarks::run({
      .algorithm = argv[1],
      .block_bytes = std::atoi(argv[2]),
      .num_pairs = std::atoi(argv[3]),
      .calls_per_sample = std::atoi(argv[4]),
  });
  MPI_Finalize();
  return code;
}
