// SPDX-License-Identifier: Apache-2.0

/// @file
/// What an order found at run time gains, and when it has paid: for each collective MPI's own call
/// in the order of MPI_COMM_WORLD and in the new one, and each step of its tree in both
/// [karlsson2012, tables 4.9 to 4.12].
///
/// Usage: order_gain [bytes] [calls]. Bytes are those of a rank's part, or of the message.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "include/espalier_order.h"

#include <mpi.h>

namespace {

constexpr int most_steps = 31;

struct Request {
  char const* collective;
  std::size_t bytes;
  int num_calls;
};

int rank_of(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

void print_order(char const* collective, espalier_order_report const& report) {
  constexpr std::array sources{"measured", "remembered", "described"};
  std::printf(
      "%-8s %-9s groups %d  channels %g  distances %s\n",
      collective,
      report.order,
      report.num_groups,
      report.channels_across,
      sources[static_cast<std::size_t>(report.source)]
  );
  std::printf(
      "  model     %10.1f -> %10.1f us  %.2fx\n",
      report.model_standard_us,
      report.model_chosen_us,
      report.model_standard_us / report.model_chosen_us
  );
  std::printf(
      "  call      %10.1f -> %10.1f us  %.2fx\n",
      report.standard_us,
      report.chosen_us,
      report.standard_us / report.chosen_us
  );
  std::printf(
      "  cost      find %.0f, measure %.0f, compute %.0f, create %.0f, try %.0f us;"
      " pays after %.0f calls\n",
      report.find_us,
      report.measure_us,
      report.compute_us,
      report.create_us,
      report.trial_us,
      report.num_calls_to_pay
  );
}

void print_steps(
    char const* order, std::vector<double> const& mean_us, std::vector<double> const& sd_us
) {
  double sum_us = 0;
  std::printf("  steps of %-9s", order);
  for (std::size_t i = 0; i < mean_us.size(); ++i) {
    std::printf(" %9.1f (%.1f)", mean_us[i], sd_us[i]);
    sum_us += mean_us[i];
  }
  std::printf("  sum %.1f us\n", sum_us);
}

/// Collective.
void show_steps(char const* order, MPI_Comm comm, Request const& request) {
  std::vector<double> mean_us(most_steps);
  std::vector<double> sd_us(most_steps);
  int num_steps = 0;
  espalier_order_steps(
      comm,
      request.collective,
      request.bytes,
      request.num_calls,
      most_steps,
      mean_us.data(),
      sd_us.data(),
      &num_steps
  );
  mean_us.resize(static_cast<std::size_t>(num_steps));
  sd_us.resize(static_cast<std::size_t>(num_steps));
  if (rank_of(MPI_COMM_WORLD) == 0) {
    print_steps(order, mean_us, sd_us);
  }
}

/// Collective.
void show(Request const& request) {
  espalier_order_options options = ESPALIER_ORDER_OPTIONS_INIT;
  options.num_trial_calls = request.num_calls;
  MPI_Comm ordered = MPI_COMM_NULL;
  espalier_order_report report{};
  espalier_order_create(
      MPI_COMM_WORLD, request.collective, 0, request.bytes, &options, &ordered, &report
  );
  if (rank_of(MPI_COMM_WORLD) == 0) {
    print_order(request.collective, report);
  }
  show_steps("standard", MPI_COMM_WORLD, request);
  show_steps(report.order, ordered, request);
  MPI_Comm_free(&ordered);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  long const bytes = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 65536;
  long const num_calls = argc > 2 ? std::strtol(argv[2], nullptr, 10) : 20;
  for (char const* const collective : {"scatter", "gather", "bcast", "reduce"}) {
    show(
        {.collective = collective,
         .bytes = static_cast<std::size_t>(bytes),
         .num_calls = static_cast<int>(num_calls)}
    );
  }
  MPI_Finalize();
  return 0;
}
