// SPDX-License-Identifier: Apache-2.0

/// @file
/// Which calls are the same as one before: those with the same arguments, whose handles last. And
/// which have nothing to do.

#include "espalier/plan/communicators/repeated_calls.hpp"

#include <array>
#include <cstddef>
#include <set>
#include <string>

#include <mpi.h>

#include "espalier/plan/calls/call_words.hpp"
#include "espalier/plan/calls/calls.hpp"
#include "espalier/plan/calls/named_types.hpp"
#include "espalier/plan/calls/without_data.hpp"
#include "tests/mpi/exec/support.hpp"

namespace espalier::test {
namespace {

using plan::BcastCall;
using plan::CallWords;
using plan::NamedTypes;
using plan::ReduceCall;
using plan::RepeatedCall;
using plan::RepeatedCalls;
using plan::ScatterCall;
using plan::words_of;

std::array<int, 8> memory{};

ScatterCall scatter() {
  return {
      .sendbuf = memory.data(),
      .sendcount = 1,
      .sendtype = MPI_INT,
      .recvbuf = memory.data() + 4,
      .recvcount = 1,
      .recvtype = MPI_INT,
      .root = 0,
  };
}

ReduceCall reduce() {
  return {
      .sendbuf = memory.data(),
      .recvbuf = memory.data() + 4,
      .count = 1,
      .datatype = MPI_INT,
      .op = MPI_SUM,
      .root = 0,
  };
}

/// The call, and calls that differ in one argument each.
template <typename Calls> std::set<CallWords> words_of_each(Calls const& calls) {
  std::set<CallWords> words;
  for (auto const& call : calls) {
    words.insert(words_of(call));
  }
  return words;
}

std::set<CallWords> all_scatters() {
  std::array<ScatterCall, 8> calls;
  calls.fill(scatter());
  calls[1].sendbuf = memory.data() + 1;
  calls[2].sendcount = std::int64_t{1} << 40;
  calls[3].sendtype = MPI_DOUBLE;
  calls[4].recvbuf = MPI_IN_PLACE;
  calls[5].recvcount = 2;
  calls[6].recvtype = MPI_DOUBLE;
  calls[7].root = 1;
  return words_of_each(calls);
}

std::set<CallWords> all_reductions() {
  std::array<ReduceCall, 7> calls;
  calls.fill(reduce());
  calls[1].sendbuf = memory.data() + 1;
  calls[2].recvbuf = memory.data() + 5;
  calls[3].count = 2;
  calls[4].datatype = MPI_DOUBLE;
  calls[5].op = MPI_MAX;
  calls[6].root = 1;
  return words_of_each(calls);
}

void check_words(Checks& checks) {
  checks.expect(all_scatters().size() == 8, "each argument of a scatter makes a difference");
  checks.expect(all_reductions().size() == 7, "each argument of a reduce makes a difference");
  checks.expect(
      words_of(plan::GatherCall{.sendtype = MPI_INT, .recvtype = MPI_INT, .root = 0}) !=
          words_of(ScatterCall{.sendtype = MPI_INT, .recvtype = MPI_INT, .root = 0}),
      "and so does the function"
  );
  checks.expect(words_of(plan::BarrierCall{}) != CallWords{}, "no call is none");
}

void check_kept(Checks& checks) {
  profile::Decision const decision;
  RepeatedCalls calls;
  CallWords const words = words_of(scatter());
  checks.expect(calls.find(words) == nullptr, "nothing is found in nothing");
  std::size_t const before = calls.memory_bytes();
  calls.add({.words = words, .decision = &decision, .input = memory.data()});
  RepeatedCall const* const found = calls.find(words);
  checks.expect(found != nullptr && found->decision == &decision, "what was added is found");
  for (CallWords const& other : all_scatters()) {
    checks.expect((calls.find(other) != nullptr) == (other == words), "and nothing else is");
  }
  for (int i = 0; i < 1000; ++i) {
    BcastCall const call{
        .buffer = memory.data() + i % 8, .count = i, .datatype = MPI_INT, .root = i
    };
    calls.add({.words = words_of(call), .decision = &decision});
    checks.expect(calls.find(words_of(call)) != nullptr, "the last one is always there");
  }
  checks.expect(calls.memory_bytes() - before <= 2048, "any number of calls needs no more memory");
  calls.add({.words = words, .decision = &decision});
  calls.forget();
  checks.expect(calls.find(words) == nullptr, "nothing is found of what was forgotten");
}

void check_handles(Checks& checks) {
  NamedTypes types;
  checks.expect(!has_lasting_handles(scatter(), types), "nobody asked for the type yet");
  static_cast<void>(types.facts(MPI_INT));
  checks.expect(has_lasting_handles(scatter(), types), "a named type lasts");
  ScatterCall leaf = scatter();
  leaf.sendtype = MPI_DATATYPE_NULL;
  checks.expect(has_lasting_handles(leaf, types), "and so does none");
  checks.expect(has_lasting_handles(reduce(), types), "an operator of MPI lasts");
  MPI_Datatype type = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(2, MPI_INT, &type);
  PMPI_Type_commit(&type);
  static_cast<void>(types.facts(type));
  ScatterCall derived = scatter();
  derived.recvtype = type;
  checks.expect(!has_lasting_handles(derived, types), "a type of the program does not");
  PMPI_Type_free(&type);
  MPI_Op op = MPI_OP_NULL;
  PMPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
  ReduceCall own = reduce();
  own.op = op;
  checks.expect(!has_lasting_handles(own, types), "an operator of the program does not");
  PMPI_Op_free(&op);
}

/// Counts that are not significant on a rank do not say that it has no data.
void check_without_data(Checks& checks) {
  checks.expect(!plan::is_without_data(plan::BarrierCall{}), "a barrier has no counts");
  checks.expect(!plan::is_without_data(reduce()), "a reduce with data");
  ReduceCall empty_reduce = reduce();
  empty_reduce.count = 0;
  checks.expect(plan::is_without_data(empty_reduce), "a reduce without data");
  checks.expect(
      plan::is_without_data(plan::ReduceScatterBlockCall{.recvcount = 0}) &&
          !plan::is_without_data(plan::ReduceScatterBlockCall{.recvcount = 1}),
      "a reduce_scatter_block without and with data"
  );
  ScatterCall empty = scatter();
  empty.recvcount = 0;
  checks.expect(!plan::is_without_data(empty), "a scatter whose root sends, or may send");
  empty.sendcount = 0;
  checks.expect(plan::is_without_data(empty), "a scatter without data");
  empty.recvbuf = MPI_IN_PLACE;
  empty.recvcount = 5;
  checks.expect(plan::is_without_data(empty), "in place the own count does not matter");
  empty.sendcount = 1;
  checks.expect(!plan::is_without_data(empty), "but that of the others");
  plan::GathervCall lists{};
  lists.sendcount = 0;
  checks.expect(!plan::is_without_data(lists), "others may have data where counts are lists");
}

static_assert(plan::is_all_in_words<ScatterCall> && plan::is_all_in_words<plan::BarrierCall>);
static_assert(!plan::is_all_in_words<plan::AlltoallwCall>);
static_assert(!plan::is_all_in_words<plan::ReduceScatterCall>);
static_assert(!plan::is_all_in_words<plan::ScattervCall>);

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  espalier::test::Checks checks;
  espalier::test::check_words(checks);
  espalier::test::check_kept(checks);
  espalier::test::check_handles(checks);
  espalier::test::check_without_data(checks);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
