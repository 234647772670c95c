// SPDX-License-Identifier: Apache-2.0

/// @file
/// What was tuned is kept between runs, here between conduits: for teams of the same shape, read by
/// rank 0 for all, whatever is wrong with the file.

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "include/espalier_onesided.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_cases.hpp"
#include "tests/mpi/capi/onesided_members.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;
namespace fs = std::filesystem;

/// Nothing takes so long to decide.
constexpr double ages = 100;

/// With few candidates, which are soon compared.
espalier_onesided_options few_candidates() {
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.addresses = ESPALIER_ADDRESSES_LOCAL;
  options.algorithm = "gather/flat";
  return options;
}

espalier_onesided_options const usual = few_candidates();
Case const gather{.name = "gather", .count = 100};

std::string content(fs::path const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A folder for what is kept. Only rank 0 is told of it: the others are told to keep nothing.
class Folder {
public:
  Folder() {
    int process = static_cast<int>(getpid());
    PMPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
    path_ = fs::temp_directory_path() / ("espalier-kept-" + std::to_string(process));
    if (test_rank(MPI_COMM_WORLD) == 0) {
      fs::create_directories(path_);
    }
    name(path_ / "learned.json");
  }

  Folder(Folder const&) = delete;
  Folder& operator=(Folder const&) = delete;
  Folder(Folder&&) = delete;
  Folder& operator=(Folder&&) = delete;

  ~Folder() {
    name("off");
    PMPI_Barrier(MPI_COMM_WORLD);
    if (test_rank(MPI_COMM_WORLD) == 0) {
      fs::remove_all(path_);
    }
  }

  static void name(fs::path const& memory) {
    char const* const other = "off";
    setenv("ESPALIER_MEMORY", test_rank(MPI_COMM_WORLD) == 0 ? memory.c_str() : other, 1);
  }

  /// The only file in it; on rank 0.
  [[nodiscard]] fs::path file() const {
    fs::path found;
    for (auto const& entry : fs::directory_iterator(path_)) {
      found = entry.path();
    }
    return found;
  }

private:
  fs::path path_;
};

/// What standard error gets while one lives.
class StandardError {
public:
  explicit StandardError(fs::path path) : path_(std::move(path)), kept_(dup(STDERR_FILENO)) {
    int const file = open(path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    dup2(file, STDERR_FILENO);
    close(file);
  }

  StandardError(StandardError const&) = delete;
  StandardError& operator=(StandardError const&) = delete;
  StandardError(StandardError&&) = delete;
  StandardError& operator=(StandardError&&) = delete;

  ~StandardError() { restore(); }

  [[nodiscard]] std::string text() {
    restore();
    std::string found = content(path_);
    fs::remove(path_);
    return found;
  }

private:
  void restore() {
    if (kept_ >= 0) {
      dup2(kept_, STDERR_FILENO);
      close(kept_);
      kept_ = -1;
    }
  }

  fs::path path_;
  int kept_;
};

/// Tunes, and returns what runs then.
std::string tuned(Members& members, Case const& one, espalier_tuning_options const& tuning) {
  espalier_request* const request = members.planned(one, usual);
  int const code = espalier_request_tune(request, &tuning);
  members.checks->expect(code == MPI_SUCCESS, "tune: " + text_of(code));
  std::string const names = names_of(request);
  members.checks->expect(is_same(names), "the same on all ranks: " + names);
  members.freed(request);
  return names;
}

std::string planned(Members& members, Case const& one) {
  espalier_request* const request = members.planned(one, usual);
  std::string const names = names_of(request);
  members.checks->expect(is_same(names), "the same on all ranks: " + names);
  members.freed(request);
  return names;
}

void expect_origin(Checks& checks, std::string const& names, std::string const& origin) {
  checks.expect(names.ends_with(", " + origin), origin + ", not " + names);
}

void count_calls(void* context) {
  ++*static_cast<int*>(context);
}

/// A later conduit takes what an earlier one found, without trials unless it asks for them.
void remember(Checks& checks, char const* transport) {
  std::string found;
  {
    Members members(checks, transport);
    expect_origin(checks, planned(members, gather), "rule");
    found = tuned(members, gather, within(ages));
    expect_origin(checks, found, "tuned");
  }
  std::string const expected = found.substr(0, found.rfind(',')) + ", remembered";
  Members members(checks, transport);
  checks.expect(planned(members, gather) == expected, expected);
  int num_calls = 0;
  espalier_tuning_options tuning = within(ages);
  tuning.meanwhile = count_calls;
  tuning.context = &num_calls;
  checks.expect(tuned(members, gather, tuning) == expected, "not tuned again: " + expected);
  checks.expect(num_calls == 0, "trials of what is known: " + std::to_string(num_calls));
  expect_origin(checks, planned(members, {.name = "gather", .count = 200}), "nearest");
  expect_origin(checks, planned(members, {.name = "gather", .count = 201}), "rule");
  tuning.flags = ESPALIER_TUNE_ANEW;
  expect_origin(checks, tuned(members, gather, tuning), "tuned");
  checks.expect(num_calls > 0, "trials if they are asked for");
}

/// Half of the ranks are another team; the other half finds what the first one kept.
void tell_shapes_apart(Checks& checks, char const* transport) {
  int const rank = test_rank(MPI_COMM_WORLD);
  if (test_size(MPI_COMM_WORLD) % 2 != 0) {
    return;
  }
  Members members(checks, transport);
  MPI_Comm half = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  espalier_team* team = nullptr;
  int const code = espalier_team_create(members.world.conduit, half, 1U << 18U, &team);
  checks.expect(code == MPI_SUCCESS, "half a team: " + text_of(code));
  espalier_request* request = nullptr;
  plan(gather, members.in, members.out, team, &usual, &request);
  std::string const origin = espalier_request_origin(request);
  checks.expect(origin == "rule", "another number of members: " + origin);
  members.freed(request);
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free half a team");
  PMPI_Comm_free(&half);
}

/// Nothing is lost, and rank 0 says so in one line.
void expect_one_line(
    Checks& checks, char const* transport, fs::path const& place, std::string const& part
) {
  bool const is_first = test_rank(MPI_COMM_WORLD) == 0;
  std::string text;
  {
    StandardError caught(
        fs::temp_directory_path() / ("espalier-kept-" + std::to_string(getpid()) + ".txt")
    );
    {
      Members members(checks, transport);
      expect_origin(checks, planned(members, gather), "rule");
      expect_origin(checks, tuned(members, gather, within(ages)), "tuned");
    }
    text = caught.text();
  }
  if (is_first) {
    bool const is_line = !text.empty() && text.find('\n') == text.size() - 1;
    checks.expect(is_line && text.starts_with("espalier: " + place.string()), "a line: " + text);
    checks.expect(text.find(part) != std::string::npos, part + ": " + text);
  } else {
    checks.expect(text.empty(), "nothing of other ranks: " + text);
  }
}

void meet_a_foreign_file(Checks& checks, char const* transport, Folder const& folder) {
  for (std::string const foreign : {R"({"schema": "espalier-profile"})", "{\"schema", ""}) {
    fs::path place;
    if (test_rank(MPI_COMM_WORLD) == 0) {
      place = folder.file();
      std::ofstream(place, std::ios::binary) << foreign;
    }
    if (foreign.empty()) {
      // As good as none: it is filled.
      Members members(checks, transport);
      expect_origin(checks, tuned(members, gather, within(ages)), "tuned");
      continue;
    }
    expect_one_line(checks, transport, place, "is not kept");
    if (test_rank(MPI_COMM_WORLD) == 0) {
      checks.expect(content(place) == foreign, "stays: " + content(place));
    }
  }
}

void meet_a_place_that_cannot_be_written(Checks& checks, char const* transport) {
  Folder::name("/proc/espalier/learned.json");
  expect_one_line(checks, transport, "/proc/espalier/teams-", "is lost");
}

/// What a file does has nothing to do with transports.
void meet_files(Checks& checks) {
  Folder const folder;
  remember(checks, "node");
  meet_a_foreign_file(checks, "node", folder);
  meet_a_place_that_cannot_be_written(checks, "node");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    Folder const folder;
    remember(checks, transport);
    tell_shapes_apart(checks, transport);
  }
  meet_files(checks);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
