// SPDX-License-Identifier: Apache-2.0

/// @file
/// Nothing is timed before it is proved: this program has an MPI_Bcast of its own that spoils one
/// byte, as seen by the measuring code, so that the native result is wrong.

#include <cstddef>
#include <cstdio>
#include <dlfcn.h>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <mpi.h>

#include "espalier/measure/collectives/contender.hpp"
#include "espalier/measure/collectives/point.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using espalier::measure::Contenders;
using espalier::measure::Job;
using espalier::measure::Pace;
using espalier::measure::PointRequest;
using espalier::measure::SampleFile;
using espalier::measure::Teams;
using espalier::test::Checks;
using nlohmann::json;

constexpr int spoiled_count = 1234;

std::vector<json> lines_of(std::string const& path) {
  std::vector<json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    lines.push_back(json::parse(line));
  }
  return lines;
}

void measure(Job const& job, std::string const& path) {
  std::optional<SampleFile> file;
  if (job.rank == 0) {
    file.emplace(path);
  }
  Teams const teams{.all = job, .own = job};
  Contenders contenders(teams.own);
  Pace const pace{.max_repetitions = 20, .seconds = 0.1};
  std::vector<PointRequest> const requests{
      {.call = espalier::profile::Call::bcast,
       .bytes = spoiled_count,
       .choices = {"bcast/flat", "bcast/binomial"}},
      {.call = espalier::profile::Call::bcast,
       .bytes = spoiled_count,
       .choices = {"bcast/flat"},
       .has_native = false},
      {.call = espalier::profile::Call::bcast, .bytes = 99, .choices = {"bcast/nope", "bcast/flat"}
      },
  };
  for (std::size_t i = 0; i < requests.size(); ++i) {
    measure_point(teams, {i, &requests[i]}, pace, contenders, file ? &*file : nullptr);
  }
  contenders.finish();
  if (file) {
    file->write_end(0);
  }
}

void check_lines(std::vector<json> const& lines, Checks& checks) {
  checks.expect(lines.size() == 5, "a wrong result, a point, a refusal, a point and the end");
  if (lines.size() != 5) {
    return;
  }
  checks.expect(lines[0]["kind"] == "error" && lines[0]["reason"] == "wrong", "wrong is told");
  checks.expect(lines[0]["algorithm"] == "native", "which one");
  std::string const text = lines[0]["text"];
  checks.expect(text.find("byte 7 of the result") != std::string::npos, "where: " + text);
  checks.expect(text.find("rank 1") != std::string::npos, "on which rank: " + text);
  checks.expect(lines[1]["kind"] == "point" && lines[1]["index"] == 1, "ours alone is timed");
  checks.expect(lines[1]["samples_us"].size() == 1, "without native");
  checks.expect(lines[2]["reason"] == "refused", "an unknown algorithm is refused");
  checks.expect(lines[3]["kind"] == "point" && lines[3]["index"] == 2, "the other point is timed");
  checks.expect(lines[3]["samples_us"].size() == 2, "native and flat");
  std::size_t const count = lines[3]["samples_us"]["native"].size();
  checks.expect(count >= 3 && count <= 20, "repetitions");
  checks.expect(lines[4]["kind"] == "end", "the end");
}

}  // namespace

/// Found before the one of the MPI library.
extern "C" int PMPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  using Function = int (*)(void*, int, MPI_Datatype, int, MPI_Comm);
  static auto const real = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "PMPI_Bcast"));
  int const code = real(buffer, count, type, root, comm);
  int rank = 0;
  PMPI_Comm_rank(comm, &rank);
  if (count == spoiled_count && type == MPI_BYTE && rank == 1) {
    static_cast<std::byte*>(buffer)[7] ^= std::byte{1};
  }
  return code;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  Job job = Job::describe();
  std::string path = "measure_wrong_" ESPALIER_MPI_VENDOR "_";
  path += std::to_string(job.num_ranks) + ".jsonl";
  measure(job, path);
  if (job.rank == 0) {
    check_lines(lines_of(path), checks);
    std::remove(path.c_str());
  } else {
    checks.expect(true, "takes part");
  }
  MPI_Comm_free(&job.comm);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
