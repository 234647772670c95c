// SPDX-License-Identifier: Apache-2.0

/// @file
/// Runs programs that bend the MPI standard. Knows nothing of Espalier.
///
/// Usage: bent FIRST NUMBER [--kinds a,b] [--skip s,t] [--out FOLDER] [--limit SECONDS]
///             [--break digest|hang]
///
/// Seeds FIRST .. FIRST + NUMBER - 1 but those skipped, each of one of the kinds. Lines as in
/// report.hpp go to files in the folder, or to standard output. A call that takes longer than
/// the limit ends with exit code 99. `--break` spoils the first program of this launch.

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include <mpi.h>

#include "tests/bent/kinds.hpp"
#include "tests/bent/program.hpp"

namespace {

struct Options {
  std::uint64_t first = 0;
  std::uint64_t number = 0;
  std::vector<std::string> kinds = bent::usual_kinds();
  std::set<std::uint64_t> skipped;
  std::string folder;
  unsigned limit = 20;
  std::string breakage;
};

std::vector<std::string> split(std::string const& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    words.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Options parse(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: bent FIRST NUMBER [options]\n", stderr);
    std::exit(2);
  }
  Options options;
  options.first = std::strtoull(argv[1], nullptr, 10);
  options.number = std::strtoull(argv[2], nullptr, 10);
  for (int i = 3; i + 1 < argc; i += 2) {
    std::string const name = argv[i];
    std::string const value = argv[i + 1];
    if (name == "--kinds") {
      options.kinds = split(value);
    } else if (name == "--skip") {
      for (std::string const& seed : split(value)) {
        options.skipped.insert(std::strtoull(seed.c_str(), nullptr, 10));
      }
    } else if (name == "--out") {
      options.folder = value;
    } else if (name == "--limit") {
      options.limit = static_cast<unsigned>(std::strtoul(value.c_str(), nullptr, 10));
    } else if (name == "--break") {
      options.breakage = value;
    }
  }
  return options;
}

int report_descriptor = 1;

void on_alarm(int /*signal*/) {
  constexpr char text[] = "hung\n";
  if (write(report_descriptor, text, sizeof text - 1) >= 0) {
    _exit(99);
  }
  _exit(98);
}

/// All ranks have come here. No collective: those are what is tested.
void meet(MPI_Comm comm) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  for (int other = 1; rank == 0 && other < size; ++other) {
    MPI_Recv(nullptr, 0, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE);
  }
  for (int other = 1; rank == 0 && other < size; ++other) {
    MPI_Send(nullptr, 0, MPI_INT, other, 1, comm);
  }
  if (rank != 0) {
    MPI_Send(nullptr, 0, MPI_INT, 0, 0, comm);
    MPI_Recv(nullptr, 0, MPI_INT, 0, 1, comm, MPI_STATUS_IGNORE);
  }
}

void run_seeds(Options const& options, bent::Report& report, MPI_Comm meeting) {
  std::string breakage = options.breakage;
  for (std::uint64_t seed = options.first; seed < options.first + options.number; ++seed) {
    if (options.skipped.contains(seed)) {
      continue;
    }
    report.renew();
    if (breakage == "digest") {
      report.corrupt();
    }
    bent::run_program(report, seed, options.kinds);
    if (breakage == "hang") {
      pause();
    }
    meet(meeting);
    report.end();
    breakage.clear();
  }
  report.renew();
}

}  // namespace

int main(int argc, char** argv) {
  Options const options = parse(argc, argv);
  bool const has_threads = bent::needs_threads(options.kinds);
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, has_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  MPI_Comm meeting = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &meeting);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bent::Report report(options.folder, rank, options.limit);
  report_descriptor = report.descriptor();
  std::signal(SIGALRM, on_alarm);
  run_seeds(options, report, meeting);
  MPI_Comm_free(&meeting);
  MPI_Finalize();
  return 0;
}
