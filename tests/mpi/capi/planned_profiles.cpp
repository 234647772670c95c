// SPDX-License-Identifier: Apache-2.0

/// @file
/// What a profile file decides where the program names nothing: by calls and sizes, and nothing at
/// all if it cannot be used. Rank 0 reads it for all when a communicator is new.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

#include "include/espalier_planned.hpp"

#include <mpi.h>

#include "tests/mpi/exec/support.hpp"

namespace {

using espalier::Request;
using espalier::test::Checks;
using espalier::test::run_under_mpi;

struct World {
  int rank = 0;
  int num_ranks = 1;
};

/// A file that the variable names on rank 0 alone, until this ends.
class ProfileFile {
public:
  ProfileFile(World const& world, std::string const& text) : rank_(world.rank) {
    if (rank_ != 0) {
      return;
    }
    std::string const name = "espalier-profile-" + std::to_string(getpid()) + ".json";
    path_ = std::filesystem::temp_directory_path() / name;
    std::ofstream(path_) << text;
    setenv("ESPALIER_PROFILE", path_.c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
  }

  ProfileFile(ProfileFile const&) = delete;
  ProfileFile& operator=(ProfileFile const&) = delete;
  ProfileFile(ProfileFile&&) = delete;
  ProfileFile& operator=(ProfileFile&&) = delete;

  ~ProfileFile() {
    if (rank_ == 0) {
      unsetenv("ESPALIER_PROFILE");  // NOLINT(concurrency-mt-unsafe)
      remove();
    }
  }

  /// The variable goes on to name it.
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }

private:
  int rank_;
  std::filesystem::path path_;
};

std::string own_vendor() {
  std::vector<char> text(MPI_MAX_LIBRARY_VERSION_STRING);
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  return std::string(text.data()).starts_with("Open MPI") ? "openmpi" : "mpich";
}

struct Rule {
  std::string call;
  std::string algorithm;
  int min_bytes = 0;
  std::string max_bytes = "null";
};

std::string profile(int num_ranks, std::string const& vendor, std::vector<Rule> const& rules) {
  std::string text = R"({"schema": "espalier-profile", "version": 1, "mpi": {"vendor": ")" +
                     vendor + R"("}, "rules": [)";
  for (Rule const& rule : rules) {
    text += text.back() == '[' ? "" : ", ";
    text += R"({"collective": ")" + rule.call + R"(", "num_ranks": )" + std::to_string(num_ranks) +
            R"(, "num_nodes": 1, "min_bytes": )" + std::to_string(rule.min_bytes) +
            R"(, "max_bytes": )" + rule.max_bytes + R"(, "algorithm": ")" + rule.algorithm +
            R"(", "reason": "measured"})";
  }
  return text + "]}";
}

/// What is expected of an allreduce of so many ints on a new communicator.
struct Expected {
  int num_elements = 1;
  std::string algorithm;
  std::string why;  ///< part of the explanation
};

void check(Checks& checks, World const& world, Expected const& expected) {
  MPI_Comm fresh = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  std::vector<int> values(static_cast<std::size_t>(expected.num_elements), world.rank + 1);
  Request sum = espalier::allreduce_init(
      MPI_IN_PLACE, values.data(), expected.num_elements, MPI_INT, MPI_SUM, fresh
  );
  std::string const text = sum.explain();
  checks.expect(sum.algorithm() == expected.algorithm, expected.algorithm + ", got " + text);
  checks.expect(text.find(expected.why) != std::string::npos, expected.why + ", got " + text);
  sum.start();
  sum.wait();
  int const total = world.num_ranks * (world.num_ranks + 1) / 2;
  checks.expect(values.back() == total, "the sum by " + expected.algorithm);
  PMPI_Comm_free(&fresh);
}

void check_rules(Checks& checks, World const& world) {
  ProfileFile const file(
      world,
      profile(
          world.num_ranks,
          own_vendor(),
          {{"allreduce", "allreduce/in_order", 0, "40"},
           {"allreduce", "allreduce/reduce_bcast", 41, "4000"},
           {"iallreduce", "native", 401, "800"}}
      )
  );
  check(checks, world, {1, "allreduce/in_order", "profile rule 0: measured"});
  check(checks, world, {10, "allreduce/in_order", "profile rule 0: measured"});
  check(checks, world, {11, "allreduce/reduce_bcast", "profile rule 1: measured"});
  // Rules for nonblocking calls are for planned ones, and win.
  check(checks, world, {200, "allreduce/native", "profile rule 2: measured"});
  check(checks, world, {1000, "allreduce/reduce_bcast", "profile rule 1: measured"});
  check(checks, world, {1001, "allreduce/native", "rule"});
  setenv("ESPALIER_FORCE", "allreduce=ring", 1);  // NOLINT(concurrency-mt-unsafe)
  check(checks, world, {1, "allreduce/ring", "ESPALIER_FORCE"});
  unsetenv("ESPALIER_FORCE");  // NOLINT(concurrency-mt-unsafe)
}

/// An uneven alltoallv: rank r sends r + i % 2 ints to rank i. What a rank sends on average
/// decides.
void check_exchange(Checks& checks, World const& world, std::string const& algorithm) {
  MPI_Comm fresh = MPI_COMM_NULL;
  PMPI_Comm_dup(MPI_COMM_WORLD, &fresh);
  std::vector<int> sent;
  std::vector<int> received;
  std::vector<int> sent_at;
  std::vector<int> received_at;
  for (int i = 0; i < world.num_ranks; ++i) {
    sent_at.push_back(i == 0 ? 0 : sent_at.back() + sent.back());
    received_at.push_back(i == 0 ? 0 : received_at.back() + received.back());
    sent.push_back(world.rank + i % 2);
    received.push_back(i + world.rank % 2);
  }
  std::vector<int> const own(static_cast<std::size_t>(sent_at.back() + sent.back()), world.rank);
  std::vector<int> all(static_cast<std::size_t>(received_at.back() + received.back()), -1);
  Request exchange = espalier::alltoallv_init(
      own.data(),
      sent.data(),
      sent_at.data(),
      MPI_INT,
      all.data(),
      received.data(),
      received_at.data(),
      MPI_INT,
      fresh
  );
  checks.expect(exchange.algorithm() == algorithm, algorithm + ", got " + exchange.explain());
  exchange.start();
  exchange.wait();
  for (std::size_t i = 0; i < received.size(); ++i) {
    for (int place = 0; place < received[i]; ++place) {
      int const found = all[static_cast<std::size_t>(received_at[i] + place)];
      checks.expect(found == static_cast<int>(i), "what rank " + std::to_string(i) + " sent");
    }
  }
  PMPI_Comm_free(&fresh);
}

/// Rules for planned calls whose sizes no rank knows by itself.
void check_agreed_sizes(Checks& checks, World const& world) {
  int const p = world.num_ranks;
  int const total = p * (p * (p - 1) / 2) + p * (p / 2);
  int const mean_bytes = (total * static_cast<int>(sizeof(int)) + p - 1) / p;
  std::string const below = std::to_string(mean_bytes - 1);
  std::string const at = std::to_string(mean_bytes);
  {
    ProfileFile const file(
        world,
        profile(
            p,
            own_vendor(),
            {{"alltoallv_init", "native", 0, below},
             {"alltoallv_init", "alltoall/bruck", mean_bytes, at},
             {"ialltoallv", "alltoall/linear"}}
        )
    );
    check_exchange(checks, world, "alltoall/bruck");
  }
  ProfileFile const other(
      world,
      profile(
          p,
          own_vendor(),
          {{"alltoallv_init", "alltoall/bruck", 0, below}, {"ialltoallv", "alltoall/linear"}}
      )
  );
  check_exchange(checks, world, "alltoall/linear");
}

/// What only blocking calls can have, planned ones do not.
void check_limits(Checks& checks, World const& world) {
  for (std::string const name :
       {"ring[shared_memory=1]", "orthogonal[inner=native]", "native[algorithm=2]"}) {
    ProfileFile const file(
        world, profile(world.num_ranks, own_vendor(), {{"allreduce", "allreduce/" + name}})
    );
    std::string const why = "measured, but allreduce/" + name + ": nonblocking, and ";
    check(checks, world, {1, "allreduce/native", why});
  }
}

void check_named(Checks& checks, World const& world) {
  ProfileFile const file(
      world, profile(world.num_ranks, own_vendor(), {{"allreduce", "allreduce/ring"}})
  );
  int value = 1;
  Request const named = espalier::allreduce_init(
      MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, "in_order"
  );
  checks.expect(named.algorithm() == "allreduce/in_order", "named: " + named.explain());
}

void check_unusable(Checks& checks, World const& world) {
  std::string const right =
      profile(world.num_ranks, own_vendor(), {{"allreduce", "allreduce/ring"}});
  std::string const other =
      profile(world.num_ranks, own_vendor() == "mpich" ? "openmpi" : "mpich", {});
  std::string const newer = R"({"schema": "espalier-profile", "version": 99})";
  std::string const cut = right.substr(0, right.size() / 2);
  for (std::string const& text : {cut, other, newer, std::string("corrupt"), std::string()}) {
    ProfileFile const file(world, text);
    check(checks, world, {1, "allreduce/native", "the profile cannot be used; ESPALIER_PROFILE: "});
    check(checks, world, {1, "allreduce/native", "using native calls"});
  }
  ProfileFile const gone(world, right);
  gone.remove();
  check(checks, world, {1, "allreduce/native", "No such file"});
}

int run() {
  Checks checks;
  World world;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world.num_ranks);
  check_rules(checks, world);
  if (world.num_ranks > 1) {
    check_agreed_sizes(checks, world);
  }
  check_limits(checks, world);
  check_named(checks, world);
  check_unusable(checks, world);
  check(checks, world, {1, "allreduce/native", "no profile"});
  return checks.finish();
}

}  // namespace

int main(int argc, char** argv) {
  return run_under_mpi(argc, argv, run);
}
