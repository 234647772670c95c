// SPDX-License-Identifier: Apache-2.0

/// @file
/// The C++ view, espalier_onesided.hpp: what it hands on, and what it throws.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "include/espalier_onesided.hpp"

#include <mpi.h>

#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;
using espalier::Conduit;
using espalier::Elements;
using espalier::Request;
using espalier::Team;

constexpr std::uint64_t counter_at = 0;
constexpr std::uint64_t in_at = 8;
constexpr std::uint64_t out_at = 264;
constexpr std::uint64_t segment_bytes = 1000;

/// Counters of the neighbor are at 3, and each signal adds 1 or 2.
void start_signals(Checks& checks, Conduit& conduit, int next) {
  conduit.barrier();
  std::array<std::int64_t, 2> own{conduit.rank() + 40, 8};
  espalier::Transfer put = conduit.start_put_signal(std::span(own), {next, in_at}, counter_at, 2);
  while (!put.test_local()) {
    conduit.poll();
  }
  own = {-1, -1};
  put.wait();
  conduit.await(counter_at, 5);
  int const previous = (conduit.rank() + conduit.size() - 1) % conduit.size();
  checks.expect(conduit.segment<std::int64_t>()[1] == previous + 40, "data of a started signal");
  conduit.barrier();
  own = {conduit.rank() + 50, 9};
  conduit.post_put_signal(std::span(own), {next, in_at}, counter_at);
  conduit.fence();
  own = {-1, -1};
  conduit.await(counter_at, 6);
  checks.expect(conduit.segment<std::int64_t>()[1] == previous + 50, "data of a posted signal");
  try {
    static_cast<void>(conduit.start_put_signal(std::span(own), {next, in_at}, 12));
    checks.expect(false, "a misaligned counter is refused");
  } catch (espalier::OnesidedError const& error) {
    checks.expect(error.error_class() == MPI_ERR_ARG, error.what());
  }
}

void transfer(Checks& checks, Conduit& conduit) {
  int const next = (conduit.rank() + 1) % conduit.size();
  int const previous = (conduit.rank() + conduit.size() - 1) % conduit.size();
  std::array<std::int64_t, 2> const own{conduit.rank(), 7};
  std::array<std::int64_t, 2> found{};
  checks.expect(conduit.segment_bytes(next) == segment_bytes, "bytes of a segment");
  checks.expect(conduit.segment<std::int64_t>().size() == 125, "elements of a segment");
  conduit.put(std::span(own), {next, in_at});
  conduit.barrier();
  conduit.get(std::span(found), {next, in_at});
  checks.expect(found == own, "what was put");
  conduit.barrier();
  espalier::Transfer put = conduit.start_put(std::span(own), {next, out_at});
  put.wait_local();
  put.wait();
  espalier::Transfer get = conduit.start_get(std::span(found).first(1), {next, out_at + 8});
  while (!get.test()) {
    conduit.poll();
  }
  checks.expect(found[0] == 7, "what was fetched");
  conduit.post_get(std::span(found), {next, out_at});
  conduit.fence();
  checks.expect(found == own, "what was posted");
  conduit.put_signal(std::span(own), {next, in_at}, counter_at, 2);
  conduit.signal({next, counter_at});
  conduit.await(counter_at, 3);
  checks.expect(conduit.counter(counter_at) == 3, "the counter counts");
  checks.expect(conduit.segment<std::int64_t>()[1] == previous, "data before the counter");
  start_signals(checks, conduit, next);
  conduit.notify();
  while (!conduit.try_barrier()) {
    conduit.poll();
  }
}

/// Member i has i elements: those that it gives are i, i, ...
void collect_parts(Checks& checks, Conduit& conduit, Team& team) {
  auto* const in = &conduit.segment<std::int32_t>()[in_at / 4];
  auto* const out = &conduit.segment<std::int32_t>()[out_at / 4];
  int const p = team.size();
  int const me = team.rank();
  std::vector<int> counts;
  std::vector<int> displs;
  std::vector<int> each;
  for (int rank = 0, end = 0; rank < p; end += rank, ++rank) {
    counts.push_back(rank);
    displs.push_back(end);
    each.push_back(me);
  }
  std::fill_n(in, p * p, me);
  auto const run = [&](Request request, int place, int expected) {
    out[place] = -1;
    conduit.barrier();
    request.start();
    request.wait();
    checks.expect(out[place] == expected, request.algorithm() + " of parts");
    conduit.barrier();
  };
  int const last = displs.back();
  int const none = -1;
  run(team.gatherv(in, out, {counts, displs}, MPI_INT32_T, 0), last, p > 1 && me == 0 ? p - 1 : none
  );
  run(team.allgatherv(in, out, {counts}, MPI_INT32_T), last, p > 1 ? p - 1 : none);
  run(team.scatterv(in, {counts, displs}, out, MPI_INT32_T, p - 1), 0, me > 0 ? p - 1 : none);
  run(team.alltoallv(in, {counts, displs}, out, {each}, MPI_INT32_T), 0, me > 0 ? 0 : none);
  try {
    static_cast<void>(team.gatherv(in, out, {std::span(counts).first(0)}, MPI_INT32_T, 0));
    checks.expect(false, "lists that are too short are refused");
  } catch (std::invalid_argument const& error) {
    checks.expect(std::string(error.what()).find("each member") != std::string::npos, error.what());
  }
}

void collect(Checks& checks, Conduit& conduit, Team& team) {
  auto* const in = &conduit.segment<std::int64_t>()[in_at / 8];
  auto* const out = &conduit.segment<std::int64_t>()[out_at / 8];
  auto const p = static_cast<std::size_t>(team.size());
  Elements const one{1, MPI_INT64_T};
  auto const run = [&](Request request, std::size_t place, std::int64_t expected) {
    conduit.barrier();
    request.start();
    request.wait();
    checks.expect(out[place] == expected, request.algorithm() + " by " + request.mechanism());
  };
  for (std::size_t i = 0; i < p; ++i) {
    in[i] = team.rank() * 10 + static_cast<std::int64_t>(i);
    out[i] = -1;
  }
  int const last = team.size() - 1;
  std::int64_t const sum = 10 * static_cast<std::int64_t>(last) * team.size() / 2;
  run(team.scatter(in, out, one, last), 0, last * 10 + team.rank());
  run(team.gather(in, out, one, 0), p - 1, team.rank() == 0 ? last * 10 : out[p - 1]);
  run(team.allgather(in, out, one), p - 1, last * 10);
  run(team.alltoall(in, out, one), p - 1, last * 10 + team.rank());
  run(team.allreduce(in, out, one, MPI_SUM), 0, sum);
  run(team.reduce(in, out, one, MPI_SUM, 0), 0, sum);
  run(team.bcast(out, one, 0), 0, sum);
  run(team.barrier(), 0, sum);
  collect_parts(checks, conduit, team);
}

void tune(Checks& checks, Conduit& conduit, Team& team) {
  auto* const out = &conduit.segment<std::int64_t>()[out_at / 8];
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  options.in = options.out = ESPALIER_NOSYNC;
  options.algorithm = "bcast/binomial";
  Request request = team.bcast(out, {2, MPI_INT64_T}, 0, &options);
  checks.expect(request.origin() == "rule", "an origin: " + request.origin());
  request.tune(100);
  checks.expect(request.origin() == "tuned", "another origin: " + request.origin());
  int num_calls = 0;
  request.tune(0.01, [&] {
    ++num_calls;
    conduit.poll();
  });
  checks.expect(num_calls > 0, "what runs meanwhile is called");
  num_calls = 0;
  try {
    request.tune(0.01, [&] {
      ++num_calls;
      throw std::runtime_error("enough");
    });
    checks.expect(false, "what is thrown meanwhile is thrown");
  } catch (std::runtime_error const& error) {
    checks.expect(std::string(error.what()) == "enough", error.what());
  }
  checks.expect(num_calls == 1, "what throws is called once");
  out[0] = team.rank() == 0 ? 17 : 0;
  conduit.barrier();
  request.start();
  request.wait();
  conduit.barrier();
  checks.expect(out[0] == 17, "data after tuning by " + request.algorithm());
}

void misuse(Checks& checks, Conduit& conduit, Team& team) {
  std::int64_t value = 0;
  try {
    conduit.put(std::span(&value, 1), {0, segment_bytes});
    checks.expect(false, "a put outside of the segment is refused");
  } catch (espalier::OnesidedError const& error) {
    checks.expect(error.error_class() == MPI_ERR_ARG, "the class of an error");
    std::string const text = error.what();
    checks.expect(text.find("8 bytes at offset 1000") != std::string::npos, text);
  }
  auto const loose = espalier::team_options(ESPALIER_NOSYNC, ESPALIER_NOSYNC);
  Request first = team.barrier(&loose);
  Request second;
  second = std::move(first);
  second.start();
  second.wait();
  team.fence();
  checks.expect(first.get() == nullptr && second.get() != nullptr, "a request moves");
}

void use(Checks& checks, char const* transport) {
  espalier_conduit_options options = ESPALIER_CONDUIT_OPTIONS_INIT;
  options.transport = transport;
  Conduit conduit(MPI_COMM_WORLD, segment_bytes, &options);
  checks.expect(conduit.transport() == transport, "the transport");
  Team team(conduit, MPI_COMM_WORLD);
  checks.expect(team.conduit_rank(team.rank()) == conduit.rank(), "rank on the conduit");
  checks.expect(team.rank_of(conduit.rank()) == team.rank(), "rank in the team");
  if (conduit.size() > 1) {
    Team const alone(conduit, MPI_COMM_SELF);
    int const stranger = (conduit.rank() + 1) % conduit.size();
    checks.expect(alone.rank_of(stranger) == MPI_UNDEFINED, "who is no member has no rank_of()");
  }
  transfer(checks, conduit);
  collect(checks, conduit, team);
  tune(checks, conduit, team);
  misuse(checks, conduit, team);
  team.reset();
  checks.expect(team.get() == nullptr, "freed");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  Checks checks;
  for (char const* const transport : transports()) {
    use(checks, transport);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
