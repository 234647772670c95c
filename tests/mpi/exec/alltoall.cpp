// SPDX-License-Identifier: Apache-2.0

/// @file
/// Alltoall(v, w) of the MPI executor against those of the MPI library, for the whole catalog: same
/// memory before, same memory after, gaps included.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/exec/collectives/mpi_sizes.hpp"
#include "espalier/schedule/transforms.hpp"
#include "tests/mpi/exec/support.hpp"
#include "tests/support/schedules.hpp"

namespace espalier::test {
namespace {

using exec::MpiExecutor;
using exec::TypedCount;

int num_ranks = 0;
int rank = 0;

enum class Form { equal, varying, typed };

/// One side of a call: blocks for or from each rank; displacements in elements, of alltoallw in
/// bytes.
struct Side {
  std::vector<int> counts;
  std::vector<int> displacements;
  std::vector<MPI_Datatype> types;
  std::int64_t num_bytes = 0;
};

struct Call {
  Form form = Form::equal;
  bool is_in_place = false;
  bool is_safe = true;  ///< the MPI library can be asked with these types
  Side send;
  Side recv;
};

void native(Call const& call, void const* input, void* output) {
  Side const& send = call.send;
  Side const& recv = call.recv;
  MPI_Comm const comm = MPI_COMM_WORLD;
  switch (call.form) {
  case Form::equal:
    PMPI_Alltoall(
        input, send.counts[0], send.types[0], output, recv.counts[0], recv.types[0], comm
    );
    break;
  case Form::varying:
    PMPI_Alltoallv(
        input,
        send.counts.data(),
        send.displacements.data(),
        send.types[0],
        output,
        recv.counts.data(),
        recv.displacements.data(),
        recv.types[0],
        comm
    );
    break;
  case Form::typed:
    PMPI_Alltoallw(
        input,
        send.counts.data(),
        send.displacements.data(),
        send.types.data(),
        output,
        recv.counts.data(),
        recv.displacements.data(),
        recv.types.data(),
        comm
    );
  }
}

/// What a rank keeps of others, which it learns by an exchange.
std::vector<std::int64_t>
kept_bytes(Call const& call, RankProgram const& program, PrivateComm const& comm) {
  Side const& sent = call.is_in_place ? call.recv : call.send;
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < sent.counts.size(); ++i) {
    int size = 0;
    PMPI_Type_size(sent.types[i], &size);
    sizes.push_back(std::int64_t{size} * sent.counts[i]);
  }
  return exec::scratch_sizes(program, comm, sizes);
}

MpiExecutor executor_of(Call const& call, RankProgram const& generated, PrivateComm const& comm) {
  Side const& send = call.send;
  Side const& recv = call.recv;
  bool const is_equal = call.form == Form::equal;
  RankProgram const program = is_equal ? generated : schedule::written_once(generated);
  std::vector<std::int64_t> kept;
  if (!is_equal) {
    kept = kept_bytes(call, program, comm);
  }
  if (call.form == Form::equal) {
    TypedCount const from{.type = send.types[0], .count = send.counts[0]};
    return exec::alltoall_executor(
        program,
        comm,
        call.is_in_place ? TypedCount{} : from,
        {.type = recv.types[0], .count = recv.counts[0]}
    );
  }
  if (call.form == Form::varying) {
    exec::VaryingBlocks const from{send.types[0], send.counts, send.displacements};
    return exec::alltoallv_executor(
        program,
        comm,
        call.is_in_place ? exec::VaryingBlocks{} : from,
        {recv.types[0], recv.counts, recv.displacements},
        std::move(kept)
    );
  }
  exec::TypedBlocks const from{send.counts, send.displacements, send.types};
  return exec::alltoallw_executor(
      program,
      comm,
      call.is_in_place ? exec::TypedBlocks{} : from,
      {recv.counts, recv.displacements, recv.types},
      std::move(kept)
  );
}

std::byte* block_of(Form form, Side const& side, std::byte* memory, std::size_t block) {
  std::size_t const unit = form == Form::typed ? 1 : bytes_of(1, side.types[block]);
  std::size_t const place = form == Form::equal
                                ? block * static_cast<std::size_t>(side.counts[block])
                                : static_cast<std::size_t>(side.displacements[block]);
  return memory + place * unit;
}

/// The same with packed data.
void native_by_packing(Call const& call, std::byte* input, std::byte* output) {
  std::vector<char> sent;
  std::vector<int> send_counts;
  std::vector<int> send_places;
  std::vector<int> recv_counts;
  std::vector<int> recv_places;
  int end = 0;
  for (std::size_t i = 0; i < call.send.counts.size(); ++i) {
    auto const data =
        packed(block_of(call.form, call.send, input, i), call.send.counts[i], call.send.types[i]);
    send_places.push_back(static_cast<int>(sent.size()));
    send_counts.push_back(static_cast<int>(data.size()));
    sent.insert(sent.end(), data.begin(), data.end());
    int size = 0;
    PMPI_Type_size(call.recv.types[i], &size);
    recv_places.push_back(end);
    recv_counts.push_back(size * call.recv.counts[i]);
    end += recv_counts.back();
  }
  std::vector<char> received(static_cast<std::size_t>(end) + 1);
  sent.push_back(0);
  PMPI_Alltoallv(
      sent.data(),
      send_counts.data(),
      send_places.data(),
      MPI_BYTE,
      received.data(),
      recv_counts.data(),
      recv_places.data(),
      MPI_BYTE,
      MPI_COMM_WORLD
  );
  for (std::size_t i = 0; i < call.recv.counts.size(); ++i) {
    std::vector<char> const data(
        received.begin() + recv_places[i], received.begin() + recv_places[i] + recv_counts[i]
    );
    unpack(
        data, block_of(call.form, call.recv, output, i), call.recv.counts[i], call.recv.types[i]
    );
  }
}

/// Runs the executor twice, so that the second run meets what the first has left. The result of the
/// MPI library is never taken in place.
void compare(Checks& checks, MpiExecutor executor, Call const& call, std::string const& what) {
  Buffer input(static_cast<std::size_t>(call.send.num_bytes), rank + 1);
  Buffer const input_before = input;
  Buffer before(
      static_cast<std::size_t>(call.recv.num_bytes), call.is_in_place ? rank + 1 : 100 + rank
  );
  Buffer expected = before;
  if (call.is_safe) {
    native(call, input.get(), expected.get());
  } else {
    native_by_packing(call, input.get(), expected.get());
  }
  for (int i = 0; i < 2; ++i) {
    Buffer found = before;
    int const code = executor.run(call.is_in_place ? MPI_IN_PLACE : input.get(), found.get());
    checks.expect(code == MPI_SUCCESS, what + ": returned " + std::to_string(code));
    checks.expect(found == expected, what + ": memory differs");
  }
  checks.expect(input == input_before, what + ": input was written");
}

/// Units from one rank to another; the same in both directions, so that it works in place.
int exchanged(Form form, int length, int peer) {
  return form == Form::equal ? length : (rank + peer) * (length + 1) % 7 * length / 3;
}

/// Blocks one after another with room between them, in the order of ranks or against it.
Side side_of(Form form, std::vector<RankType> const& types, int length, bool is_reversed) {
  Side side;
  side.displacements.resize(types.size());
  for (int peer = 0; peer < num_ranks; ++peer) {
    RankType const& type = types[static_cast<std::size_t>(peer)];
    side.types.push_back(type.type);
    side.counts.push_back(exchanged(form, length, peer) * type.num_per_unit);
  }
  int const gap = form == Form::equal ? 0 : 1;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < types.size(); ++i) {
    std::size_t const block = is_reversed ? types.size() - 1 - i : i;
    auto const extent = static_cast<std::int64_t>(bytes_of(1, side.types[block]));
    side.displacements[block] = static_cast<int>(form == Form::typed ? end : end / extent);
    end += (side.counts[block] + gap) * extent + (form == Form::typed ? 48 : 0);
  }
  side.num_bytes = end;
  return side;
}

/// Types of the blocks with each peer: one type, but for alltoallw.
std::vector<RankType>
types_of(Form form, std::vector<TypeCase> const& cases, std::size_t number, int shift) {
  std::vector<RankType> result;
  for (int peer = 0; peer < num_ranks; ++peer) {
    auto const pair = static_cast<std::size_t>(form == Form::typed ? rank + peer : 0);
    result.push_back(cases[(number + pair) % cases.size()].make(rank + shift));
  }
  return result;
}

void check(
    Checks& checks,
    PrivateComm const& comm,
    Schedule const& schedule,
    Form form,
    bool is_in_place,
    std::size_t number,
    int length
) {
  std::vector<TypeCase> const cases = type_cases();
  std::vector<RankType> send = types_of(form, cases, number, is_in_place ? 0 : 1);
  std::vector<RankType> recv = types_of(form, cases, number, 0);
  bool const is_reversed = form != Form::equal && !is_in_place;
  Call const call{
      .form = form,
      .is_in_place = is_in_place,
      .is_safe = form == Form::typed ? number % 2 == 0 : cases[number].is_safe(),
      .send = side_of(form, send, length, false),
      .recv = side_of(form, recv, length, is_reversed),
  };
  std::string const what = schedule.name + " " + cases[number].name + " x " +
                           std::to_string(length) + (is_in_place ? " in place" : "") +
                           (form == Form::equal     ? ""
                            : form == Form::varying ? " v"
                                                    : " w");
  compare(checks, executor_of(call, schedule.generate(0, rank), comm), call, what);
  std::ranges::for_each(send, release);
  std::ranges::for_each(recv, release);
}

/// Phases of the MPI library have blocks of one size only.
bool can_vary(Schedule const& schedule) {
  for (int i = 0; i < num_ranks; ++i) {
    if (schedule.generate(0, i).has_native_calls()) {
      return false;
    }
  }
  return true;
}

int run() {
  PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PrivateComm const comm;
  Checks checks;
  std::vector<Schedule> const all = schedules(Collective::alltoall, num_ranks);
  std::size_t const num_types = type_cases().size();
  Sampler sampler(all.size(), 3 * 4 * 2 * num_types, 1500);
  for (Schedule const& schedule : all) {
    bool const may_vary = can_vary(schedule);
    for (Form const form : {Form::equal, Form::varying, Form::typed}) {
      for (int const length : {0, 1, 13, 300}) {
        for (bool const is_in_place : {false, true}) {
          for (std::size_t number = 0; number < num_types; ++number) {
            if (sampler.next() && schedule.accepts(0) && (form == Form::equal || may_vary)) {
              check(checks, comm, schedule, form, is_in_place, number, length);
            }
          }
        }
      }
    }
  }
  return checks.finish();
}

}  // namespace
}  // namespace espalier::test

int main(int argc, char** argv) {
  return espalier::test::run_under_mpi(argc, argv, espalier::test::run);
}
