// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls of which something is learned, where some ranks remember them and others do not: all ranks
/// decide alike at each call, trials are made, and every call is counted.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/native_calls.hpp"
#include "espalier/plan/serve.hpp"
#include "espalier/plan/settings/settings_text.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

/// Of each kind. More ranks than processors need milliseconds for a call of some MPI libraries.
int num_calls_of(int num_ranks) {
  return num_ranks < 5 ? 700 : 120;
}

constexpr std::array<int, 2> counts{1, 300};

/// Notes what was carried out.
class Decided : public plan::Observer {
public:
  explicit Decided(plan::Session const& session) noexcept : session_(&session) {}

  void ran(profile::Decision const* decision, int code) {
    text_ = decision == nullptr ? "" : session_->carried_out(*decision, code).algorithm_text();
  }

  [[nodiscard]] std::string const& text() const noexcept { return text_; }

private:
  plan::Session const* session_;
  std::string text_;
};

plan::Settings learning() {
  plan::SettingsText text;
  text.learn = "50%";
  return plan::Settings::parse(text, ESPALIER_MPI_VENDOR);
}

plan::World whole_world() {
  plan::World world;
  PMPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &world.num_ranks);
  return world;
}

/// Buffers of calls: the first rank and every third have the same ones in each call, and remember
/// it. The next ones take turns among more than are remembered. Those after them do either.
class Buffers {
public:
  explicit Buffers(int rank) : rank_(rank), memory_(num_slots * 2 * slot) {}

  /// @param which  0 or 1
  int* at(int call, int which) {
    bool const keeps = rank_ % 3 == 0 || (rank_ % 3 == 2 && call / 50 % 2 == 0);
    int const turn = keeps ? 0 : call % num_slots;
    return memory_.data() + static_cast<std::ptrdiff_t>((2 * turn + which) * slot);
  }

private:
  static constexpr int num_slots = 97;
  static constexpr int slot = 4096;

  int rank_;
  std::vector<int> memory_;
};

class Program {
public:
  Program(Checks& checks, plan::Session& session)
      : checks_(&checks), session_(&session), rank_(session.world().rank),
        num_ranks_(session.world().num_ranks), buffers_(rank_) {}

  void run() {
    for (int call = 0; call < num_calls_of(num_ranks_); ++call) {
      for (int const count : counts) {
        bcast(call, count);
        allreduce(call, count);
        allgather(call, count);
      }
      serve(plan::BarrierCall{});
      compare("barrier", call);
    }
  }

  [[nodiscard]] std::set<std::string> const& decisions() const noexcept { return decisions_; }

private:
  template <typename Call> void serve(Call const& call) {
    Decided decided(*session_);
    auto const native = [&] { return plan::call_native(call, MPI_COMM_WORLD); };
    int const code = plan::serve(*session_, call, MPI_COMM_WORLD, decided, native);
    checks_->expect(code == MPI_SUCCESS, "a call succeeds");
    text_ = decided.text();
    decisions_.insert(text_);
  }

  /// Of all ranks.
  void compare(std::string const& what, int call) {
    long const own = static_cast<long>(std::hash<std::string>()(text_) >> 2U);
    std::array<long, 2> ends{own, -own};
    PMPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_LONG, MPI_MIN, MPI_COMM_WORLD);
    checks_->expect(
        ends[0] == -ends[1],
        what + " " + std::to_string(call) + ": all ranks run what this one does, " + text_
    );
  }

  void bcast(int call, int count) {
    int const root = call % num_ranks_ % 2;
    int* const data = buffers_.at(call, 0);
    std::fill_n(data, count, rank_ == root ? call : -1);
    serve(plan::BcastCall{.buffer = data, .count = count, .datatype = MPI_INT, .root = root});
    checks_->expect(data[0] == call && data[count - 1] == call, "data of a bcast");
    compare("bcast", call);
  }

  void allreduce(int call, int count) {
    int* const in = buffers_.at(call, 0);
    int* const out = buffers_.at(call, 1);
    std::fill_n(in, count, call + rank_);
    serve(plan::AllreduceCall{
        .sendbuf = in, .recvbuf = out, .count = count, .datatype = MPI_INT, .op = MPI_SUM
    });
    int const sum = num_ranks_ * call + num_ranks_ * (num_ranks_ - 1) / 2;
    checks_->expect(out[0] == sum && out[count - 1] == sum, "data of an allreduce");
    compare("allreduce", call);
  }

  void allgather(int call, int count) {
    int* const in = buffers_.at(call, 0);
    int* const out = buffers_.at(call, 1);
    std::fill_n(in, count, call + rank_);
    serve(plan::AllgatherCall{
        .sendbuf = in,
        .sendcount = count,
        .sendtype = MPI_INT,
        .recvbuf = out,
        .recvcount = count,
        .recvtype = MPI_INT,
    });
    for (int rank = 0; rank < num_ranks_; ++rank) {
      checks_->expect(out[rank * count + count - 1] == call + rank, "data of an allgather");
    }
    compare("allgather", call);
  }

  Checks* checks_;
  plan::Session* session_;
  int rank_;
  int num_ranks_;
  Buffers buffers_;
  std::string text_;
  std::set<std::string> decisions_;
};

/// Each kind of calls was counted as often as it was made.
void check_counts(Checks& checks, plan::Learned const& learned, int num_calls) {
  int num_kinds = 0;
  for (plan::Trials const& trials : learned.trials) {
    ++num_kinds;
    checks.expect(
        trials.num_calls == num_calls,
        "all calls are counted of " + std::string(profile::to_string(trials.kind.call)) + ", not " +
            std::to_string(trials.num_calls)
    );
  }
  checks.expect(num_kinds == 1 + 3 * static_cast<int>(counts.size()), "all kinds of calls");
}

int run() {
  Checks checks;
  plan::Session session(learning(), whole_world(), [](std::string const&) {});
  session.prepare();
  Program program(checks, session);
  program.run();
  int const num_ranks = session.world().num_ranks;
  checks.expect(num_ranks > 3 || program.decisions().size() > 2, "candidates are tried");
  if (session.world().rank == 0) {
    check_counts(checks, session.learned(false), num_calls_of(num_ranks));
  }
  session.finish();
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
