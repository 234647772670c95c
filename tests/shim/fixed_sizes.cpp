// SPDX-License-Identifier: Apache-2.0

/// @file
/// Calls whose sizes not all ranks know, on communicators of which the program promises by
/// espalier_fixed_sizes that sizes stay: with other places and types, after the promise was given
/// anew or taken back, and when it is broken.

#include <array>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include <mpi.h>

#include "tests/shim/interleaved.hpp"
#include "tests/shim/support.hpp"

namespace {

using shim_test::rank_of;
using shim_test::require;
using shim_test::size_of;

std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// Elements that rank r has for rank s.
int size_for(int sizes, int r, int s) {
  return (sizes + 3 * r + 5 * s + r * s) % 4;
}

int number(int time, int r, int s, int i) {
  return 100000 * time + 1000 * r + 10 * s + i;
}

MPI_Info info_with(char const* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "espalier_fixed_sizes", value);
  return info;
}

void promise(MPI_Comm comm, char const* value) {
  MPI_Info info = info_with(value);
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
}

MPI_Comm duplicate_with(MPI_Comm comm, char const* value) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Info info = info_with(value);
  MPI_Comm_dup_with_info(comm, info, &made);
  MPI_Info_free(&info);
  return made;
}

/// Blocks for or from each rank, with some elements between them.
struct Blocks {
  Blocks(std::vector<int> sizes, int gap) : counts(std::move(sizes)), places(counts.size()) {
    int place = gap;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      places[i] = place;
      place += counts[i] + gap;
    }
    data.assign(at(place) + 1, -1);
  }

  int& element(int block, int i) { return data[at(places[at(block)] + i)]; }

  std::vector<int> counts;
  std::vector<int> places;
  std::vector<int> data;
};

/// How one round of calls is made.
struct Round {
  MPI_Comm comm = MPI_COMM_NULL;
  int sizes = 0;
  int time = 0;
  int gap = 0;            ///< elements between blocks
  bool as_bytes = false;  ///< alltoallv with MPI_BYTE
};

std::string when(char const* what, Round const& round) {
  return std::string(what) + " at time " + std::to_string(round.time);
}

/// What this rank sends to each.
Blocks sent(Round const& round) {
  int const p = size_of(round.comm);
  int const rank = rank_of(round.comm);
  std::vector<int> counts(at(p));
  for (int s = 0; s < p; ++s) {
    counts[at(s)] = size_for(round.sizes, rank, s);
  }
  Blocks blocks(std::move(counts), round.gap);
  for (int s = 0; s < p; ++s) {
    for (int i = 0; i < blocks.counts[at(s)]; ++i) {
      blocks.element(s, i) = number(round.time, rank, s, i);
    }
  }
  return blocks;
}

Blocks to_receive(Round const& round) {
  int const rank = rank_of(round.comm);
  int const p = size_of(round.comm);
  std::vector<int> counts(at(p));
  for (int r = 0; r < p; ++r) {
    counts[at(r)] = size_for(round.sizes, r, rank);
  }
  return {std::move(counts), round.gap};
}

/// Blocks of each rank r for this one, and nothing between them.
void check(Blocks& blocks, Round const& round, std::string const& what) {
  int const rank = rank_of(round.comm);
  std::size_t num_right = 0;
  for (int r = 0; r < size_of(round.comm); ++r) {
    for (int i = 0; i < blocks.counts[at(r)]; ++i) {
      require(blocks.element(r, i) == number(round.time, r, rank, i), what);
      ++num_right;
    }
  }
  std::size_t num_written = 0;
  for (int const one : blocks.data) {
    num_written += one != -1 ? 1 : 0;
  }
  require(num_written == num_right, what + ": between blocks");
}

int call_alltoallv(Round const& round, Blocks& in, Blocks& out) {
  MPI_Datatype type = MPI_INT;
  Blocks from = in;
  Blocks to = out;
  if (round.as_bytes) {
    type = MPI_BYTE;
    for (auto* const list : {&from.counts, &from.places, &to.counts, &to.places}) {
      for (int& one : *list) {
        one *= static_cast<int>(sizeof(int));
      }
    }
  }
  return MPI_Alltoallv(
      in.data.data(),
      from.counts.data(),
      from.places.data(),
      type,
      out.data.data(),
      to.counts.data(),
      to.places.data(),
      type,
      round.comm
  );
}

void exchange(Round const& round) {
  Blocks in = sent(round);
  Blocks out = to_receive(round);
  require(call_alltoallv(round, in, out) == MPI_SUCCESS, when("alltoallv", round));
  check(out, round, when("alltoallv", round));
}

/// With a type for each block. That of Open MPI 4.1 itself takes displacements for elements on one
/// rank.
void exchange_types(Round const& round) {
  int const p = size_of(round.comm);
  if (p == 1) {
    return;
  }
  Blocks in = sent(round);
  Blocks out = to_receive(round);
  std::vector<int> from;
  std::vector<int> to;
  for (int s = 0; s < p; ++s) {
    from.push_back(static_cast<int>(sizeof(int)) * in.places[at(s)]);
    to.push_back(static_cast<int>(sizeof(int)) * out.places[at(s)]);
  }
  MPI_Datatype own = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &own);
  MPI_Type_commit(&own);
  std::vector<MPI_Datatype> const sent_types(at(p), round.time % 2 == 0 ? own : MPI_INT);
  std::vector<MPI_Datatype> const types(at(p), MPI_INT);
  MPI_Alltoallw(
      in.data.data(),
      in.counts.data(),
      from.data(),
      sent_types.data(),
      out.data.data(),
      out.counts.data(),
      to.data(),
      types.data(),
      round.comm
  );
  check(out, round, when("alltoallw", round));
  MPI_Type_free(&own);
}

/// Every second int.
MPI_Datatype spread_type() {
  MPI_Datatype spread = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(MPI_INT, 0, 2 * static_cast<MPI_Aint>(sizeof(int)), &spread);
  MPI_Type_commit(&spread);
  return spread;
}

/// All parts at the root are what it receives from each rank, or sends to each.
void gather(Round const& round, int root) {
  int const rank = rank_of(round.comm);
  Blocks in = sent(round);
  Blocks out = to_receive(round);
  bool const is_in_place = rank == root && round.time % 2 == 1;
  if (is_in_place) {
    for (int i = 0; i < out.counts[at(rank)]; ++i) {
      out.element(rank, i) = number(round.time, rank, rank, i);
    }
  }
  // Parts have gaps where they come from, every second time.
  bool const is_spread = round.time % 2 == 0;
  MPI_Datatype type = is_spread ? spread_type() : MPI_INT;
  std::vector<int> part;
  for (int i = 0; i < in.counts[at(root)]; ++i) {
    part.insert(part.end(), is_spread ? 2 : 1, in.element(root, i));
  }
  MPI_Gatherv(
      is_in_place ? MPI_IN_PLACE : part.data(),
      in.counts[at(root)],
      type,
      out.data.data(),
      out.counts.data(),
      out.places.data(),
      MPI_INT,
      root,
      round.comm
  );
  if (is_spread) {
    MPI_Type_free(&type);
  }
  if (rank == root) {
    check(out, round, when("gatherv", round));
  }
}

void scatter(Round const& round, int root) {
  int const rank = rank_of(round.comm);
  Blocks in = sent(round);
  int const count = size_for(round.sizes, root, rank);
  std::vector<int> part(at(count) + 1, -1);
  MPI_Scatterv(
      in.data.data(),
      in.counts.data(),
      in.places.data(),
      MPI_INT,
      part.data(),
      count,
      MPI_INT,
      root,
      round.comm
  );
  for (int i = 0; i < count; ++i) {
    require(part[at(i)] == number(round.time, root, rank, i), when("scatterv", round));
  }
  require(part.back() == -1, when("scatterv", round) + ": behind the part");
}

/// From the second time on with other places, types and places for the own part, and other calls
/// between.
void call_all(MPI_Comm comm, int sizes, int num_times) {
  for (int time = 0; time < num_times; ++time) {
    Round round{.comm = comm, .sizes = sizes, .time = time};
    round.gap = time / 2;
    round.as_bytes = time == 1;
    exchange(round);
    exchange_types(round);
    int sum = 0;
    int const one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    require(sum == size_of(comm), when("allreduce", round));
    // More roots than are remembered of one communicator.
    for (int root = 0; root < size_of(comm); ++root) {
      gather(round, root);
      scatter(round, root);
    }
  }
}

/// Where nothing was promised, or no longer is.
void call_all_with_changing_sizes(MPI_Comm comm) {
  for (int sizes = 0; sizes < 4; ++sizes) {
    call_all(comm, sizes, 1);
  }
}

/// Sizes that are equal in both directions, as calls in place need them.
void exchange_in_place(MPI_Comm comm) {
  int const p = size_of(comm);
  int const rank = rank_of(comm);
  for (int time = 0; time < 3; ++time) {
    std::vector<int> counts(at(p));
    for (int s = 0; s < p; ++s) {
      counts[at(s)] = (rank + s) % 3;
    }
    Blocks blocks(std::move(counts), time);
    for (int s = 0; s < p; ++s) {
      for (int i = 0; i < blocks.counts[at(s)]; ++i) {
        blocks.element(s, i) = number(time, rank, s, i);
      }
    }
    MPI_Alltoallv(
        MPI_IN_PLACE,
        nullptr,
        nullptr,
        MPI_DATATYPE_NULL,
        blocks.data.data(),
        blocks.counts.data(),
        blocks.places.data(),
        MPI_INT,
        comm
    );
    check(blocks, {.comm = comm, .time = time}, "alltoallv in place");
  }
}

/// Blocks of the same sizes, between those that are received.
void exchange_interleaved(Round const& round) {
  Blocks in = sent(round);
  Blocks out = to_receive(round);
  shim_test::Interleaved both(in.counts, out.counts);
  int place = 0;
  for (int s = 0; s < size_of(round.comm); ++s) {
    for (int i = 0; i < in.counts[at(s)]; ++i) {
      both.sent(place++) = in.element(s, i);
    }
  }
  require(both.alltoallv(round.comm) == MPI_SUCCESS, "interleaved alltoallv");
  place = 0;
  for (int r = 0; r < size_of(round.comm); ++r) {
    for (int i = 0; i < out.counts[at(r)]; ++i) {
      out.element(r, i) = both.received(place++);
    }
  }
  check(out, round, "interleaved alltoallv");
}

/// Every second call has one array for both.
void check_interleaved() {
  MPI_Comm comm = duplicate_with(MPI_COMM_WORLD, "true");
  for (int time = 0; time < 4; ++time) {
    Round const round{.comm = comm, .time = time};
    if (time % 2 == 0) {
      exchange_interleaved(round);
    } else {
      exchange(round);
    }
  }
  MPI_Comm_free(&comm);
}

void check_results() {
  check_interleaved();
  MPI_Comm comm = duplicate_with(MPI_COMM_WORLD, "true");
  call_all(comm, 1, 4);
  MPI_Comm heir = MPI_COMM_NULL;
  MPI_Comm_dup(comm, &heir);
  call_all_with_changing_sizes(heir);
  MPI_Comm_free(&heir);
  promise(comm, "true");
  call_all(comm, 2, 3);
  promise(comm, "false");
  call_all_with_changing_sizes(comm);
  promise(comm, "true");
  exchange_in_place(comm);
  MPI_Comm_free(&comm);
  // Ranks in another order, and not all of them.
  int const rank = rank_of(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &comm);
  promise(comm, "true");
  call_all(comm, 3, 3);
  MPI_Comm_free(&comm);
  // Not promised by all.
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (size_of(comm) > 1) {
    promise(comm, rank == 0 ? "true" : "perhaps");
    call_all_with_changing_sizes(comm);
  }
  MPI_Comm_free(&comm);
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// All ranks have other sizes than before: each is told so, and nothing was sent.
void check_broken() {
  MPI_Comm comm = duplicate_with(MPI_COMM_WORLD, "true");
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  exchange({.comm = comm, .sizes = 0, .time = 0});
  Round const broken{.comm = comm, .sizes = 1, .time = 1};
  Blocks in = sent(broken);
  Blocks out = to_receive(broken);
  int const code = call_alltoallv(broken, in, out);
  require(class_of(code) == MPI_ERR_COUNT, "a broken promise is an error of counts");
#ifndef MPICH
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  std::string const expected = "MPI_Alltoallv: the program promised espalier_fixed_sizes, but the "
                               "block to rank 0 has ";
  require(std::string(text.data()).find(expected) != std::string::npos, text.data());
#endif
  for (int const one : out.data) {
    require(one == -1, "nothing is received");
  }
  // Others might take what is sent now for what was refused.
  Round const as_before{.comm = comm, .sizes = 0, .time = 2};
  in = sent(as_before);
  out = to_receive(as_before);
  require(
      class_of(call_alltoallv(as_before, in, out)) == MPI_ERR_COUNT,
      "calls are errors until the promise is given anew"
  );
  promise(comm, "true");
  exchange(broken);
  exchange(broken);
  MPI_Comm_free(&comm);
}

/// What rank 0 sends to itself is one element more: nobody else can know.
void break_on_one_rank() {
  MPI_Comm const comm = duplicate_with(MPI_COMM_WORLD, "true");
  Round const round{.comm = comm, .gap = 1};
  exchange(round);
  Blocks in = sent(round);
  Blocks out = to_receive(round);
  if (rank_of(comm) == 0) {
    ++in.counts.front();
    ++out.counts.front();
  }
  call_alltoallv(round, in, out);
  std::printf("rank %d: the broken promise was not noticed\n", rank_of(comm));
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  shim_test::require_preloaded();
  std::string const what = argc > 1 ? argv[1] : "";
  if (what == "broken_on_one_rank") {
    break_on_one_rank();
  } else {
    check_results();
    if (what == "broken" && size_of(MPI_COMM_WORLD) > 1) {
      check_broken();
    }
  }
  MPI_Finalize();
  return 0;
}
