// SPDX-License-Identifier: Apache-2.0

/// @file
/// What the measuring program relies on: contributions that differ, results that agree, guard bytes
/// that show overruns, a barrier that nobody leaves early, complaints that reach everybody.

#include "espalier/measure/collectives/workload.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/measure/collectives/contender.hpp"
#include "espalier/measure/common/own_collectives.hpp"
#include "espalier/measure/common/start_barrier.hpp"
#include "tests/mpi/exec/support.hpp"

namespace {

using espalier::measure::Contenders;
using espalier::measure::Job;
using espalier::measure::PointRequest;
using espalier::measure::Workload;
using espalier::profile::Call;
using espalier::test::Checks;

std::vector<std::byte> copy_of(Workload const& workload) {
  auto const bytes = workload.guarded_result();
  return {bytes.begin(), bytes.end()};
}

/// The native call and every way of ours to make it give what is expected, for sizes with and
/// without remainder.
void agree(Job const& job, Checks& checks) {
  Contenders contenders(job);

  struct Case {
    Call call;
    std::string choice;
  };

  std::vector<Case> const cases{
      {Call::allgather, "allgather/bruck"},
      {Call::allgatherv, "allgather/ring"},
      {Call::allreduce, "allreduce/ring"},
      {Call::alltoall, "alltoall/bruck"},
      {Call::alltoallv, "alltoall/pairwise"},
      {Call::alltoallw, "alltoall/linear"},
      {Call::bcast, "bcast/binomial"},
      {Call::bcast, "bcast/chain[segments=3]"},
      {Call::exscan, "exscan/linear"},
      {Call::gather, "gather/binomial"},
      {Call::gatherv, "gather/flat"},
      {Call::reduce, "reduce/binomial"},
      {Call::reduce_scatter, "reduce_scatter/ring"},
      {Call::reduce_scatter_block, "reduce_scatter/pairwise"},
      {Call::scan, "scan/recursive_doubling"},
      {Call::scatter, "scatter/binomial"},
      {Call::scatterv, "scatter/flat"},
  };
  for (auto const& [call, choice] : cases) {
    for (std::int64_t const bytes : {1, 64, 1000, 70001}) {
      Workload workload(job, PointRequest{.call = call, .bytes = bytes, .choices = {}});
      for (int const root : workload.roots()) {
        std::vector<std::byte> const expected = workload.expected(root, 5);
        for (std::string const& name : {std::string("native"), choice}) {
          workload.fill(root, 5);
          int const code = contenders.get({.call = call}, name).run(workload, root).code;
          checks.expect(code == MPI_SUCCESS, name + " runs");
          if (!workload.has_result(root)) {
            continue;
          }
          std::string const difference = Workload::difference(expected, copy_of(workload));
          checks.expect(difference.empty(), choice + " by " + name + ": " + difference);
        }
      }
    }
  }
  contenders.finish();
}

/// MPICH 4.0 crashes in a reduce in place with more than 2 KiB whose root is not rank 0.
bool is_sound_natively(PointRequest const& point, int root) {
#ifdef MPICH_VERSION
  return point.call != Call::reduce || !point.is_in_place || root == 0;
#else
  static_cast<void>(point);
  static_cast<void>(root);
  return true;
#endif
}

/// Proves one way to make a call of a point, from all of its roots.
void prove(Job const& job, PointRequest const& point, std::string const& choice, Checks& checks) {
  Contenders contenders(job);
  std::string const call(espalier::profile::to_string(point.call));
  Workload workload(job, point);
  for (int const root : workload.roots()) {
    std::vector<std::byte> const expected = workload.expected(root, 5);
    for (std::string const& name : {std::string("native"), choice}) {
      if (name == "native" && !is_sound_natively(point, root)) {
        continue;
      }
      workload.fill(root, 5);
      int const code = contenders.get({.call = point.call}, name).run(workload, root).code;
      checks.expect(code == MPI_SUCCESS, call + " by " + name + " runs");
      if (workload.has_result(root)) {
        std::string const difference = Workload::difference(expected, workload.guarded_result());
        checks.expect(difference.empty(), call + " by " + name + ": " + difference);
      }
    }
  }
  contenders.finish();
}

/// In place, for all calls that can be.
void agree_in_place(Job const& job, Checks& checks) {
  std::vector<std::pair<Call, std::string>> const cases{
      {Call::allgather, "allgather/bruck"},
      {Call::allgatherv, "allgather/ring"},
      {Call::allreduce, "allreduce/ring"},
      {Call::alltoall, "alltoall/pairwise"},
      {Call::alltoallv, "alltoall/pairwise"},
      {Call::alltoallw, "alltoall/linear"},
      {Call::exscan, "exscan/linear"},
      {Call::gather, "gather/binomial"},
      {Call::gatherv, "gather/flat"},
      {Call::reduce, "reduce/binomial"},
      {Call::reduce_scatter, "reduce_scatter/ring"},
      {Call::reduce_scatter_block, "reduce_scatter/pairwise"},
      {Call::scan, "scan/recursive_doubling"},
      {Call::scatter, "scatter/binomial"},
      {Call::scatterv, "scatter/flat"},
  };
  for (auto const& [call, choice] : cases) {
    for (std::int64_t const bytes : {64, 7001}) {
      prove(
          job, {.call = call, .bytes = bytes, .choices = {}, .is_in_place = true}, choice, checks
      );
    }
  }
}

/// Every operator, in place and not, by algorithms that keep operands in the order of ranks.
void agree_on_operators(Job const& job, Checks& checks) {
  for (std::size_t i = 1; i < espalier::plan::operator_names.size(); ++i) {
    auto const op = static_cast<espalier::plan::Operator>(i);
    for (bool const is_in_place : {false, true}) {
      auto const point = [&](Call call) {
        return PointRequest{
            .call = call, .bytes = 4000, .choices = {}, .op = op, .is_in_place = is_in_place
        };
      };
      prove(job, point(Call::allreduce), "allreduce/in_order", checks);
      prove(job, point(Call::reduce), "reduce/chain", checks);
      prove(job, point(Call::scan), "scan/recursive_doubling", checks);
      prove(job, point(Call::exscan), "exscan/recursive_doubling", checks);
      prove(job, point(Call::reduce_scatter), "reduce_scatter/in_order", checks);
    }
  }
}

/// Parts of any size, empty ones among them, and a root that is given.
void agree_on_parts(Job const& job, Checks& checks) {
  std::vector<int> parts;
  std::vector<std::vector<int>> pairs;
  std::int64_t whole = 0;
  std::int64_t all_pairs = 0;
  for (int rank = 0; rank < job.num_ranks; ++rank) {
    whole += parts.emplace_back(rank == 1 ? 0 : 8 * (100 * rank + 3));
    std::vector<int>& sent = pairs.emplace_back();
    for (int peer = 0; peer < job.num_ranks; ++peer) {
      all_pairs += sent.emplace_back((rank + peer) % 3 == 1 ? 0 : 1000 * rank + 17 * peer + 5);
    }
  }
  int const last = job.num_ranks - 1;
  std::int64_t const mean = (all_pairs + last) / job.num_ranks;
  for (auto const& [call, choice] : std::vector<std::pair<Call, std::string>>{
           {Call::allgatherv, "allgather/ring"},
           {Call::gatherv, "gather/flat"},
           {Call::reduce_scatter, "reduce_scatter/ring"},
           {Call::scatterv, "scatter/flat"},
       }) {
    for (bool const is_in_place : {false, true}) {
      PointRequest point{.call = call, .bytes = whole, .choices = {}, .part_bytes = parts};
      point.is_in_place = is_in_place;
      prove(job, point, choice, checks);
      point.root = last;
      Workload const workload(job, point);
      bool const has_root = call == Call::gatherv || call == Call::scatterv;
      checks.expect(workload.roots() == std::vector<int>{has_root ? last : 0}, "the root");
      prove(job, point, choice, checks);
    }
  }
  for (Call const call : {Call::alltoallv, Call::alltoallw}) {
    PointRequest const point{.call = call, .bytes = mean, .choices = {}, .pair_bytes = pairs};
    prove(job, point, "alltoall/linear", checks);
    prove(job, point, "alltoall/pairwise", checks);
  }
}

bool is_refused(Job const& job, PointRequest const& point) {
  try {
    Workload const workload(job, point);
    return false;
  } catch (espalier::Error const& error) {
    return error.code() == espalier::ErrorCode::argument;
  }
}

/// Parts and roots that these ranks do not have.
void refuse_other_ranks(Job const& job, Checks& checks) {
  auto const count = static_cast<std::size_t>(job.num_ranks);
  PointRequest point{.call = Call::allgatherv, .bytes = 0, .choices = {}};
  point.part_bytes.assign(count + 1, 0);
  checks.expect(is_refused(job, point), "parts for more ranks");
  point = {.call = Call::alltoallv, .bytes = 0, .choices = {}};
  point.pair_bytes.assign(count + 1, std::vector<int>(count + 1));
  checks.expect(is_refused(job, point), "pairs of more ranks");
  point = {.call = Call::bcast, .bytes = 8, .choices = {}, .root = job.num_ranks};
  checks.expect(is_refused(job, point), "a root that is no rank");
  point.root = job.num_ranks - 1;
  checks.expect(!is_refused(job, point), "the last rank");
}

/// What is expected of other stamps is something else, on every rank that has a result.
void change(Job const& job, Checks& checks) {
  for (Call const call : espalier::profile::all_calls) {
    Workload workload(job, PointRequest{.call = call, .bytes = 4096, .choices = {}});
    std::vector<std::byte> const first = workload.expected(0, 5);
    bool const is_other = !Workload::difference(first, workload.expected(0, 6)).empty();
    std::string const name(espalier::profile::to_string(call));
    checks.expect(is_other || !workload.has_result(0) || workload.bytes() == 0, name + ": stamps");
  }
}

void refuse(Job const& job, Checks& checks) {
  Contenders contenders(job);
  checks.expect(
      contenders.refuses({.call = Call::allgather}, "allgather/ring").empty(), "ring is possible"
  );
  checks.expect(
      contenders.refuses({.call = Call::allgather}, "allgather/nope").find("nope") !=
          std::string::npos,
      "an unknown algorithm is named"
  );
  checks.expect(
      contenders.refuses({.call = Call::bcast}, "allgather/ring").find("bcast") !=
          std::string::npos,
      "an algorithm of another collective is refused"
  );
  bool const is_even = job.num_ranks % 2 == 0;
  checks.expect(
      contenders.refuses({.call = Call::allgather}, "allgather/neighbor_exchange").empty() ==
              is_even ||
          job.num_ranks == 1,
      "neighbor exchange needs an even number of ranks"
  );
}

void show_differences(Job const& job, Checks& checks) {
  Workload workload(job, PointRequest{.call = Call::bcast, .bytes = 100, .choices = {}});
  workload.fill(0, 1);
  std::vector<std::byte> const good = copy_of(workload);
  std::vector<std::byte> bad = good;
  checks.expect(Workload::difference(good, bad).empty(), "equal results do not differ");
  bad[64 + 17] ^= std::byte{1};
  checks.expect(
      Workload::difference(good, bad).find("byte 17 ") != std::string::npos, "position in result"
  );
  bad.back() ^= std::byte{1};
  bad[64 + 17] = good[64 + 17];
  checks.expect(!Workload::difference(good, bad).empty(), "writes behind the result are seen");
}

/// Of the host, so it can be compared between its ranks.
double now() {
  auto const since_start = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since_start).count();
}

/// A rank that comes late holds up all others.
void wait_for_all(Job const& job, Checks& checks) {
  for (int late = 0; late < job.num_ranks; ++late) {
    espalier::measure::start_barrier(job.comm);
    double entered = now();
    if (job.rank == late) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      entered = now();
    }
    checks.expect(espalier::measure::start_barrier(job.comm) == MPI_SUCCESS, "barrier");
    double const left = now();
    double last_entry = 0.0;
    PMPI_Allreduce(&entered, &last_entry, 1, MPI_DOUBLE, MPI_MAX, job.comm);
    checks.expect(left >= last_entry, "nobody leaves before the last one enters");
  }
}

void complain(Job const& job, Checks& checks) {
  using espalier::measure::first_complaint;
  checks.expect(first_complaint(job, "").empty(), "no complaint");
  int const last = job.num_ranks - 1;
  std::string const own = job.rank == last ? "it hurts" : "";
  std::string const expected = "rank " + std::to_string(last) + ": it hurts";
  checks.expect(first_complaint(job, own) == expected, "everybody hears of it");
}

/// Broadcasts and reductions made from messages, from every root.
void talk(Job const& job, Checks& checks) {
  for (int root = 0; root < job.num_ranks; ++root) {
    std::string text = job.rank == root ? std::string(1000, static_cast<char>('a' + root)) : "";
    text.resize(1000);
    espalier::measure::broadcast(text.data(), text.size(), root, job.comm);
    checks.expect(text == std::string(1000, static_cast<char>('a' + root)), "spread");
  }
  std::vector<int> values{job.rank, -job.rank, 1};
  espalier::measure::combine_for_all(values.data(), 3, MPI_INT, MPI_SUM, job.comm);
  int const sum = job.num_ranks * (job.num_ranks - 1) / 2;
  checks.expect(values == std::vector<int>{sum, -sum, job.num_ranks}, "combine");
  std::vector<int> const nodes = espalier::measure::nodes_of_ranks(job);
  checks.expect(nodes == std::vector<int>(nodes.size(), 0), "all ranks are on the node of rank 0");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Checks checks;
  {
    Job job = Job::describe();
    int num_ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
    checks.expect(job.num_ranks == num_ranks && job.num_nodes == 1, "one node with all ranks");
    checks.expect(job.max_ranks_per_node == num_ranks, "ranks of the node");
    checks.expect(job.min_cpus_per_node >= 1, "processors of the node");
    agree(job, checks);
    agree_in_place(job, checks);
    agree_on_operators(job, checks);
    agree_on_parts(job, checks);
    refuse_other_ranks(job, checks);
    change(job, checks);
    refuse(job, checks);
    show_differences(job, checks);
    wait_for_all(job, checks);
    complain(job, checks);
    talk(job, checks);
    MPI_Comm_free(&job.comm);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
