// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls in several orders: all are proved before they are timed, and what was found stands in the
/// file. This program has an MPI_Scatter of its own that spoils a byte of one size, and only where
/// the ranks are reordered.

#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "espalier/measure/orders/order_point.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using espalier::measure::Job;
using espalier::measure::OrderPlan;
using espalier::measure::Pace;
using espalier::measure::SampleFile;
using espalier::profile::Call;
using espalier::test::Checks;
using nlohmann::json;

constexpr int spoiled_count = 123;
MPI_Comm usual_comm = MPI_COMM_NULL;

OrderPlan plan_for(int num_ranks, int root) {
  OrderPlan plan{.root = root, .creations = 2, .orders = {}, .measurement = {}};
  plan.orders.push_back({"standard", espalier::mapping::standard_order(num_ranks, root)});
  plan.orders.push_back({"one", espalier::mapping::random_order(num_ranks, root, 1)});
  plan.orders.push_back({"two", espalier::mapping::random_order(num_ranks, root, 2)});
  plan.measurement.points = {
      {.call = Call::scatter, .bytes = 1000, .choices = {"scatter/binomial", "scatter/flat"}},
      {.call = Call::gather, .bytes = 77, .choices = {"gather/binomial", "gather/nope"}},
      {.call = Call::bcast, .bytes = 4097, .choices = {"bcast/binomial"}},
      {.call = Call::bcast, .bytes = 0, .choices = {"bcast/binomial"}},
      {.call = Call::scatter, .bytes = spoiled_count * num_ranks, .choices = {}},
  };
  return plan;
}

void measure(Job const& job, OrderPlan const& plan, std::string const& path) {
  std::optional<SampleFile> file;
  if (job.rank == 0) {
    file.emplace(path);
  }
  SampleFile* const lines = file ? &*file : nullptr;
  espalier::measure::OrderedCommunicators const communicators(job, plan);
  Pace const pace{.max_repetitions = 20, .seconds = 0.05};
  for (std::size_t i = 0; i < plan.measurement.points.size(); ++i) {
    espalier::measure::measure_order_point(job, plan, communicators, i, pace, lines);
  }
  espalier::measure::measure_creation(job, plan, lines);
}

std::vector<json> lines_of(std::string const& path) {
  std::vector<json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    lines.push_back(json::parse(line));
  }
  return lines;
}

/// Names of all ways, each with as many times as the others and one call a sample.
void check_point(Checks& checks, json const& line, std::vector<std::string> const& choices) {
  std::string const what = line.dump().substr(0, 80);
  checks.expect(line["kind"] == "point" && line["calls_per_sample"] == 1, what);
  checks.expect(line["samples_us"].size() == 3 * (1 + choices.size()), "all ways: " + what);
  std::vector<std::string> names{"native"};
  names.insert(names.end(), choices.begin(), choices.end());
  std::size_t const count = line["samples_us"]["native"].size();
  checks.expect(count >= 3 && count <= 20, "repetitions: " + what);
  for (std::string const& name : names) {
    for (char const* const order : {"", "@one", "@two"}) {
      bool const is_there = line["samples_us"].contains(name + order);
      checks.expect(is_there, name + order + " is there: " + what);
      checks.expect(is_there && line["samples_us"][name + order].size() == count, "as many");
    }
  }
}

void check_lines(Checks& checks, std::vector<json> const& lines, int num_ranks) {
  checks.expect(lines.size() == 8, "points, a refusal, a wrong result and two creations");
  if (lines.size() != 8) {
    return;
  }
  check_point(checks, lines[0], {"scatter/binomial", "scatter/flat"});
  checks.expect(lines[0]["bytes"].get<int>() % num_ranks == 0, "equal parts");
  checks.expect(lines[1]["reason"] == "refused" && lines[1]["index"] == 1, "no such algorithm");
  check_point(checks, lines[2], {"gather/binomial"});
  check_point(checks, lines[3], {"bcast/binomial"});
  check_point(checks, lines[4], {"bcast/binomial"});
  checks.expect(lines[5]["reason"] == "wrong", "a wrong result is told");
  checks.expect(lines[5]["algorithm"] == "native@one", "in which order");
  std::string const text = lines[5]["text"];
  checks.expect(text.find("expected byte 7 of the part of rank") != std::string::npos, text);
  for (std::size_t i : {6U, 7U}) {
    checks.expect(lines[i]["kind"] == "creation", "making communicators is timed");
    checks.expect(lines[i]["order"] == (i == 6U ? "one" : "two"), "of which order");
    checks.expect(lines[i]["split_us"].size() == 2 && lines[i]["group_us"].size() == 2, "twice");
  }
}

void check_wrong_size(Checks& checks, Job const& job) {
  OrderPlan const other = plan_for(job.num_ranks + 1, 0);
  std::string text;
  try {
    espalier::measure::OrderedCommunicators const communicators(job, other);
  } catch (espalier::Error const& error) {
    text = error.what();
  }
  checks.expect(text.find("expected a job of") != std::string::npos, "another size: " + text);
}

}  // namespace

/// Found before the one of the MPI library.
extern "C" int PMPI_Scatter(
    void const* sendbuf,
    int sendcount,
    MPI_Datatype sendtype,
    void* recvbuf,
    int recvcount,
    MPI_Datatype recvtype,
    int root,
    MPI_Comm comm
) {
  using Function = int (*)(void const*, int, MPI_Datatype, void*, int, MPI_Datatype, int, MPI_Comm);
  static auto const real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Scatter"));
  int const code = real(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root, comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (recvcount == spoiled_count && rank == 1 && comm != usual_comm) {
    static_cast<std::byte*>(recvbuf)[7] ^= std::byte{1};
  }
  return code;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  Job job = Job::describe();
  usual_comm = job.comm;
  std::string path = "measure_order_" ESPALIER_MPI_VENDOR "_";
  path += std::to_string(job.num_ranks) + ".jsonl";
  for (int const root : {0, job.num_ranks - 1}) {
    measure(job, plan_for(job.num_ranks, root), path);
    if (job.rank == 0) {
      check_lines(checks, lines_of(path), job.num_ranks);
      std::remove(path.c_str());
    } else {
      checks.expect(true, "takes part");
    }
  }
  check_wrong_size(checks, job);
  MPI_Comm_free(&job.comm);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
