// SPDX-License-Identifier: Apache-2.0

#include "shim/roll_call.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <mpi.h>

#include "espalier/mpi/success.hpp"
#include "espalier/plan/clock.hpp"
#include "shim/report.hpp"

namespace espalier::shim {
namespace {

using mpi::require_success;
using plan::Clock;
using std::chrono::seconds;

/// How long ranks may take that came to the end of MPI_Init together.
constexpr seconds until_complaint{10};
constexpr seconds until_end{300};

/// Every MPI library has this tag.
constexpr int roll_call_tag = 32'101;

enum class Word : char { all_are_here, some_are_missing };

/// The ranks behind one that is to report them.
struct Branch {
  int first;
  int size;
};

void say(int rank, Word word) {
  require_success(PMPI_Send(&word, 1, MPI_BYTE, rank, roll_call_tag, MPI_COMM_WORLD), "MPI_Send");
}

/// What a rank says, in its order, so that no word is left for receives of the program.
std::optional<Word> hear(int rank) {
  int is_there = 0;
  require_success(
      PMPI_Iprobe(rank, roll_call_tag, MPI_COMM_WORLD, &is_there, MPI_STATUS_IGNORE), "MPI_Iprobe"
  );
  if (is_there == 0) {
    return std::nullopt;
  }
  Word word{};
  require_success(
      PMPI_Recv(&word, 1, MPI_BYTE, rank, roll_call_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
      "MPI_Recv"
  );
  return word;
}

std::string text_of(Branch const& branch) {
  std::string const first = std::to_string(branch.first);
  std::string const last = std::to_string(branch.first + branch.size - 1);
  return branch.size == 1 ? "rank " + first : "ranks " + first + " to " + last;
}

class RollCall {
public:
  RollCall() {
    int num_ranks = 1;
    require_success(PMPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    require_success(PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks), "MPI_Comm_size");
    for (int step = 1; rank_ + step < num_ranks && (rank_ & step) == 0; step *= 2) {
      branches_.push_back({.first = rank_ + step, .size = std::min(step, num_ranks - rank_ - step)}
      );
    }
  }

  void run() {
    for (Branch const& branch : branches_) {
      await_branch(branch);
    }
    if (rank_ != 0) {
      int const parent = rank_ & (rank_ - 1);
      say(parent, Word::all_are_here);
      await_parent(parent);
    }
    tell_branches(Word::all_are_here);
  }

private:
  void await_branch(Branch const& branch) {
    while (!hear(branch.first)) {
      if (!has_complained_ && waited() >= until_complaint) {
        complain(text_of(branch), until_complaint);
        if (rank_ == 0) {
          tell_branches(Word::some_are_missing);
        }
      }
      if (waited() >= until_end) {
        end(text_of(branch));
      }
      pause();
    }
  }

  /// Where rank 0 is missing, nobody but those next to it can say so. If it waits for others, it
  /// says so, and sooner than these complain.
  void await_parent(int parent) {
    bool may_be_missing = parent == 0;
    for (std::optional<Word> word; word != Word::all_are_here; word = hear(parent)) {
      may_be_missing = may_be_missing && word != Word::some_are_missing;
      if (may_be_missing && !has_complained_ && waited() >= 2 * until_complaint) {
        complain("rank 0", 2 * until_complaint);
      }
      if (may_be_missing && waited() >= until_end) {
        end("rank 0");
      }
      pause();
    }
  }

  void tell_branches(Word word) const {
    for (Branch const& branch : branches_) {
      say(branch.first, word);
    }
  }

  [[nodiscard]] Clock::duration waited() const { return Clock::now() - start_; }

  /// For a while only the processor is handed over: who sleeps comes late.
  void pause() const {
    if (waited() >= std::chrono::milliseconds{100}) {
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }

  void complain(std::string const& who, seconds passed) {
    has_complained_ = true;
    print_line(
        "rank " + std::to_string(rank_) + " has waited in MPI_Init for " +
        std::to_string(passed.count()) + " s for " + who +
        ": expected all ranks with this library, one seems to be without; look for 'cannot be "
        "preloaded' above, for LD_PRELOAD in the command, and for hosts that do not have the file"
    );
  }

  [[noreturn]] void end(std::string const& who) {
    complain(who, until_end);
    PMPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
    std::abort();
  }

  Clock::time_point start_ = Clock::now();
  int rank_ = 0;
  std::vector<Branch> branches_;
  bool has_complained_ = false;
};

}  // namespace

void call_roll() {
#ifndef ESPALIER_MPI_SIMULATED
  // Simulated ranks are all of one program, and the machine's time is not theirs.
  RollCall().run();
#endif
}

}  // namespace espalier::shim
