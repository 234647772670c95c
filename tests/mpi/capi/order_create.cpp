// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators in an order in which trees are faster: their numbering, every kind of collective
/// on them, what the report says, what is remembered, and bad input on all ranks or on one.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <numeric>
#include <string>
#include <unistd.h>
#include <vector>

#include "include/espalier.h"
#include "include/espalier_order.h"

#include <mpi.h>

#include "tests/mpi/capi/handled_errors.hpp"
#include "tests/mpi/exec/support.hpp"

// Nodes for the ranks of this host, see fake_nodes.hpp.
extern "C" int
PMPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* made) {
  return fake_nodes::split_type(comm, type, key, info, made);
}

namespace espalier::test {
namespace {

int rank = 0;
int size = 0;

constexpr std::array collectives{"bcast", "gather", "reduce", "scatter"};

espalier_order_options options_without_memory() {
  espalier_order_options options = ESPALIER_ORDER_OPTIONS_INIT;
  options.memory = "off";
  return options;
}

std::vector<int> ranks_of(Checks& checks, MPI_Comm comm, MPI_Comm made) {
  std::vector<int> ranks(static_cast<std::size_t>(size), -1);
  checks.expect(espalier_order_ranks(comm, made, ranks.data()) == MPI_SUCCESS, "ranks");
  return ranks;
}

void check_numbers(Checks& checks, std::vector<int> const& ranks, MPI_Comm made, int root) {
  int new_rank = -1;
  int new_size = -1;
  MPI_Comm_rank(made, &new_rank);
  MPI_Comm_size(made, &new_size);
  checks.expect(new_size == size, "all ranks are in it");
  checks.expect(ranks[static_cast<std::size_t>(new_rank)] == rank, "ranks has this one");
  checks.expect(ranks.front() == root, "the root is rank 0");
  std::vector<int> sorted = ranks;
  std::ranges::sort(sorted);
  std::vector<int> identity(sorted.size());
  std::iota(identity.begin(), identity.end(), 0);
  checks.expect(sorted == identity, "a permutation");
}

void check_collectives(Checks& checks, std::vector<int> const& ranks, MPI_Comm made) {
  std::vector<int> all(ranks.size(), -1);
  int value = -1;
  MPI_Scatter(ranks.data(), 1, MPI_INT, &value, 1, MPI_INT, 0, made);
  checks.expect(value == rank, "scatter");
  MPI_Gather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, 0, made);
  checks.expect(rank != ranks.front() || all == ranks, "gather");
  MPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, made);
  checks.expect(all == ranks, "allgather");
  value = rank;
  MPI_Bcast(&value, 1, MPI_INT, 0, made);
  checks.expect(value == ranks.front(), "bcast");
  int sum = -1;
  MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, made);
  checks.expect(rank != ranks.front() || sum == size * (size - 1) / 2, "reduce");
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, made);
  checks.expect(sum == size - 1, "allreduce");
}

void check_report(Checks& checks, espalier_order_report const& report) {
  checks.expect(report.standard_us >= report.chosen_us, "the order is not slower");
  checks.expect(size == 1 || report.standard_us > 0, "a call takes time");
  checks.expect(report.find_us > 0 && report.compute_us > 0 && report.create_us > 0, "costs");
  double const total_us =
      report.find_us + report.measure_us + report.compute_us + report.create_us + report.trial_us;
  double const saved_us = report.standard_us - report.chosen_us;
  double const expected = saved_us > 0 ? total_us / saved_us : INFINITY;
  checks.expect(
      report.num_calls_to_pay == expected ||
          std::abs(report.num_calls_to_pay - expected) < 1e-6 * expected,
      "calls to pay"
  );
  std::array<double, 4> same{report.standard_us, report.create_us, report.num_calls_to_pay, 0};
  std::array<double, 4> largest{};
  MPI_Allreduce(same.data(), largest.data(), 4, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  checks.expect(same == largest, "the same on all ranks");
}

void check_measured(Checks& checks) {
  espalier_order_options options = options_without_memory();
  options.measure_seconds = 0.02;
  for (char const* const collective : collectives) {
    for (int const root : {0, size / 2, size - 1}) {
      MPI_Comm made = MPI_COMM_NULL;
      espalier_order_report report;
      int const code =
          espalier_order_create(MPI_COMM_WORLD, collective, root, 1000, &options, &made, &report);
      checks.expect(code == MPI_SUCCESS, std::string(collective) + " is made");
      auto const ranks = ranks_of(checks, MPI_COMM_WORLD, made);
      check_numbers(checks, ranks, made, root);
      check_collectives(checks, ranks, made);
      check_report(checks, report);
      checks.expect(report.source == ESPALIER_ORDER_MEASURED, "measured");
      checks.expect(size == 1 ? report.num_pairs == 0 : report.num_pairs > 0, "pairs");
      MPI_Comm_free(&made);
    }
  }
}

/// On two described nodes with two channels the first half of the ranks is one group.
void check_described(Checks& checks) {
  if (size != 8) {
    return;
  }
  fake_nodes::node_of = [](int world_rank) { return world_rank / 4; };
  espalier_order_options options = options_without_memory();
  options.machine =
      "2n[latency=50us,bandwidth=100MB/s,channels=2] x 4c[latency=1us,bandwidth=1GB/s]";
  for (int const root : {0, 5}) {
    MPI_Comm made = MPI_COMM_NULL;
    espalier_order_report report;
    options.order = nullptr;
    espalier_order_create(MPI_COMM_WORLD, "scatter", root, 16384, &options, &made, &report);
    checks.expect(report.source == ESPALIER_ORDER_DESCRIBED, "described");
    checks.expect(
        std::string(report.order) == "cao",
        "channel aware is best, got " + std::string(report.order)
    );
    checks.expect(report.num_groups == 2 && report.channels_across == 2, "groups and channels");
    checks.expect(report.num_pairs == 0, "nothing is measured");
    checks.expect(report.chosen_us < report.standard_us, "it is faster");
    checks.expect(std::isfinite(report.num_calls_to_pay), "it pays");
    check_report(checks, report);
    auto const ranks = ranks_of(checks, MPI_COMM_WORLD, made);
    check_numbers(checks, ranks, made, root);
    check_collectives(checks, ranks, made);
    std::vector<int> groups;
    for (int const one : ranks) {
      groups.push_back(one / 4 == root / 4 ? 0 : 1);
    }
    checks.expect(groups == std::vector<int>{0, 0, 1, 1, 0, 0, 1, 1}, "the published pattern");
    MPI_Comm_free(&made);
    options.order = "fef";
    espalier_order_create(MPI_COMM_WORLD, "scatter", root, 16384, &options, &made, &report);
    checks.expect(std::string(report.order) == "fef", "the order that is named");
    MPI_Comm_free(&made);
  }
  fake_nodes::node_of = nullptr;
}

std::string content(std::filesystem::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

int source_with(Checks& checks, std::string const& path) {
  espalier_order_options options = ESPALIER_ORDER_OPTIONS_INIT;
  options.memory = path.c_str();
  options.measure_seconds = 0.02;
  MPI_Comm made = MPI_COMM_NULL;
  espalier_order_report report{};
  int const code = espalier_order_create(MPI_COMM_WORLD, "bcast", 0, 64, &options, &made, &report);
  checks.expect(code == MPI_SUCCESS, "with a memory");
  check_numbers(checks, ranks_of(checks, MPI_COMM_WORLD, made), made, 0);
  MPI_Comm_free(&made);
  return report.source;
}

/// All times in the file become an hour, so that it depends on no noise that they are not believed.
void exaggerate_times(std::filesystem::path const& path) {
  std::string text = content(path);
  std::size_t const begin = text.find('[', text.find("\"rtt_us\"")) + 1;
  std::string const times = text.substr(begin, text.find(']', begin) - begin);
  std::string hours = "3.6e9";
  for (auto i = std::ranges::count(times, ','); i > 0; --i) {
    hours += ", 3.6e9";
  }
  text.replace(begin, times.size(), hours);
  std::ofstream(path, std::ios::binary) << text;
}

/// One call in many is undisturbed.
bool is_remembered_soon(Checks& checks, std::string const& path) {
  for (int i = 0; i < 300; ++i) {
    if (source_with(checks, path) == ESPALIER_ORDER_REMEMBERED) {
      return true;
    }
  }
  return false;
}

void check_remembered(Checks& checks) {
  if (size == 1) {
    return;
  }
  int process = static_cast<int>(getpid());
  MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::string const path = std::filesystem::temp_directory_path() /
                           ("espalier-order-" + std::to_string(process) + ".json");
  checks.expect(source_with(checks, path) == ESPALIER_ORDER_MEASURED, "the first time");
  if (rank == 0) {
    checks.expect(content(path).find("espalier-distances") != std::string::npos, "it is kept");
  }
  checks.expect(is_remembered_soon(checks, path), "then it is remembered");
  if (rank == 0) {
    exaggerate_times(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  checks.expect(source_with(checks, path) == ESPALIER_ORDER_MEASURED, "unless it is not true");
  checks.expect(is_remembered_soon(checks, path), "and what was measured is kept");
  if (rank == 0) {
    std::ofstream(path, std::ios::binary) << R"({"schema": "espalier-profile", "version": 1})";
  }
  MPI_Barrier(MPI_COMM_WORLD);
  checks.expect(source_with(checks, path) == ESPALIER_ORDER_MEASURED, "beside a foreign file");
  if (rank == 0) {
    checks.expect(
        content(path) == R"({"schema": "espalier-profile", "version": 1})", "which stays as it is"
    );
    std::filesystem::remove(path);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void check_trial(Checks& checks) {
  espalier_order_options options = options_without_memory();
  options.measure_seconds = 0.01;
  options.num_trial_calls = 3;
  for (char const* const collective : collectives) {
    for (char const* const order : {"random", "standard"}) {
      options.order = order;
      MPI_Comm made = MPI_COMM_NULL;
      espalier_order_report report;
      espalier_order_create(MPI_COMM_WORLD, collective, size - 1, 500, &options, &made, &report);
      auto const ranks = ranks_of(checks, MPI_COMM_WORLD, made);
      check_numbers(checks, ranks, made, size - 1);
      std::vector<int> standard(ranks.size());
      std::iota(standard.begin(), standard.end(), size - 1);
      for (int& one : standard) {
        one %= size;
      }
      bool const is_kept = std::string(report.order) == "standard";
      checks.expect(!is_kept || ranks == standard, "the standard order");
      bool const is_tried = report.num_trial_calls == 3 && report.trial_us > 0;
      bool const needs_none = report.num_trial_calls == 0 && ranks == standard;
      checks.expect(is_tried || needs_none, "calls were timed");
      checks.expect(std::string(order) != "standard" || needs_none, "not against itself");
      checks.expect(!is_tried || is_kept || report.chosen_us < 0.98 * report.standard_us, "faster");
      checks.expect(
          !is_kept ||
              (report.chosen_us == report.standard_us && std::isinf(report.num_calls_to_pay)),
          "what is kept pays never"
      );
      MPI_Comm_free(&made);
    }
  }
}

void check_steps(Checks& checks) {
  int expected = 0;
  while ((1 << expected) < size) {
    ++expected;
  }
  for (char const* const collective : collectives) {
    std::vector<double> mean_us(static_cast<std::size_t>(expected) + 1, -1.0);
    std::vector<double> sd_us = mean_us;
    int num_steps = -1;
    int const code = espalier_order_steps(
        MPI_COMM_WORLD, collective, 100, 3, expected + 1, mean_us.data(), sd_us.data(), &num_steps
    );
    checks.expect(code == MPI_SUCCESS && num_steps == expected, "number of steps");
    for (int i = 0; i < expected; ++i) {
      auto const step = static_cast<std::size_t>(i);
      checks.expect(mean_us[step] > 0 && sd_us[step] >= 0, "each step takes time");
    }
    checks.expect(mean_us.back() == -1.0 && sd_us.back() == -1.0, "no more than there are");
    espalier_order_steps(MPI_COMM_WORLD, collective, 1, 1, 0, nullptr, nullptr, &num_steps);
    checks.expect(num_steps == expected, "without room");
  }
}

using Change = std::function<void(espalier_order_options&)>;

/// A call that is wrong in one way.
void expect_wrong(
    Checks& checks, MPI_Comm comm, int error_class, std::string const& what, Change const& change
) {
  espalier_order_options options = options_without_memory();
  change(options);
  MPI_Comm made = MPI_COMM_NULL;
  int const code = espalier_order_create(comm, "bcast", 0, 8, &options, &made, nullptr);
  expect_handled(checks, code, error_class, what);
  checks.expect(made == MPI_COMM_NULL, what + ": nothing is made");
}

void check_wrong_options(Checks& checks, MPI_Comm comm) {
  auto const expect = [&](int error_class, std::string const& what, Change const& change) {
    expect_wrong(checks, comm, error_class, what, change);
  };
  expect(MPI_ERR_ARG, "flags", [](auto& o) { o.flags = 1; });
  expect(MPI_ERR_ARG, "size", [](auto& o) { o.size = 1; });
  expect(MPI_ERR_ARG, "trials", [](auto& o) { o.num_trial_calls = -1; });
  expect(MPI_ERR_ARG, "seconds", [](auto& o) { o.measure_seconds = -1; });
  expect(MPI_ERR_ARG, "no number", [](auto& o) { o.measure_seconds = NAN; });
  expect(MPI_ERR_ARG, "order", [](auto& o) { o.order = "fastest"; });
  expect(MPI_ERR_ARG, "one rank", [](auto& o) { o.flags = rank == size - 1 ? 1 : 0; });
  if (size > 1) {
    expect(MPI_ERR_ARG, "different orders", [](auto& o) { o.order = rank == 0 ? "fef" : "cao"; });
  }
  expect(MPI_ERR_ARG, "machine", [](auto& o) { o.machine = "3 apples"; });
}

void check_wrong(Checks& checks, MPI_Comm comm) {
  MPI_Comm made = MPI_COMM_NULL;
  auto const call = [&](char const* collective, int root, std::size_t bytes, MPI_Comm* out) {
    return espalier_order_create(comm, collective, root, bytes, nullptr, out, nullptr);
  };
  expect_handled(checks, call("allgather", 0, 8, &made), MPI_ERR_ARG, "collective");
  char text[1024] = {};
  espalier_last_error(text, sizeof text);
  checks.expect(
      std::string(text).find("bcast, gather, reduce, scatter") != std::string::npos, text
  );
  expect_handled(checks, call(nullptr, 0, 8, &made), MPI_ERR_ARG, "no collective");
  expect_handled(checks, call("bcast", -1, 8, &made), MPI_ERR_ROOT, "root below 0");
  expect_handled(checks, call("bcast", size, 8, &made), MPI_ERR_ROOT, "root above all");
  expect_handled(checks, call("bcast", 0, 0, &made), MPI_ERR_COUNT, "no bytes");
  expect_handled(checks, call("bcast", 0, std::size_t{1} << 31, &made), MPI_ERR_COUNT, "bytes");
  expect_handled(checks, call("bcast", 0, 8, nullptr), MPI_ERR_ARG, "no newcomm");
  checks.expect(made == MPI_COMM_NULL, "nothing is made");
  std::vector<int> ranks(static_cast<std::size_t>(size));
  expect_handled(
      checks, espalier_order_ranks(comm, MPI_COMM_NULL, ranks.data()), MPI_ERR_COMM, "null"
  );
  expect_handled(checks, espalier_order_ranks(comm, comm, nullptr), MPI_ERR_ARG, "no ranks");
  int num_steps = 0;
  auto const steps = [&](int num_calls, int max_steps, int* num) {
    return espalier_order_steps(comm, "bcast", 8, num_calls, max_steps, nullptr, nullptr, num);
  };
  expect_handled(checks, steps(0, 0, &num_steps), MPI_ERR_ARG, "no calls");
  expect_handled(checks, steps(1, -1, &num_steps), MPI_ERR_ARG, "room below 0");
  expect_handled(checks, steps(1, 1, &num_steps), MPI_ERR_ARG, "no room");
  expect_handled(checks, steps(1, 0, nullptr), MPI_ERR_ARG, "no number");
}

/// The handler of the communicator is that of the one it was made from.
void check_handler(Checks& checks, MPI_Comm comm) {
  espalier_order_options const options = options_without_memory();
  MPI_Comm made = MPI_COMM_NULL;
  espalier_order_create(comm, "bcast", 0, 8, &options, &made, nullptr);
  int const code = MPI_Comm_call_errhandler(made, MPI_ERR_OTHER);
  checks.expect(code == MPI_SUCCESS && num_handled == 1, "the handler is inherited");
  num_handled = 0;
  MPI_Comm_free(&made);
}

int run() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  Checks checks;
  check_measured(checks);
  check_described(checks);
  check_remembered(checks);
  check_trial(checks);
  check_steps(checks);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  check_wrong(checks, comm);
  check_wrong_options(checks, comm);
  check_handler(checks, comm);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
