// SPDX-License-Identifier: Apache-2.0

/// @file
/// Communicators made from rank vectors: numbering, every kind of collective on them, and errors
/// that are the same on all ranks. And the other way to use an order: a schedule that is given it.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/algorithms/choices/rank_order.hpp"
#include "espalier/base/error.hpp"
#include "espalier/exec/collectives/mpi_reordering.hpp"
#include "espalier/mapping/orders/rank_vector.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using algorithms::Choice;
using algorithms::RankOrder;
using exec::Creation;
using exec::ReorderedCommunicator;
using mapping::RankVector;

int rank = 0;
int num_ranks = 0;

std::size_t index(int number) {
  return static_cast<std::size_t>(number);
}

/// Identity, backwards, rotated and some at random.
std::vector<RankVector> orders() {
  std::vector<RankVector> result{
      mapping::standard_order(num_ranks, 0), mapping::standard_order(num_ranks, num_ranks - 1)
  };
  result.emplace_back(result.front().rbegin(), result.front().rend());
  for (int seed = 0; seed < 4; ++seed) {
    result.push_back(
        mapping::random_order(num_ranks, seed % num_ranks, static_cast<std::uint64_t>(seed))
    );
  }
  return result;
}

void check_numbers(Checks& checks, ReorderedCommunicator const& made, RankVector const& ranks) {
  int new_rank = -1;
  int size = 0;
  PMPI_Comm_rank(made.get(), &new_rank);
  PMPI_Comm_size(made.get(), &size);
  checks.expect(size == num_ranks, "all ranks are in the communicator");
  checks.expect(ranks[index(new_rank)] == rank, "position i of the vector is rank i");
  checks.expect(made.new_of(rank) == new_rank, "new_of this rank");
  for (int i = 0; i < num_ranks; ++i) {
    checks.expect(made.original_of(i) == ranks[index(i)], "original_of " + std::to_string(i));
    checks.expect(made.new_of(made.original_of(i)) == i, "new_of original_of");
  }
}

void check_rooted(Checks& checks, MPI_Comm comm, RankVector const& ranks, int root) {
  int const original_root = ranks[index(root)];
  int value = rank;
  PMPI_Bcast(&value, 1, MPI_INT, root, comm);
  checks.expect(value == original_root, "MPI_Bcast");
  std::vector<int> all(index(num_ranks), -1);
  PMPI_Gather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, root, comm);
  checks.expect(rank != original_root || all == ranks, "MPI_Gather is in the new order");
  std::vector<int> parts(index(num_ranks));
  std::iota(parts.begin(), parts.end(), 100);
  value = -1;
  PMPI_Scatter(parts.data(), 1, MPI_INT, &value, 1, MPI_INT, root, comm);
  checks.expect(value >= 100 && ranks[index(value - 100)] == rank, "MPI_Scatter");
  int sum = -1;
  PMPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, root, comm);
  checks.expect(rank != original_root || sum == num_ranks * (num_ranks - 1) / 2, "MPI_Reduce");
}

void check_others(Checks& checks, MPI_Comm comm, RankVector const& ranks) {
  auto const position = std::ranges::find(ranks, rank) - ranks.begin();
  std::vector<int> all(index(num_ranks), -1);
  PMPI_Allgather(&rank, 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  checks.expect(all == ranks, "MPI_Allgather");
  int sum = 0;
  PMPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  checks.expect(sum == num_ranks * (num_ranks - 1) / 2, "MPI_Allreduce");
  PMPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  int const before = std::accumulate(ranks.begin(), ranks.begin() + position + 1, 0);
  checks.expect(sum == before, "MPI_Scan is in the new order");
  std::vector<int> const sent(index(num_ranks), rank);
  PMPI_Alltoall(sent.data(), 1, MPI_INT, all.data(), 1, MPI_INT, comm);
  checks.expect(all == ranks, "MPI_Alltoall");
  std::vector<int> const ones(index(num_ranks), 1);
  PMPI_Reduce_scatter(ranks.data(), &sum, ones.data(), MPI_INT, MPI_MAX, comm);
  checks.expect(sum == rank, "MPI_Reduce_scatter");
  checks.expect(PMPI_Barrier(comm) == MPI_SUCCESS, "MPI_Barrier");
}

/// Data of ranks, not of positions: a scatter or gather of the catalog in an order gives what the
/// native one gives in the usual order, on the same communicator.
void check_schedule(Checks& checks, RankVector const& ranks) {
  constexpr int count = 3;
  RankOrder const order(ranks);
  int const root = ranks.front();
  std::vector<int> data(index(count * num_ranks));
  std::iota(data.begin(), data.end(), 1000 * rank);
  MPI_Comm comm = private_comm();
  exec::TypedCount const block{.type = MPI_INT, .count = count};
  std::vector<int> found(data.size(), -1);
  auto const scatter = Choice::parse("scatter/binomial").generate(order, root, rank);
  exec::scatter_executor(scatter, comm, block, block, root).run(data.data(), found.data());
  std::vector<int> expected(data.size(), -1);
  PMPI_Scatter(data.data(), count, MPI_INT, expected.data(), count, MPI_INT, root, comm);
  checks.expect(found == expected, "scatter/binomial in another order");
  std::ranges::fill(found, -1);
  std::ranges::fill(expected, -1);
  auto const gather = Choice::parse("gather/binomial").generate(order, root, rank);
  exec::gather_executor(gather, comm, block, block, root).run(data.data(), found.data());
  PMPI_Gather(data.data(), count, MPI_INT, expected.data(), count, MPI_INT, root, comm);
  checks.expect(found == expected, "gather/binomial in another order");
  PMPI_Comm_free(&comm);
}

/// The text of the error, empty if there is none.
std::string complaint(std::vector<int> const& ranks, Creation creation) {
  try {
    ReorderedCommunicator const made(MPI_COMM_WORLD, ranks, creation);
  } catch (Error const& error) {
    return error.code() == ErrorCode::argument ? error.what() : "another error";
  }
  return "";
}

/// True if a complaint is the same on all ranks.
bool is_same(std::string text) {
  text.resize(200);
  std::vector<char> all(text.size() * index(num_ranks));
  PMPI_Allgather(text.data(), 200, MPI_CHAR, all.data(), 200, MPI_CHAR, MPI_COMM_WORLD);
  for (std::size_t begin = 0; begin < all.size(); begin += text.size()) {
    if (!std::equal(text.begin(), text.end(), all.begin() + static_cast<std::ptrdiff_t>(begin))) {
      return false;
    }
  }
  return true;
}

void expect_refused(
    Checks& checks, std::vector<int> const& ranks, std::string const& part, Creation creation
) {
  std::string const text = complaint(ranks, creation);
  checks.expect(text.find(part) != std::string::npos, "refuses: " + part + ", says: " + text);
  checks.expect(is_same(text), "the same complaint on all ranks: " + text);
}

void check_errors(Checks& checks, Creation creation) {
  RankVector const good = mapping::standard_order(num_ranks, 0);
  RankVector longer = good;
  longer.push_back(num_ranks);
  expect_refused(checks, longer, "expected an order of", creation);
  expect_refused(checks, {}, "got 0", creation);
  RankVector twice = good;
  twice.back() = num_ranks;
  expect_refused(checks, twice, "once in an order", creation);
  // Wrong on the last rank only.
  std::string const last = "rank " + std::to_string(num_ranks - 1) + ": ";
  expect_refused(checks, rank == num_ranks - 1 ? twice : good, last, creation);
  expect_refused(checks, rank == num_ranks - 1 ? longer : good, last, creation);
  if (num_ranks > 1) {
    RankVector const other = mapping::standard_order(num_ranks, 1);
    expect_refused(checks, rank == 0 ? other : good, "the same order", creation);
  }
  checks.expect(complaint(good, creation).empty(), "works again after errors");
}

int run() {
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  Checks checks;
  for (Creation const creation : {Creation::split, Creation::group}) {
    for (RankVector const& ranks : orders()) {
      ReorderedCommunicator made(MPI_COMM_WORLD, ranks, creation);
      check_numbers(checks, made, ranks);
      for (int root = 0; root < num_ranks; ++root) {
        check_rooted(checks, made.get(), ranks, root);
      }
      check_others(checks, made.get(), ranks);
      // From one order to another: back to the original one.
      ReorderedCommunicator const back(made.get(), mapping::positions(ranks), creation);
      int again = -1;
      PMPI_Comm_rank(back.get(), &again);
      checks.expect(again == rank, "the reverse order of an order is the original");
      ReorderedCommunicator const moved = std::move(made);
      check_numbers(checks, moved, ranks);
    }
    check_errors(checks, creation);
  }
  for (RankVector const& ranks : orders()) {
    check_schedule(checks, ranks);
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
